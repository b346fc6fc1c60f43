"""tune: train every combination of a grid of settings, choose on dev, write the best model."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.cli.models.train import progress
from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings
from engine.tasks.base import AnyTask, LearnerInfo, Resources, save_model

EXAMPLES = """examples:
  python -m engine tune linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ --learner ssvm --model ssvm.zip
  python -m engine tune joint --train train.jsonl --dev dev.jsonl --grid classifier=logistic,winnow --model joint.zip

The best model so far is always in --model: Ctrl-C keeps it."""


@dataclass(frozen=True)
class Tried:
    """A combination, its score on dev, and whether its model was the best until then."""

    changes: tuple[str, ...]
    score: float
    kept: bool


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
        help="values to try; may be repeated. Default: what the paper tries, where it says so:"
        " C=0.5,1,5,10 for linking's ssvm and poly-ssvm",
    )
    parser.add_argument("--model", type=Path, required=True, metavar="OUT", help="the best model's file")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    info = task.learner(args.learner)
    options.check_output(args, "model")
    if not args.dev:
        raise InputError("tune chooses on dev: name dev files with --dev")
    combinations = [
        (changes, options.settings_of(info.settings, [*args.settings, *changes]))
        for changes in itertools.product(*_axes(task, info, args.grid))
    ]
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    if not train:
        raise InputError("there is no document to learn from", file=args.train[0])
    resources = options.resources_of(args)
    tried: list[Tried] = []
    interrupted = False
    try:
        for one in _attempts(task, info, combinations, train, dev, resources, args.model):
            tried.append(one)
            print(f"{' '.join(one.changes):<40} {100 * one.score:6.2f} %", file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
    _tell(args, tried, len(combinations), interrupted)
    return 2 if interrupted else 0


def _axes(task: AnyTask, info: LearnerInfo[Any], grid: Sequence[str]) -> list[list[str]]:
    """Per setting its values, each as `--set` takes it."""
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
    combinations: Sequence[tuple[tuple[str, ...], Settings]],
    train: Sequence[Document],
    dev: Sequence[Document],
    resources: Resources,
    target: Path,
) -> Iterator[Tried]:
    """Train one combination after the other. A better model is on disk before its attempt is told of, so that
    stopping at any moment loses nothing that was told."""
    best = float("-inf")
    data_hash = corpora.data_hash(train)
    for changes, settings in combinations:
        last = deque(progress(task.rounds(train, dev, info.name, settings, resources)), maxlen=1)
        if not last:
            raise InputError("training made no round")
        scored = task.scored(dev, last[0].model)
        report = task.evaluate(dev, task.decide(scored), scored)
        score = task.main_number(report)
        better = score > best
        if better:
            save_model(task, dataclasses.replace(last[0].model, scores=report, data_hash=data_hash), target)
            best = score
        yield Tried(changes, score, better)


def _tell(args: argparse.Namespace, tried: Sequence[Tried], planned: int, interrupted: bool) -> None:
    best = next((one for one in reversed(tried) if one.kept), None)
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
