"""evaluate: score a model, or anybody's predictions, against gold."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.corpora.answers import answers
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.capabilities import ForcesDecisions

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
    parser.add_argument("--per-document", action="store_true", help="also the counts of each document")
    parser.add_argument(
        "--forced",
        nargs="?",
        const="Kill",
        metavar="RELATION",
        help="also: where the relation (default Kill) is known to hold, how often is the right pair named (joint)",
    )
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    task = options.task_of(args)
    for name in ("bias", "constraints", "lexicon", "forced"):
        if args.predictions is not None and getattr(args, name) is not None:
            raise InputError(f"--{name} needs --model or --scores: predictions are decided already")
    if args.predictions is None and args.layer is not None:
        raise InputError("--layer needs --predictions: it says where in the file they stand")
    source = None if args.predictions is not None else options.source_of(args, task)
    gold = options.read_all(args.data, quiet=args.json)
    if not gold:
        raise InputError("there is no document to score", file=args.data[0])
    options.warn_without_gold(task, gold)
    scored = None
    if source is None:
        read = options.read_all([args.predictions], quiet=args.json)
        predicted = matched(gold, read, args.predictions, args.layer)
    else:
        with options.naming(args.data):
            scored = source.scored(gold, args.bias)
            predicted = task.decide(scored)
        options.tell_notes(task, scored)
    report = task.evaluate(gold, predicted, scored)
    if scored is not None and args.forced is not None:
        if not isinstance(task, ForcesDecisions):
            raise InputError(f"{task.name} has no test of forced decisions")
        report["forced"] = task.forced_decisions(scored, args.forced)
    rows: list[dict[str, Any]] = []
    if args.per_document:
        counts = task.counts(gold, predicted)
        rows = [{"id": document.id, **row} for document, row in zip(gold, counts, strict=True)]
    if args.json:
        options.print_json(report | ({"per_document": rows} if rows else {}))
        return 0
    options.print_report(report)
    if rows:
        # Tab-separated, so that a spreadsheet takes it.
        print("\n" + "\t".join(rows[0]))
        for row in rows:
            print("\t".join(f"{value:g}" if isinstance(value, float) else str(value) for value in row.values()))
    return 0


def matched(
    gold: Sequence[Document], predicted: Sequence[Document], file: Path, layer: str | None = None
) -> list[Layer]:
    """The predicted layer of every gold document, by id."""
    layers = answers(gold, predicted, layer=layer, file=file)
    missing = [document.id for document in gold if document.id not in layers]
    if missing:
        raise InputError(
            f"there is no prediction for document {missing[0]!r} ({len(missing)} missing in all)", file=file
        )
    return [layers[document.id] for document in gold]
