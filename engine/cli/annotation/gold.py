"""gold: what people annotated, adjudicated, frozen, compared and written to files."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from engine import corpora
from engine.cli import options
from engine.cli.annotation.corpus import add_verb, add_verbs, corpus_of
from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.workbench.adjudication import THRESHOLDS
from engine.workbench.adjudication.corpus import standings, take_everything
from engine.workbench.team.changes import changelog, version_changes
from engine.workbench.team.comments import comments

EXAMPLES = """examples:
  python -m engine gold adjudicate --corpus news                     # take over what all annotators agree on
  python -m engine gold adjudicate --corpus news --threshold majority
  python -m engine gold freeze v1 --corpus news
  python -m engine gold export --corpus news --only-done --out news.jsonl
  python -m engine gold diff --corpus news --from v1 --to v2
  python -m engine gold comments --corpus news --open"""


def add(commands: Any) -> None:
    verbs = add_verbs(commands, "gold", "adjudicate, freeze, compare and export what people annotated", EXAMPLES)
    parser = add_verb(verbs, "adjudicate", "accept whatever enough annotators agree on", _adjudicate)
    parser.add_argument("--threshold", choices=THRESHOLDS, default="all", help="who must agree (default: everybody)")
    parser.add_argument("--names", nargs="+", metavar="NAME", help="whose layers (default: everybody's)")
    add_verb(verbs, "freeze", "freeze the current state under a name", _freeze).add_argument("name", metavar="NAME")
    parser = add_verb(verbs, "export", "write the documents with the current gold", _export)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file or folder to write")
    parser.add_argument("--to", dest="format", metavar="FORMAT", help="its format (default: by file name)")
    parser.add_argument("--version", metavar="NAME", help="a frozen version instead of the current state")
    parser.add_argument("--layer", default=GOLD, metavar="NAME", help="an annotator's layer instead of gold")
    parser.add_argument("--only-done", action="store_true", help="leave out documents that are not marked as done")
    parser = add_verb(verbs, "diff", "what changed between two versions, and by whom", _diff)
    parser.add_argument("--from", dest="first", default="", metavar="NAME", help="a version (default: as imported)")
    parser.add_argument("--to", dest="last", default="", metavar="NAME", help="a version (default: now)")
    parser = add_verb(verbs, "comments", "what people wrote", _comments)
    parser.add_argument("--open", action="store_true", help="only unresolved comments")


def _adjudicate(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log = workspace.annotations(args.corpus)
        names = args.names or sorted(log.layers() - {GOLD})
        if len(names) < 2:
            raise InputError("adjudication needs the layers of at least two annotators")
        documents = workspace.documents(args.corpus)
        n = take_everything(log, standings(log, documents, names), args.threshold, args.user)
        left = sum(len(one.questions) for one in standings(log, documents, names).values())
    if args.json:
        options.print_json({"documents": n, "open": left})
    else:
        print(f"taken over in {n} documents; {left} questions are open, to be answered in the app")
    return 0


def _freeze(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        version = workspace.freeze(args.corpus, args.name, user=args.user)
    if args.json:
        options.print_json(dataclasses.asdict(version))
    else:
        print(f"{version.name}: everything up to edit {version.upto}")
    return 0


def _export(args: argparse.Namespace) -> int:
    options.check_output(args, "out")
    target = args.format or corpora.detect(args.out, reading=False).name
    with corpus_of(args) as workspace:
        documents = workspace.gold_documents(
            args.corpus, args.version, layer=args.layer, only_done=args.only_done, comments=True
        )
    lost = corpora.losses(documents, target)
    corpora.write(documents, args.out, target)
    if args.json:
        options.print_json({"out": str(args.out), "documents": len(documents), "lost": lost})
        return 0
    options.warn_of_losses(corpora.FORMATS[target], lost)
    print(f"wrote {args.out}: {len(documents)} documents")
    return 0


def _diff(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log = workspace.annotations(args.corpus)
        first = _row(workspace, args.corpus, args.first) if args.first else 0
        last = _row(workspace, args.corpus, args.last) if args.last else log.version(layer=GOLD)
        found = version_changes(log, workspace.documents(args.corpus), first, last, layer=GOLD)
    if args.json:
        options.print_json({"changes": [dataclasses.asdict(one) for one in found]})
    else:
        print(changelog(found, args.first or "the import", args.last or "now"), end="")
    return 0


def _row(workspace: Workspace, corpus: str, name: str) -> int:
    return workspace.version(corpus, name).upto


def _comments(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        found = comments(workspace.annotations(args.corpus), workspace.documents(args.corpus))
    meant = [one for one in found if not (args.open and one.resolved)]
    if args.json:
        options.print_json({"comments": [dataclasses.asdict(one) for one in meant]})
        return 0
    for one in meant:
        state = " (resolved)" if one.resolved else ""
        print(f"{one.document} {one.about!r}: {one.author or '?'} {one.time[:16]}: {one.text}{state}")
    return 0
