"""compare: two or more systems on the same gold, with paired intervals and p-values."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.cli import blocks, options, reveal
from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.significance import ScoreDifference
from engine.tasks.base import AnyTask
from engine.workbench.blocks.comparing import Compared, compare_sources
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.sources import Source
from engine.workbench.comparison import (
    Counted,
    beside_first_counts,
    compare_counts,
    leaderboard_counts,
    main_judged,
)
from engine.workbench.honesty import apart, starting_point
from engine.workbench.verdicts import of_comparison, p_in_words

EXAMPLES = """example:
  python -m engine compare linking --data dev.jsonl.gz --systems smart.zip mart.zip
  python -m engine compare joint --data dev.jsonl --systems ours.zip theirs.jsonl --json
  python -m engine compare linking --data dev.jsonl.gz --systems smart.zip mart.zip ssvm.zip

A system is a model file (.zip), a file of scores of another program (.jsonl with "parts"), or a file of predictions.
Two systems are compared by every score; of more, each is compared with the first by the system's main score."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "compare",
        help="compare two or more systems",
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
    parser.add_argument(
        "--samples", type=options.count, default=2000, help="resamples in the paired tests (default 2000)"
    )
    blocks.add_work(parser)
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    reveal.check(args, args.data, args.systems)
    corpus = blocks.corpus_of(args.data, task, quiet=args.json, workers=blocks.workers(args))
    if not len(corpus):
        raise InputError("there is no document to compare on", file=args.data[0])
    blocks.warn_without_gold(task, corpus)
    if len(args.systems) < 2:
        raise InputError("there is nothing to compare with: name two systems or more with --systems")
    names = [str(path) for path in args.systems]
    twice = next((name for name in names if names.count(name) > 1), None)
    if len(names) > 2 and twice is not None:
        raise InputError(f"{twice} is named twice; of more than two systems each has to be another")
    sources = [blocks.system_of(path, task, corpus) for path in args.systems]
    comparable = _mind_apart(task, corpus, dict(zip(names, sources, strict=True)))
    running = blocks.running_of(args, corpus, *sources, quiet=args.json)
    with options.naming(args.data):
        found = compare_sources(sources, corpus, running)
    running.done()
    if len(found) > 2:
        return tell_many(args, task, corpus, dict(zip(names, found, strict=True)))
    judged = task.judged(corpus.look.kinds)
    reports = [task.report(one.tally) for one in found]
    result = compare_counts(judged, [one.counted for one in found], reports, samples=args.samples)
    if args.json:
        options.print_json(dataclasses.asdict(result))
        return 0
    main = main_judged(task, corpus.look.kinds)
    called = task.main_name if main == task.main_score[-1] else main
    if comparable:
        print(of_comparison(result, main, called, task.unit))
    print(f"A is {names[0]}, B is {names[1]}, over {len(corpus)} documents")
    print(f"{'score':<14}{'A':>8}{'B':>8}{'B - A':>8}   {'95 % interval':<18}{'p':>8}{'p (Holm)':>10}")
    for one in result.scores:
        d = one.difference
        print(
            f"{one.name:<14}{100 * one.first:8.1f}{100 * one.second:8.1f}{100 * d.value:+8.1f}   {_interval(d):<18}"
            f"{p_in_words(one.p_permutation):>8}{p_in_words(one.p_corrected):>10}"
        )
    return 0


def tell_many(args: argparse.Namespace, task: AnyTask, corpus: Corpus, found: Mapping[str, Compared]) -> int:
    """All systems in one table: every score of each, and its difference from the first by the main score."""
    kinds = corpus.look.kinds
    counted = {name: one.counted for name, one in found.items()}
    main = main_judged(task, kinds)
    chosen = task.statistics()[main]
    rows = beside_first_counts(chosen, counted, samples=args.samples)
    letters = {one.name: one.letters for one in leaderboard_counts(chosen, counted, samples=args.samples)}
    called = task.main_name if main == task.main_score[-1] else main
    scores = {name: score_values(task, kinds, one) for name, one in counted.items()}
    if args.json:
        told = [{**dataclasses.asdict(one), "scores": scores[one.name], "letters": letters[one.name]} for one in rows]
        options.print_json({"n_documents": len(corpus), "score": main, "systems": told})
        return 0
    wide = max(len(name) for name in ("system", *found)) + 2
    columns = {name: max(8, len(name) + 2) for name in task.judged(kinds)}
    head = "".join(f"{name:>{width}}" for name, width in columns.items())
    print(f"{'system':<{wide}}{head}{'- first':>9}   {'95 % interval':<18}{'p':>8}{'p (Holm)':>10}  letters")
    for one in rows:
        values = "".join(f"{100 * scores[one.name][name]:{width}.1f}" for name, width in columns.items())
        if one.difference is None:
            tested = f"{'':>9}   {'':<18}{'':>8}{'':>10}"
        else:
            tested = (
                f"{100 * one.difference.value:+9.1f}   {_interval(one.difference):<18}"
                f"{_p(one.p_permutation):>8}{_p(one.p_corrected):>10}"
            )
        print(f"{one.name:<{wide}}{values}{tested}  {letters[one.name]}")
    print(
        f"\n'- first' is {called} minus that of {next(iter(found))}, over {len(corpus)} documents; p (Holm) is"
        f" corrected for {len(rows) - 1} differences.\nSystems that share a letter do not differ significantly"
        " (all pairs, permutation, Holm, 5 %)."
    )
    return 0


def _mind_apart(task: AnyTask, corpus: Corpus, sources: Mapping[str, Source]) -> bool:
    """Check whether the systems are given the same input besides the text: if not, two are compared with a note, more
    are not ranked."""
    kinds = corpus.look.kinds
    why = apart({name: starting_point(task, source.model, kinds) for name, source in sources.items()})
    if why and len(sources) > 2:
        raise InputError(f"{why}; rank them apart")
    if why:
        options.print_note(why)
    return not why


def score_values(task: AnyTask, kinds: Sequence[Document], counted: Counted) -> dict[str, float]:
    """Every score that the task can test, over all documents."""
    return {
        name: float(statistic(counted.columns(columns).sum(axis=0)))
        for name, (columns, statistic) in task.judged(kinds).items()
    }


def _p(p: float | None) -> str:
    return "" if p is None else p_in_words(p)


def _interval(difference: ScoreDifference) -> str:
    return f"{100 * difference.low:+.1f} ... {100 * difference.high:+.1f}"
