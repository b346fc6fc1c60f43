"""compare: two systems on the same gold, with paired intervals and p-values."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.cli.evaluate import matched
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.base import Model, Task, load_model
from engine.tasks.comparison import compare

EXAMPLES = """example:
  python -m engine compare linking --data dev.jsonl.gz --systems smart.zip mart.zip
  python -m engine compare joint --data dev.jsonl --systems ours.zip theirs.jsonl --json

A system is a model file (.zip) or a file of predictions."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="two systems side by side",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_data(parser, "--data", "documents with gold", required=True)
    parser.add_argument(
        "--systems", nargs=2, type=Path, required=True, metavar=("A", "B"), help="models or predictions"
    )
    parser.add_argument("--samples", type=int, default=2000, help="draws of the paired tests (default 2000)")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    gold = options.read_all(args.data)
    if not gold:
        raise InputError("there is no document to compare on", file=args.data[0])
    (first, a), (second, b) = (system(task, path, gold) for path in args.systems)
    result = compare(task, gold, first, second, models=(a, b), samples=args.samples)
    if args.json:
        options.print_json(dataclasses.asdict(result))
        return 0
    print(f"{'score':<14}{'A':>8}{'B':>8}{'B - A':>8}   {'95 % interval':<18}{'p':>7}{'p (Holm)':>10}")
    for one in result.scores:
        d = one.difference
        interval = f"{100 * d.low:+.1f} ... {100 * d.high:+.1f}"
        print(
            f"{one.name:<14}{100 * one.first:8.1f}{100 * one.second:8.1f}{100 * d.value:+8.1f}   {interval:<18}"
            f"{one.p_permutation:7.3f}{one.p_corrected:10.3f}"
        )
    return 0


def system(task: Task, path: Path, gold: list[Document]) -> tuple[list[Layer], Model | None]:
    """Predicted layers of a model file, or of a file of predictions."""
    if path.suffix == ".zip":
        model = load_model(task, path)
        return task.predict(gold, model), model
    return matched(gold, options.read_all([path]), path), None
