"""bags build: entity pairs with their sentences and relations, from linked documents and a table of facts."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import blocks, options
from engine.cli.progress import bar
from engine.corpora.io.aside import Aside
from engine.data.document import Document

EXAMPLES = """example:
  python -m engine bags build --data news.jsonl --facts facts.tsv --nil 0.3 --out bags.jsonl

facts.tsv has one fact per line, tab-separated: first entity, relation, second entity."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "bags",
        help="build bags for distant supervision",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = actions.add_parser(
        "build",
        help="align documents with a table of facts",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_data(build, "--data", "documents with entity links", required=True)
    options.add_data(build, "--facts", "tables of facts (tab-separated)", required=True)
    build.add_argument("--names", action="store_true", help="match mentions by their text, for documents without links")
    build.add_argument(
        "--nil", type=options.share, default=1.0, metavar="SHARE", help="share of the pairs without facts that is kept"
    )
    build.add_argument("--seed", type=int, default=0)
    build.add_argument("--out", type=Path, required=True, metavar="FILE", help="the bags, as JSON lines")
    options.add_json(build)
    build.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from engine.features.distant.alignment import build_bags, read_facts

    options.check_output(args, "out")
    facts = read_facts(args.facts)
    corpus = blocks.corpus_of(args.data, None, quiet=args.json)
    passed = dict.fromkeys(("bags", "positive", "mentions"), 0)
    with options.naming(args.data), bar(corpus, "aligning", quiet=args.json) as documents:
        bags = build_bags(documents, facts, Aside(), by_name=args.names, nil_share=args.nil, seed=args.seed)
        corpora.write(_counted(bags, passed), args.out, "jsonl")
    if args.json:
        options.print_json({**passed, "out": str(args.out)})
    else:
        found = f"{passed['bags']} bags ({passed['positive']} with a relation), {passed['mentions']} mentions"
        print(f"wrote {args.out}: {found}")
    return 0


def _counted(bags: Iterable[Document], passed: dict[str, int]) -> Iterator[Document]:
    for bag in bags:
        passed["bags"] += 1
        passed["positive"] += bool(bag.gold.labels)
        passed["mentions"] += len(bag.bag.members) if bag.bag else 0
        yield bag
