"""tune: train every combination of a grid of settings, choose on dev, write the best model."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
from collections import deque
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.cli.train import check_can_write, progress
from engine.data.errors import InputError
from engine.tasks.base import Model, save_model

EXAMPLES = """example:
  python -m engine tune linking --train train.jsonl --dev dev.jsonl --lexicon lexicon/ --learner ssvm \\
      --grid C=0.5,1,5,10 --model ssvm.zip"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "tune", help="choose settings on dev", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_learning(parser)
    parser.add_argument(
        "--grid", action="append", required=True, metavar="KEY=V1,V2,...", help="values to try; may be repeated"
    )
    parser.add_argument("--model", type=Path, required=True, metavar="OUT", help="the best model's file")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    info = task.learner(args.learner)
    check_can_write(args.model)
    if not args.dev:
        raise InputError("tune chooses on dev: name dev files with --dev")
    axes = []
    for text in args.grid:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--grid takes KEY=V1,V2,..., not {text!r}")
        axes.append([f"{name}={value}" for value in values.split(",")])
    combinations = [
        (changes, options.settings_of(info.settings, [*args.settings, *changes]))
        for changes in itertools.product(*axes)
    ]
    train, dev = options.read_all(args.train), options.read_all(args.dev)
    resources = options.resources_of(args)
    table: list[tuple[tuple[str, ...], float]] = []
    best: tuple[float, Model] | None = None
    for changes, settings in combinations:
        last = deque(progress(task.rounds(train, dev, info.name, settings, resources)), maxlen=1)
        if not last:
            raise InputError("training made no round", file=args.train[0])
        report = task.evaluate(dev, task.predict(dev, last[0].model), last[0].model)
        score = task.main_number(report)
        table.append((changes, score))
        print(f"{' '.join(changes):<40} {100 * score:6.2f} %", file=sys.stderr)
        if best is None or score > best[0]:
            best = score, dataclasses.replace(last[0].model, scores=report, data_hash=corpora.data_hash(train))
    if best is None:
        raise InputError("the grid is empty")
    save_model(task, best[1], args.model)
    if args.json:
        options.print_json(
            {
                "model": str(args.model),
                "best": best[0],
                "tried": [{"settings": list(changes), "score": score} for changes, score in table],
            }
        )
    else:
        chosen = max(table, key=lambda row: row[1])[0]
        print(f"wrote {args.model}: {' '.join(chosen)}, dev {100 * best[0]:.2f} %")
    return 0
