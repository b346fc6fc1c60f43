"""tune: train every combination of a grid of settings, choose on dev, write the best model."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options, reveal
from engine.cli.models.train import progress
from engine.cli.progress import Clock
from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings
from engine.tasks.base import AnyModel, AnyTask, LearnerInfo, Resources
from engine.tasks.saving import save_model
from engine.tasks.training.reusing import reusing
from engine.workbench.experiments.choosing import Combination, Tried, attempts, best_of, name_of
from engine.workbench.experiments.running import final

EXAMPLES = """examples:
  python -m engine tune linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ --learner ssvm --model ssvm.zip
  python -m engine tune joint --train train.jsonl --dev dev.jsonl --grid classifier=logistic,winnow --model joint.zip
  python -m engine tune disambiguation --train train.jsonl --dev dev.jsonl --learner bsg --final --model bsg.zip

The best model so far is always in --model: Ctrl-C keeps it."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "tune", help="choose settings on dev", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_learning(parser)
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="KEY=V1,V2,...",
        help="values to try; may be repeated. Default: those of the paper, if it names any (`describe --learner`)",
    )
    parser.add_argument(
        "--final",
        action="store_true",
        help="train once more on train and dev together with the chosen settings, as the papers do",
    )
    parser.add_argument("--model", type=Path, required=True, metavar="OUT", help="file for the best model")
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    info = task.learner(args.learner, args.preset)
    options.check_output(args, "model")
    reveal.check(args, args.dev, made=args.model)
    if not args.dev:
        raise InputError("tune chooses on dev: name dev files with --dev")
    combinations = [
        (changes, options.settings_of(info.settings, [*args.settings, *changes]))
        for changes in itertools.product(*_axes(task, info, args.grid))
    ]
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    reveal.tell_overlap(train, dev)
    if not train:
        raise InputError("there is no document to learn from", file=args.train[0])
    resources = options.resources_of(args)
    tried: list[Tried] = []
    fixed = list(map(name_of, args.settings))
    interrupted = False
    clock = Clock(len(combinations) + args.final)
    try:
        with reusing():
            for one in _attempts(task, info, combinations, (train, dev), resources, args.model, fixed):
                tried.append(one)
                print(clock.done(f"{' '.join(one.changes)}: {100 * one.score:.2f} %"), file=sys.stderr)
            if args.final:
                best = best_of(tried).changes
                fixed += map(name_of, best)
                model, _ = final(task, (train, dev), info.name, dict(combinations)[best], resources, _watched, fixed)
                save_model(task, _made(model, [*train, *dev], best_of(tried)), args.model)
                print(clock.done("trained on train and dev"), file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
    _tell(args, tried, len(combinations), interrupted)
    return 2 if interrupted else 0


def _axes(task: AnyTask, info: LearnerInfo[Any], grid: Sequence[str]) -> list[list[str]]:
    """The values of each setting, in the form that `--set` takes."""
    if not grid and not info.grid:
        known = ", ".join(spec.name for spec in dataclasses.fields(info.settings))
        raise InputError(
            f"the paper names no values to try for {info.name} of {task.name}: give --grid KEY=V1,V2,..., KEY one of"
            f" {known}"
        )
    if not grid:
        return [[f"{name}={value}" for value in values] for name, values in info.grid.items()]
    axes = []
    for text in grid:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--grid takes KEY=V1,V2,..., not {text!r}")
        axes.append([f"{name}={value}" for value in values.split(",")])
    return axes


def _attempts(
    task: AnyTask,
    info: LearnerInfo[Any],
    combinations: Sequence[tuple[Combination, Settings]],
    data: tuple[Sequence[Document], Sequence[Document]],
    resources: Resources,
    target: Path,
    fixed: Collection[str],
) -> Iterator[Tried]:
    """Train one combination after the other. A better model is saved before its attempt is reported, so that stopping
    at any moment loses nothing that was reported."""
    best = float("-inf")
    for one in attempts(task, info.name, combinations, data, resources, _watched, fixed):
        options.tell_training(one.judged.model)
        if one.score > best:
            save_model(task, _made(one.judged.model, data[0], one), target)
            best = one.score
        yield one


def _watched(rounds: Any) -> Any:
    return progress(rounds)


def _made(model: AnyModel, learnt: Sequence[Document], chosen: Tried) -> AnyModel:
    """The model with a record of its training data and of the chosen settings' scores on dev."""
    return dataclasses.replace(model, scores=chosen.judged.report, data_hash=corpora.data_hash(learnt))


def _tell(args: argparse.Namespace, tried: Sequence[Tried], planned: int, interrupted: bool) -> None:
    best = best_of(tried) if tried else None
    if args.json:
        options.print_json(
            {
                "model": str(args.model) if best else None,
                "best": best.score if best else None,
                "tried": [{"settings": list(one.changes), "score": one.score} for one in tried],
                "interrupted": interrupted,
            }
        )
        return
    if interrupted:
        print(f"interrupted: {len(tried)} of {planned} combinations were tried", file=sys.stderr)
    if best is None:
        print("no combination was finished: no model was written", file=sys.stderr)
    else:
        print(f"wrote {args.model}: {' '.join(best.changes)}, dev {100 * best.score:.2f} %")
