"""How fast dumps are read, and in how much memory: made-up dumps in the syntax of the real ones, of two sizes.

    python -m benchmarks.bench_dumps [--megabytes 100] [--quick]

For each kind: uncompressed MB per CPU second from the dump to the text files of a lexicon, and the peak memory of the
process, for half the size and for the whole. Each is read by a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.bench_lexicon import peak_mb, surfaces
from benchmarks.places import ROOT, parser
from engine.lexicon.dumps.reading import read_dumps

LINKS: Final = 30
"""Links of a page, to pages that are met often or hardly ever, as in Wikipedia."""
WORDS: Final = " ".join(["the river that runs through the old town and past its mill"] * 2)


def links(pages: int) -> Iterator[tuple[int, list[int]]]:
    rng = np.random.default_rng(0)
    for page in range(pages):
        yield page, (pages * rng.random(LINKS) ** 3).astype(int).tolist()


def wikipedia(pages: int) -> Iterator[str]:
    yield '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">\n'
    names = list(surfaces(pages))
    for page, others in links(pages):
        text = " ".join(f"{WORDS} [[{names[other].capitalize()}|{names[other]}]]" for other in others)
        yield (
            f"<page><title>{names[page].capitalize()}</title><ns>0</ns><id>{page}</id><revision><id>1</id>"
            f"<text>{{{{Infobox settlement}}}} {text} [[Category:Towns]]</text></revision></page>\n"
        )
    yield "</mediawiki>\n"


def wikidata(pages: int) -> Iterator[str]:
    yield "[\n"
    for page, name in enumerate(surfaces(pages)):
        told = {"en": {"language": "en", "value": name}}
        entity = {
            "id": f"Q{page}",
            "labels": {**told, **{code: {"language": code, "value": name} for code in ("de", "fr", "ar", "zh", "ru")}},
            "aliases": {"en": [{"language": "en", "value": f"{name} {i}"} for i in range(3)]},
            "descriptions": told,
            "claims": {f"P{i}": [{"mainsnak": {"datavalue": {"value": {"id": f"Q{i}"}}}}] for i in range(20, 40)},
            "sitelinks": {"enwiki": {"site": "enwiki", "title": name.capitalize()}},
        }
        yield json.dumps(entity) + ",\n"
    yield "]\n"


def dbpedia(pages: int) -> Iterator[str]:
    at, ontology = "http://dbpedia.org/resource/", "http://dbpedia.org/ontology/"
    names = [name.capitalize().replace(" ", "_") for name in surfaces(pages)]
    for page, others in links(pages):
        yield f'<{at}{names[page]}> <http://www.w3.org/2000/01/rdf-schema#label> "{names[page]}"@en .\n'
        yield f"<{at}{names[page]}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{ontology}Town> .\n"
        yield from (f"<{at}{names[page]}> <{ontology}wikiPageWikiLink> <{at}{names[other]}> .\n" for other in others)


KINDS: Final[dict[str, Callable[[int], Iterator[str]]]] = {
    "wikipedia-xml": wikipedia,
    "wikidata-json": wikidata,
    "dbpedia-ttl": dbpedia,
}


def measure(kind: str, path: Path) -> None:
    """Runs in a process of its own: reads one dump and reports."""
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.process_time()
        read_dumps(kind, [path], Path(scratch), Path(scratch))
        print(json.dumps({"seconds": time.process_time() - begin, "peak": peak_mb()}))


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--megabytes", type=int, default=100)
    options.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.measure:
        measure(args.measure[0], Path(args.measure[1]))
        return
    size = 1_000_000 * (2 if args.quick else args.megabytes)
    with tempfile.TemporaryDirectory() as scratch:
        for kind, made in KINDS.items():
            path = Path(scratch) / kind
            of_one = sum(len(line) for line in made(200)) / 200
            for part in (2, 1):
                path.write_text("".join(made(round(size / part / of_one))), encoding="utf-8")
                command = [sys.executable, "-m", "benchmarks.bench_dumps", "--measure", kind, str(path)]
                told = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
                read = path.stat().st_size / 1e6
                print(
                    f"{kind}: {read:.0f} MB, {read / told['seconds']:.1f} MB/s, peak {told['peak']:.0f} MB", flush=True
                )


if __name__ == "__main__":
    main()
