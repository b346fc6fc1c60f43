"""python -m engine convert: from any format we read to any we write."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.cli.progress import reading_bar
from engine.corpora import pasting, tables
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.plain_text import tokenised

EXAMPLES = """examples:
  python -m engine convert --from conll2012 --to jsonl dev.conll.gz dev.jsonl.gz
  python -m engine convert --from jsonl --to brat tweets.jsonl tweets/
  python -m engine convert --from auto --to nif tweets.jsonl tweets.ttl
  python -m engine convert --from csv --to jsonl --column text=tweet --column mention=name mine.csv mine.jsonl
  python -m engine convert --from plain --to jsonl --unit lines --words tweets.txt tweets.jsonl
"""


def add(subparsers: Any) -> None:
    names = ", ".join(corpora.FORMATS)
    parser = subparsers.add_parser(
        "convert",
        help="convert a corpus to another format",
        description=f"Turn a corpus into another format. Formats: {names}. Sidecars go with their file by name.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--from",
        dest="source_format",
        default="auto",
        metavar="FORMAT",
        help="what the file is (default: auto, by its name and content)",
    )
    parser.add_argument("--to", dest="target_format", required=True, metavar="FORMAT")
    parser.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help=f"of a table: which column is what, where its name does not say it; roles: {', '.join(tables.ROLES)}",
    )
    parser.add_argument("--row", choices=list(tables.KINDS), help="for tables: what a row is (default: by its columns)")
    parser.add_argument(
        "--unit",
        choices=list(pasting.UNITS),
        default="whole",
        help="for plain text: what a document is (default: a file)",
    )
    parser.add_argument("--words", action="store_true", help="split sentences and words if the file does not")
    parser.add_argument("--strict", action="store_true", help="fail if the target format cannot hold everything")
    options.add_json(parser)
    parser.add_argument("source", metavar="IN", type=Path)
    parser.add_argument("target", metavar="OUT", type=Path)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    target = corpora.by_name(args.target_format)
    if args.source_format != "auto":
        corpora.by_name(args.source_format)
    if args.source.resolve() == args.target.resolve():
        raise InputError("is both IN and OUT; name another file to write", file=args.target)
    passed = Passed()
    documents = _read(args)
    doing = f"converting {args.source.name}"
    with options.naming([args.source]), reading_bar(documents, doing, [args.source], quiet=args.json) as counted:
        corpora.write(_watched(counted, target, passed, args.strict), args.target, target.name)
    if args.json:
        options.print_json(
            {"out": str(args.target), "format": target.name, "documents": passed.documents, "lost": passed.lost}
        )
    else:
        options.warn_of_losses(target, passed.lost)
        print(f"wrote {args.target}: {passed.documents} documents")
    return 0


def _read(args: argparse.Namespace) -> Iterator[Document]:
    """The documents of IN, changed according to the options."""
    format = None if args.source_format == "auto" else corpora.by_name(args.source_format).name
    found: Iterable[Document]
    if args.column or args.row:
        if (format or corpora.detect(args.source).name) not in ("csv", "xlsx", "table"):
            raise InputError("is not a table whose columns could be named", file=args.source)
        found = tables.read(args.source, _told(args.column), args.row)
    else:
        found = corpora.stream(args.source, format)
    if args.unit != "whole":
        found = (piece for document in found for piece in pasting.cut(document.text, args.unit, document.id))
    return map(tokenised, found) if args.words else iter(found)


def _told(pairs: Sequence[str]) -> dict[str, str]:
    told = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not equals:
            raise InputError(f"--column {pair!r} is not ROLE=NAME")
        told[role] = name
    return told


@dataclass
class Passed:
    """Statistics of a conversion: the number of documents, and what the target format cannot hold."""

    documents: int = 0
    lost: list[str] = field(default_factory=list)


def _watched(documents: Iterable[Document], target: corpora.Format, passed: Passed, strict: bool) -> Iterator[Document]:
    losses = target.module.losses
    for document in documents:
        for loss in losses(document):
            if strict:
                raise InputError(f"document {document.id!r}: {target.title} cannot hold {loss}")
            if loss not in passed.lost:
                passed.lost.append(loss)
        passed.documents += 1
        yield document
