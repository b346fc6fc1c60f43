"""evaluate: score a model, or anybody's predictions, against gold."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any

from engine.cli import blocks, options, reveal
from engine.cli.progress import Spool
from engine.data.errors import InputError
from engine.tasks.capabilities import ForcesDecisions
from engine.workbench.blocks.evaluating import Evaluated, Evaluating, evaluate
from engine.workbench.honesty import refuse_foreign

EXAMPLES = """examples:
  python -m engine evaluate linking --data dev.jsonl.gz --model linking.zip --json
  python -m engine evaluate joint --data dev.jsonl.gz --predictions theirs.jsonl --per-document
  python -m engine evaluate joint --data dev.jsonl.gz --model m.zip --constraints rules.toml
  python -m engine evaluate joint --data dev.jsonl.gz --scores theirs.jsonl --constraints rules.toml
  python -m engine evaluate joint --data dev.jsonl.gz --model m.zip --forced Work_For"""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "evaluate",
        help="score a model or predictions",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_task(parser)
    options.add_data(parser, "--data", "documents with gold", required=True)
    options.add_source(parser, predictions=True)
    parser.add_argument("--layer", metavar="NAME", help="where the predictions stand (default: in the place of gold)")
    options.add_constraints(parser)
    options.add_other_lexicon(parser)
    options.add_bias(parser)
    parser.add_argument("--per-document", action="store_true", help="also print the counts of each document")
    parser.add_argument(
        "--forced",
        nargs="?",
        const="Kill",
        metavar="RELATION",
        help="also: where the relation (default Kill) is known to hold, how often is the right pair named (joint)",
    )
    blocks.add_work(parser)
    reveal.add_reveal(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    if args.forced is not None and args.predictions is None and not isinstance(task, ForcesDecisions):
        raise InputError(f"{task.name} has no test of forced decisions")
    blocks.check_source(args)
    reveal.check(args, args.data, [args.model or args.scores or args.predictions])
    corpus = blocks.corpus_of(args.data, task, quiet=args.json, workers=blocks.workers(args))
    source = blocks.source_of(args, task, corpus)
    refuse_foreign(task, source.model, corpus)
    if not len(corpus):
        raise InputError("there is no document to score", file=args.data[0])
    blocks.warn_without_gold(task, corpus)
    running = blocks.running_of(args, corpus, source, quiet=args.json)
    found, listed = Evaluated(), Spool()
    work = Evaluating(source, args.per_document, corpus.look.asked, args.forced)
    with options.naming(args.data):
        for row in evaluate(work, corpus, running, found):
            listed.add(options.as_json(row))
    running.done()
    reveal.tell_learnt(source.model, corpus)
    blocks.tell_notes(task, found.tally("notes"))
    report = task.report(found.tally("scores"))
    if isinstance(task, ForcesDecisions) and "forced" in found.tallies:
        report["forced"] = task.forced_told(found.tally("forced"))
    if args.json and args.per_document:
        options.print_long_json(report, "per_document", listed)
    elif args.json:
        options.print_json(report)
    else:
        options.print_report(report)
        _print_rows(json.loads(line) for line in listed)
    return 0


def _print_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the rows tab-separated, for spreadsheets."""
    for number, row in enumerate(rows):
        if not number:
            print("\n" + "\t".join(row))
        print("\t".join(f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()))
