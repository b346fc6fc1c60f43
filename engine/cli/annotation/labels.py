"""labels: the label set of a corpus, and changes of it that reach every document."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli import options
from engine.cli.annotation.corpus import add_verb, add_verbs, corpus_of
from engine.corpora import labels as files
from engine.data.errors import InputError
from engine.data.labels import from_documents, to_json
from engine.workbench.team import labelling

EXAMPLES = """examples:
  python -m engine labels import annotation.conf --corpus news      # brat, Label Studio, INCEpTION, or our own JSON
  python -m engine labels import --corpus news                      # what the corpus is annotated with
  python -m engine labels show --corpus news
  python -m engine labels rename type PER Person --corpus news
  python -m engine labels merge type Town City --corpus news
  python -m engine labels deprecate relation Near --corpus news
  python -m engine labels lock --corpus news

A change is one action in gold and in everybody's layer; `labels undo` takes back your last one."""


def add(commands: Any) -> None:
    verbs = add_verbs(commands, "labels", "define, rename, merge and lock the labels of a corpus", EXAMPLES)
    add_verb(verbs, "show", "print the label set", _show)
    parser = add_verb(verbs, "import", "read the label set from a file, or from the corpus itself", _import)
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="where the labels come from")
    for name, help in (("rename", "rename a label everywhere"), ("merge", "merge one label into another")):
        parser = add_verb(verbs, name, help, _rename)
        parser.add_argument("kind", choices=labelling.KINDS, metavar="KIND", help=", ".join(labelling.KINDS))
        parser.add_argument("old", metavar="OLD")
        parser.add_argument("new", metavar="NEW")
    for name, help in (("deprecate", "stop offering a label"), ("revive", "offer a deprecated label again")):
        parser = add_verb(verbs, name, help, _deprecate)
        parser.add_argument("kind", choices=labelling.KINDS, metavar="KIND", help=", ".join(labelling.KINDS))
        parser.add_argument("old", metavar="NAME")
    add_verb(verbs, "lock", "refuse labels that are not in the set", _lock)
    add_verb(verbs, "unlock", "accept new labels again", _lock)
    add_verb(verbs, "undo", "undo your last change to the set", _undo)


def _show(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        found = labelling.current(workspace.annotations(args.corpus), workspace.documents(args.corpus))
    if args.json:
        options.print_json(to_json(found))
        return 0
    for type in found.types:
        print(f"{type.key or '-':3} {type.name}{'  (deprecated)' if type.deprecated else ''}")
    for one in found.relations:
        sides = f"{'|'.join(one.heads) or 'any'} -> {'|'.join(one.tails) or 'any'}"
        print(f"    {one.name}: {sides}{', symmetric' if one.symmetric else ''}")
    for label in found.labels:
        print(f"    label {label.name}")
    print("locked" if found.locked else "open")
    return 0


def _import(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log = workspace.annotations(args.corpus)
        found = from_documents(workspace.gold_documents(args.corpus)) if args.file is None else files.read(args.file)
        labelling.define(log, found, user=args.user)
    return _told(args, {"types": len(found.types), "relations": len(found.relations), "labels": len(found.labels)})


def _rename(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log, documents = workspace.annotations(args.corpus), workspace.documents(args.corpus)
        there = labelling.names(labelling.current(log, documents), args.kind)
        if args.verb == "merge" and args.new not in there:
            raise InputError(f"the label set has no {args.kind} {args.new!r} to merge into")
        if args.verb == "rename" and args.new in there:
            raise InputError(f"there is a {args.kind} {args.new!r} already; `labels merge` makes them one")
        n = labelling.rename(log, documents, args.kind, args.old, args.new, user=args.user)
    return _told(args, {"documents": n})


def _deprecate(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log, documents = workspace.annotations(args.corpus), workspace.documents(args.corpus)
        labelling.deprecate(log, documents, args.kind, args.old, args.verb == "deprecate", user=args.user)
    return _told(args, {args.verb: args.old})


def _lock(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        log = workspace.annotations(args.corpus)
        found = labelling.current(log, workspace.documents(args.corpus))
        labelling.define(log, replace(found, locked=args.verb == "lock"), user=args.user)
    return _told(args, {"locked": args.verb == "lock"})


def _undo(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        done = labelling.undo(workspace.annotations(args.corpus), user=args.user)
    if not done:
        raise InputError(f"{args.user} has changed nothing that could be undone")
    return _told(args, {"undone": True})


def _told(args: argparse.Namespace, what: dict[str, Any]) -> int:
    if args.json:
        options.print_json(what)
    else:
        print(", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in what.items()))
    return 0
