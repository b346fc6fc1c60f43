"""train: learn a system from annotated files and write one model file."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.data.errors import InputError
from engine.tasks.base import AnyModel, AnyTask, TrainingRound, save_model
from engine.tasks.checkpoint import Checkpoint, about
from engine.tasks.stopping import polite

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
    parser.add_argument(
        "--resume", action="store_true", help="go on with a training that was stopped: OUT.resume says where it stood"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    info = task.learner(args.learner)
    settings = options.settings_of(info.settings, args.settings)
    resources = options.resources_of(args)
    options.check_output(args, "model")
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    if not train:
        raise InputError("there is no document to learn from", file=args.train[0])
    checkpoint = Checkpoint(
        args.model.with_name(f"{args.model.name}.resume"), about(info.name, settings, train, dev, resources)
    )
    resume = checkpoint.read() if args.resume else None
    last: TrainingRound[Any, Any] | None = None
    interrupted = False
    try:
        with options.naming([*args.train, *args.dev]), polite(signal.SIGINT) as stop:
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
    model = dataclasses.replace(last.model, data_hash=corpora.data_hash(train))
    if dev and not interrupted:
        scored = task.scored(dev, model)
        model = dataclasses.replace(model, scores=task.evaluate(dev, task.decide(scored), scored))
    save_model(task, model, args.model)
    _tell(args, task, model, last, interrupted)
    return 2 if interrupted else 0


def progress(rounds: Any, *, quiet: bool = False) -> Any:
    """The same rounds, with a bar on stderr that shows the objective and the dev scores."""
    from tqdm import tqdm

    bar: Any = None
    try:
        for one in rounds:
            if bar is None:
                bar = tqdm(total=one.total, unit="round", file=sys.stderr, disable=quiet, dynamic_ncols=True)
            bar.total = one.total
            bar.n = one.index
            scores = {name: f"{100 * value:.1f}" for name, value in one.scores.items()}
            bar.set_postfix({"objective": f"{one.objective:.4g}", **scores}, refresh=False)
            bar.refresh()
            yield one
    finally:
        if bar is not None:
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
                "dev": dict(model.scores),
                "interrupted": interrupted,
            }
        )
        return
    state = "interrupted; kept" if interrupted else "wrote"
    print(f"{state} {args.model} ({model.learner}, {last.index} rounds, bias {model.bias:.3g})")
    if model.scores:
        options.print_report({"dev": model.scores})
