"""`python -m engine score coreference KEY RESPONSE [--json]`: all coreference metrics of two CoNLL-2012 files."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from engine.cli import reveal
from engine.corpora.io.coreference_column import read_clusters
from engine.data.errors import InputError
from engine.metrics.coreference import METRICS, printed, score_corpus

TITLES = {"muc": "MUC", "b3": "B3", "ceafm": "CEAFm", "ceafe": "CEAFe", "blanc": "BLANC", "lea": "LEA"}

EXAMPLES = """example:
  python -m engine score coreference key.conll response.conll --json"""


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "score",
        help="score a response file against a key file",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", choices=["coreference"])
    parser.add_argument("key", type=Path, help="CoNLL-2012 file with the correct clusters (may be .gz)")
    parser.add_argument("response", type=Path, help="CoNLL-2012 file with the clusters to score (may be .gz)")
    parser.add_argument("--json", action="store_true", help="print one JSON object, fractions in [0, 1]")
    reveal.add_reveal(parser)
    parser.set_defaults(run=run)


def score_files(key: Path, response: Path) -> tuple[dict[str, Any], list[str]]:
    """The report of two files, and the documents missing in the response, which count as empty, as in the official
    scorer."""
    right, found = read_clusters(key), read_clusters(response)
    if not right.keys() & found.keys():
        raise InputError(f"no document of {key} occurs here; compare the names after '#begin document'", file=response)
    scores = score_corpus((clusters, found.get(name, [])) for name, clusters in right.items())
    return scores, [name for name in right if name not in found]


def run(args: argparse.Namespace) -> int:
    reveal.check(args, [args.key], [args.response])
    scores, lacking = score_files(args.key, args.response)
    if lacking:
        print(
            f"warning: {args.response} lacks {len(lacking)} of the key's documents, {lacking[0]!r} first; they count as"
            " empty, as in the official scorer",
            file=sys.stderr,
        )
    if args.json:
        print(json.dumps(scores))
        return 0
    print(f"{'':9}{'recall':>9}{'precision':>11}{'F1':>9}")
    for name in ("mentions", *METRICS):
        one = scores[name]
        row = (printed(one["recall"]), printed(one["precision"]), printed(one["f1"]))
        print(f"{TITLES.get(name, name):9}{row[0]:>9}{row[1]:>11}{row[2]:>9}")
    print(f"{'CoNLL':9}{'':20}{printed(scores['conll']):>9}")
    return 0
