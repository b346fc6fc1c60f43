"""train: learn a system from annotated files and write one model file."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options, reveal
from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings
from engine.tasks.base import AnyModel, AnyTask, Resources, TrainingRound
from engine.tasks.saving import save_model
from engine.tasks.training.checkpoint import Checkpoint, about
from engine.tasks.training.choosing import Choice, choose
from engine.tasks.training.stopping import polite

EXAMPLES = """examples:
  python -m engine train linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ --model linking.zip
  python -m engine train coreference --train train.conll.gz --learner delayed-laso --set features=local --model c.zip

Ctrl-C keeps the model of the last finished round; the same command with --resume goes on from there."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "train", help="learn a model", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_learning(parser)
    parser.add_argument("--model", type=Path, required=True, metavar="OUT", help="the model file to write")
    parser.add_argument("--resume", action="store_true", help="resume a training that was stopped, from OUT.resume")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    info = task.learner(args.learner, args.preset)
    settings = options.settings_of(info.settings, args.settings)
    resources = options.resources_of(args)
    options.warn_alone(task, info.name, settings, resources)
    options.check_output(args, "model")
    reveal.check(args, args.dev, made=args.model)
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    reveal.tell_overlap(train, dev)
    if not train:
        raise InputError("there is no document to learn from", file=args.train[0])
    checkpoint = Checkpoint(
        args.model.with_name(f"{args.model.name}.resume"), about(info.name, settings, train, dev, resources)
    )
    resume = checkpoint.read() if args.resume else None
    last: TrainingRound[Any, Any] | None = None
    choice: Choice | None = None
    interrupted = False
    try:
        with options.naming([*args.train, *args.dev]), polite(signal.SIGINT) as stop:
            settings, choice = _chosen(args, task, train, info.name, settings, resources)
            rounds = task.rounds(train, dev, info.name, settings, resources, resume=resume)
            for last in progress(rounds, quiet=args.quiet):
                if stop.asked:
                    interrupted = True
                    checkpoint.keep(last)
                    break
                checkpoint.offer(last)
    except KeyboardInterrupt:
        interrupted = True
    if last is None and not interrupted:
        raise InputError("the learner made no round" if resume is None else "this training was complete")
    if last is None:
        print("interrupted before the first round: no model was written", file=sys.stderr)
        return 2
    if not interrupted:
        checkpoint.remove()
    told = "" if choice is None else choice.sentence
    model = dataclasses.replace(last.model, data_hash=corpora.data_hash(train), chosen=told)
    if dev and not interrupted:
        scored = task.scored(dev, model)
        model = dataclasses.replace(model, scores=task.evaluate(dev, task.decide(scored), scored))
    save_model(task, model, args.model)
    options.tell_training(model)
    _tell(args, task, model, last, interrupted)
    return 2 if interrupted else 0


def _chosen(
    args: argparse.Namespace,
    task: AnyTask,
    train: Sequence[Document],
    learner: str,
    settings: Settings,
    resources: Resources,
) -> tuple[Settings, Choice | None]:
    """The settings, with those that depend on the amount of data chosen unless set on the command line."""

    def watch(what: str, done: int, total: int) -> None:
        if not args.quiet:
            print(f"choosing by cross-validation: {what} ({done + 1} of {total})", file=sys.stderr)

    fixed = [text.partition("=")[0] for text in args.settings]
    return choose(task, train, learner, settings, resources, fixed=fixed, watch=watch)


def progress(rounds: Any, *, quiet: bool = False) -> Any:
    """The same rounds, with a progress bar on stderr that shows the objective and the dev scores."""
    from tqdm import tqdm

    # Shown from the start, since the first round may take long. None: on a terminal, not in a log.
    disable = True if quiet else None
    bar: Any = tqdm(desc="preparing", unit="round", file=sys.stderr, disable=disable, dynamic_ncols=True)
    try:
        for one in rounds:
            bar.set_description("training", refresh=False)
            bar.total = one.total
            bar.n = one.index
            scores = {name: f"{100 * value:.1f}" for name, value in one.scores.items()}
            bar.set_postfix({"objective": f"{one.objective:.4g}", **scores}, refresh=False)
            bar.refresh()
            yield one
    finally:
        bar.close()


def _tell(
    args: argparse.Namespace, task: AnyTask, model: AnyModel, last: TrainingRound[Any, Any], interrupted: bool
) -> None:
    if args.json:
        options.print_json(
            {
                "model": str(args.model),
                "task": task.name,
                "learner": model.learner,
                "settings": dataclasses.asdict(model.settings),
                "rounds": last.index,
                "objective": last.objective,
                "bias": model.bias,
                "chosen": model.chosen,
                "dev": dict(model.scores),
                "notes": list(model.notes),
                "interrupted": interrupted,
            }
        )
        return
    state = "interrupted; kept" if interrupted else "wrote"
    print(f"{state} {args.model} ({model.learner}, {last.index} rounds, bias {model.bias:.3g})")
    if model.chosen:
        print(model.chosen)
    if model.scores:
        options.print_report({"dev": model.scores})
