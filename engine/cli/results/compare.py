"""compare: two or more systems on the same gold, with paired intervals and p-values."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.cli.results.evaluate import matched
from engine.corpora.scores.records import has_scores
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.metrics.significance import ScoreDifference, as_counts
from engine.tasks.base import AnyTask, load_model
from engine.tasks.outside import read_scores
from engine.workbench.comparison import beside_first, compare, leaderboard, main_judged
from engine.workbench.report import System

EXAMPLES = """example:
  python -m engine compare linking --data dev.jsonl.gz --systems smart.zip mart.zip
  python -m engine compare joint --data dev.jsonl --systems ours.zip theirs.jsonl --json
  python -m engine compare linking --data dev.jsonl.gz --systems smart.zip mart.zip ssvm.zip

A system is a model file (.zip), a file of scores of another program (.jsonl with "parts"), or a file of predictions.
Two systems are compared by every score; of more, each is compared with the first by the system's main score."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="two or more systems side by side",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_data(parser, "--data", "documents with gold", required=True)
    parser.add_argument(
        "--systems",
        nargs="+",
        type=Path,
        required=True,
        metavar=("A", "B"),
        help="models, scores or predictions, two or more",
    )
    parser.add_argument("--samples", type=options.count, default=2000, help="draws of the paired tests (default 2000)")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    gold = options.read_all(args.data)
    if not gold:
        raise InputError("there is no document to compare on", file=args.data[0])
    options.warn_without_gold(task, gold)
    if len(args.systems) < 2:
        raise InputError("there is nothing to compare with: name two systems or more with --systems")
    if len(args.systems) > 2:
        return run_many(args, task, gold)
    first, second = (system(task, path, gold) for path in args.systems)
    result = compare(
        task, gold, first.layers, second.layers, scored=(first.scored, second.scored), samples=args.samples
    )
    if args.json:
        options.print_json(dataclasses.asdict(result))
        return 0
    print(f"A is {args.systems[0]}, B is {args.systems[1]}, over {len(gold)} documents")
    print(f"{'score':<14}{'A':>8}{'B':>8}{'B - A':>8}   {'95 % interval':<18}{'p':>7}{'p (Holm)':>10}")
    for one in result.scores:
        d = one.difference
        print(
            f"{one.name:<14}{100 * one.first:8.1f}{100 * one.second:8.1f}{100 * d.value:+8.1f}   {_interval(d):<18}"
            f"{one.p_permutation:7.3f}{one.p_corrected:10.3f}"
        )
    return 0


def run_many(args: argparse.Namespace, task: AnyTask, gold: list[Document]) -> int:
    """All systems in one table: every score of each, and its difference from the first by the main score."""
    names = [str(path) for path in args.systems]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{twice} is named twice; of more than two systems each has to be another")
    layers = {name: system(task, path, gold).layers for name, path in zip(names, args.systems, strict=True)}
    rows = beside_first(task, gold, layers, samples=args.samples)
    letters = {one.name: one.letters for one in leaderboard(task, gold, layers, samples=args.samples)}
    main = main_judged(task, gold)
    called = task.main_name if main == task.main_score[-1] else main
    scores = {name: score_values(task, gold, found) for name, found in layers.items()}
    if args.json:
        systems = [
            {**dataclasses.asdict(one), "scores": scores[one.name], "letters": letters[one.name]} for one in rows
        ]
        options.print_json({"n_documents": len(gold), "score": main, "systems": systems})
        return 0
    wide = max(len(name) for name in ("system", *names)) + 2
    columns = {name: max(8, len(name) + 2) for name in task.judged(gold)}
    head = "".join(f"{name:>{width}}" for name, width in columns.items())
    print(f"{'system':<{wide}}{head}{'- first':>9}   {'95 % interval':<18}{'p':>7}{'p (Holm)':>10}  letters")
    for one in rows:
        values = "".join(f"{100 * scores[one.name][name]:{width}.1f}" for name, width in columns.items())
        if one.difference is None:
            tested = f"{'':>9}   {'':<18}{'':>7}{'':>10}"
        else:
            tested = (
                f"{100 * one.difference.value:+9.1f}   {_interval(one.difference):<18}"
                f"{one.p_permutation:7.3f}{one.p_corrected:10.3f}"
            )
        print(f"{one.name:<{wide}}{values}{tested}  {letters[one.name]}")
    print(
        f"\n'- first' is {called} minus that of {names[0]}, over {len(gold)} documents; p (Holm) is corrected"
        f" for {len(rows) - 1} differences.\nSystems that share a letter do not differ significantly"
        " (all pairs, permutation, Holm, 5 %)."
    )
    return 0


def score_values(task: AnyTask, gold: list[Document], layers: Sequence[Layer]) -> dict[str, float]:
    """Every score that the task can test, of all documents together."""
    rows = task.counts(gold, layers)
    return {
        name: float(statistic(as_counts(rows, columns).sum(axis=0)))
        for name, (columns, statistic) in task.judged(gold).items()
    }


def _interval(difference: ScoreDifference) -> str:
    return f"{100 * difference.low:+.1f} ... {100 * difference.high:+.1f}"


def system(task: AnyTask, path: Path, gold: list[Document]) -> System:
    """Predicted layers of a model file, or of a file of scores or predictions."""
    if path.suffix == ".zip":
        scored = task.scored(gold, load_model(task, path))
        return System(task.decide(scored), scored)
    if task.exchange is not None and path.is_file() and has_scores(path):
        scored = read_scores(task, path, gold)
        return System(task.decide(scored), scored)
    return System(matched(gold, options.read_all([path]), path))
