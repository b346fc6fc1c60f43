"""python -m engine check: read a corpus and say what each system can do with it, what it lacks, and how to get it."""

from __future__ import annotations

import argparse
from itertools import combinations
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.corpora.splits import overlap
from engine.tasks import registry

EXAMPLES = """examples:
  python -m engine check mine.csv
  python -m engine check train.jsonl dev.jsonl test.jsonl      # also what they share
  python -m engine check texts.zip --json
"""


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "check",
        help="what each system can do with a corpus",
        description="Read corpora and say for each system whether it can use them, or what is missing and how to get"
        " it; for several, also which documents they share.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", nargs="+", type=Path, metavar="FILE", help="corpora in any format")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    read = {str(path): corpora.read(path) for path in args.data}
    told: dict[str, Any] = {"corpora": {}, "shared": []}
    for name, documents in read.items():
        ready = {task: registry.get(task).readiness(documents) for task in registry.names()}
        told["corpora"][name] = {
            "documents": len(documents),
            "systems": {
                task: {"usable": one.verdict, "says": one.says, "remedy": one.remedy} for task, one in ready.items()
            },
        }
        if not args.json:
            print(f"{name}: {len(documents)} documents")
            for task, one in ready.items():
                print(f"  {task:15} {one.title}: {one.says}" + (f" {one.remedy}" if one.remedy else ""))
    for (first, ours), (second, theirs) in combinations(read.items(), 2):
        sentence = overlap(ours, theirs).sentence(first, second)
        if sentence:
            told["shared"].append(sentence)
            if not args.json:
                print(sentence)
    if args.json:
        options.print_json(told)
    return 0
