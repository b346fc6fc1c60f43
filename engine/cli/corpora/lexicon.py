"""lexicon: build the mapped lexicon from text files, or look names up in it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sized
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from engine.cli import options
from engine.cli.progress import bar, reading_bar
from engine.data.errors import InputError

if TYPE_CHECKING:
    from engine.lexicon.lexicon import Lexicon

DUMPS: Final = ("wikipedia-xml", "wikidata-json", "dbpedia-ttl")

EXAMPLES = """examples:
  python -m engine lexicon build lexicon/ --out built/
  python -m engine lexicon build surfaces.jsonl.gz entities.tsv.gz --out built/
  python -m engine lexicon build enwiki-pages-articles.xml.bz2 --from wikipedia-xml --out built/
  python -m engine lexicon build enwiki.xml.bz2 --from wikipedia-xml --views pageviews-202401-user.bz2 --out built/
  python -m engine lexicon look built/ "giants beat @NYGiants"

A surface file has one {"surface": text, "entities": [[title, count, [source, ...]], ...]} per line. Further files by
name: entities*.tsv (title, in_count, popularity, class, types, views, occupation), descriptions*.tsv (title, text),
links*.tsv (title, titles of the pages that link to it with | between); each may end in .gz.

With --from the files are dumps, plain, .gz or .bz2: wikipedia-xml (pages-articles), wikidata-json (one entity per
line; English), dbpedia-ttl (labels, redirects, disambiguations, types, page links, ...). --views adds how often pages
were read, from Wikimedia's files of an hour or a month. --keep FOLDER keeps the text files that were made of them, to
be built together with others."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "lexicon",
        help="build a lexicon, look up names",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = actions.add_parser("build", help="build a memory-mapped lexicon from text files")
    build.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files, or a folder of them")
    build.add_argument("--from", dest="dump", choices=DUMPS, help="the files are dumps of this kind")
    build.add_argument(
        "--views", nargs="+", type=Path, default=[], metavar="FILE", help="with --from: page views, from Wikimedia"
    )
    build.add_argument("--keep", type=Path, metavar="FOLDER", help="with --from: where to keep the text files")
    build.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to write")
    options.add_json(build)
    build.set_defaults(run=run_build)
    look = actions.add_parser("look", help="entities that the names in a text may mean")
    look.add_argument("lexicon", type=Path, help="a built lexicon")
    look.add_argument("text")
    options.add_json(look)
    look.set_defaults(run=run_look)


def _built(args: argparse.Namespace) -> Lexicon:
    from engine.lexicon.build import build, find_files
    from engine.lexicon.dumps.reading import read_dumps

    def watched(files: list[Path]) -> Lexicon:
        return build(files, partial(_watched, find_files(files), args.json))

    if args.dump is None:
        return watched(args.files)
    with TemporaryDirectory(dir=args.out.parent, prefix="lexicon-") as scratch:
        texts = args.keep or Path(scratch) / "texts"
        texts.mkdir(exist_ok=True)
        read_dumps(args.dump, args.files, texts, Path(scratch), args.views)
        return watched([texts])


def _watched(read: Mapping[str, list[Path]], quiet: bool, items: Iterable[Any], stage: str) -> Iterator[Any]:
    """The items of a stage with a bar, which tells the remaining time from their number or from the files they are
    read from."""
    if isinstance(items, Sized):
        yield from bar(items, stage, unit="row", quiet=quiet)
        return
    paths = read["entities" if stage == "reading entities" else "surfaces"]
    with reading_bar(items, stage, paths, unit="row", quiet=quiet) as counted:
        yield from counted


def run_build(args: argparse.Namespace) -> int:
    if args.out.is_file():
        raise InputError("this is a file; name a folder to write", file=args.out)
    options.check_parent(args.out)
    options.check_apart(args, "out")
    if args.keep is not None and args.dump is None:
        raise InputError("--keep needs --from: text files are there already", file=args.keep)
    if args.views and args.dump is None:
        raise InputError("--views needs --from: text files have a column for views", file=args.views[0])
    lexicon = _built(args)
    if not len(lexicon):
        raise InputError("there is no surface in it", file=args.files[0])
    lexicon.save(args.out)
    facts = {
        "out": str(args.out),
        "surfaces": len(lexicon),
        "entities": len(lexicon.entities),
        "postings": len(lexicon.posting_entities),
        "bytes": sum(file.stat().st_size for file in args.out.iterdir()),
    }
    if args.json:
        options.print_json(facts)
    else:
        print(
            f"wrote {args.out}: {facts['surfaces']:,} surfaces, {facts['entities']:,} entities,"
            f" {facts['postings']:,} postings, {facts['bytes'] / 1e6:.1f} MB"
        )
    return 0


def run_look(args: argparse.Namespace) -> int:
    from engine.lexicon.lexicon import Lexicon
    from engine.lexicon.surfaces import tokenise

    lexicon = Lexicon.open(args.lexicon)
    tokens = tokenise(args.text)
    found = [
        {
            "text": args.text[tokens[match.first][0] : tokens[match.last - 1][1]],
            "surface": match.key,
            "form": match.form,
            "entities": lexicon.readings(match.key),
        }
        for match in lexicon.matches(args.text)
    ]
    if args.json:
        options.print_json({"matches": found})
        return 0
    for match in found:
        readings = ", ".join(f"{title} ({count})" for title, count in list(match["entities"].items())[:8])
        print(f"{match['text']:<28} {match['form']:<10} {readings}")
    return 0
