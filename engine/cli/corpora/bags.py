"""bags build: entity pairs with their sentences and relations, from linked documents and a table of facts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options

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
        "--nil", type=options.share, default=1.0, metavar="SHARE", help="share of pairs without facts to keep"
    )
    build.add_argument("--seed", type=int, default=0)
    build.add_argument("--out", type=Path, required=True, metavar="FILE", help="the bags, as JSON lines")
    options.add_json(build)
    build.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from engine.features.distant.alignment import build_bags, read_facts

    options.check_output(args, "out")
    facts = read_facts(args.facts)
    bags = build_bags(options.read_all(args.data), facts, by_name=args.names, nil_share=args.nil, seed=args.seed)
    corpora.write(bags, args.out, "jsonl")
    positive = sum(bool(bag.gold.labels) for bag in bags)
    mentions = sum(len(bag.bag.members) for bag in bags if bag.bag)
    if args.json:
        options.print_json({"bags": len(bags), "positive": positive, "mentions": mentions, "out": str(args.out)})
    else:
        print(f"wrote {args.out}: {len(bags)} bags ({positive} with a relation), {mentions} mentions")
    return 0
