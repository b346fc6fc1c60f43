"""python -m engine split: a corpus into train, dev and test, without near-duplicates on both sides."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.corpora.splitting import SHARES, split
from engine.data.errors import InputError

EXAMPLES = """examples:
  python -m engine split mine.jsonl --out mine/                 # mine/train.jsonl, mine/dev.jsonl, mine/test.jsonl
  python -m engine split mine.csv --out mine/ --shares train=0.7 dev=0.15 test=0.15 --seed 3
"""


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "split",
        help="divide a corpus into train, dev and test",
        description="Divide a corpus by document; documents that are nearly the same stay together.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where to write, as JSON lines")
    usual = " ".join(f"{name}={share}" for name, share in SHARES.items())
    parser.add_argument("--shares", nargs="+", metavar="NAME=SHARE", help=f"default: {usual}")
    parser.add_argument("--seed", type=int, default=0, help="seed of the random division (default 0)")
    options.add_json(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    parts = split(corpora.read(args.data), _shares(args.shares) if args.shares else SHARES, seed=args.seed)
    files = {name: args.out / f"{name}.jsonl" for name in parts}
    there = [path for path in files.values() if path.exists()]
    if there:
        raise InputError("exists already; name another folder", file=there[0])
    args.out.mkdir(parents=True, exist_ok=True)
    for name, documents in parts.items():
        corpora.write(documents, files[name])
    told = {name: {"out": str(files[name]), "documents": len(documents)} for name, documents in parts.items()}
    if args.json:
        options.print_json(told)
    else:
        for one in told.values():
            print(f"wrote {one['out']}: {one['documents']} documents")
    return 0


def _shares(pairs: list[str]) -> dict[str, float]:
    shares = {}
    for pair in pairs:
        name, _, share = pair.partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise InputError(f"--shares {pair!r} is not NAME=SHARE") from None
        if not name.isidentifier():
            raise InputError(f"{name!r} cannot be the name of a split")
    return shares
