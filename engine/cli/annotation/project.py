"""project: who annotates a corpus, who has which document, and how far everybody is."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli import options
from engine.cli.annotation.corpus import add_verb, add_verbs, corpus_of
from engine.data.errors import InputError
from engine.store.projects import ROLES
from engine.workbench.team.progress import dealt, overview

EXAMPLES = """examples:
  python -m engine project set --corpus news --member lea:lead --member anna:annotator --member bob:annotator --blind
  python -m engine project assign --corpus news --each 2            # at random, evenly
  python -m engine project assign --corpus news --documents d1 d2 --to anna
  python -m engine project show --corpus news"""


def add(commands: Any) -> None:
    verbs = add_verbs(commands, "project", "members, assignments and progress of an annotated corpus", EXAMPLES)
    add_verb(verbs, "show", "members, and everybody's progress", _show)
    parser = add_verb(verbs, "set", "add members and give them roles", _set)
    parser.add_argument("--member", action="append", default=[], metavar="NAME:ROLE", help=f"roles: {', '.join(ROLES)}")
    parser.add_argument("--blind", action="store_true", help="annotators see only the text and their own layer")
    parser.add_argument("--deadline", default="", metavar="DAY", help="such as 2026-11-30")
    parser = add_verb(verbs, "assign", "distribute documents among annotators", _assign)
    parser.add_argument(
        "--each", type=options.count, default=2, metavar="N", help="annotators per document (default 2)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random assignment")
    parser.add_argument("--documents", nargs="+", metavar="ID", help="only these documents (default: all)")
    parser.add_argument("--to", nargs="+", metavar="NAME", help="exactly these people, instead of random ones")


def _set(args: argparse.Namespace) -> int:
    members: dict[str, str] = {}
    for said in args.member:
        name, colon, role = said.rpartition(":")
        if not colon:
            raise InputError(f"--member takes NAME:ROLE, not {said!r}")
        members[name] = role
    with corpus_of(args) as workspace:
        workspace.set_up_project(args.corpus, members=members, blind=args.blind, deadline=args.deadline)
    return _show(args)


def _assign(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        project = workspace.project(args.corpus)
        ids = args.documents or workspace.document_ids(args.corpus)
        if args.to:
            given = {id: tuple(args.to) for id in ids}
        else:
            given = dealt(ids, project.annotators, args.each, seed=args.seed, before=project.assigned)
        workspace.assign(args.corpus, given)
    return _show(args)


def _show(args: argparse.Namespace) -> int:
    with corpus_of(args) as workspace:
        project = workspace.project(args.corpus)
        found = overview(workspace.annotations(args.corpus), workspace.documents(args.corpus), project)
    people = [
        {
            "name": name,
            "role": project.members.get(name, ""),
            "assigned": found.count(name, "assigned", "begun", "done"),
            "begun": found.count(name, "begun"),
            "done": found.count(name, "done"),
            "minutes": round(found.seconds(name) / 60, 1),
            "agreement": found.agreement.get(name),
        }
        for name in sorted({*project.members, *found.names})
    ]
    if args.json:
        shares = [
            {"name": name, "document": document, "progress": share.progress, "seconds": share.seconds}
            for (name, document), share in found.shares.items()
        ]
        told = {"blind": project.blind, "deadline": project.deadline, "members": people, "documents": shares}
        options.print_json(told)
        return 0
    print(f"{'blind' if project.blind else 'not blind'}, {project.deadline or 'no deadline'}")
    for one in people:
        agreement = "" if one["agreement"] is None else f", agreement {one['agreement']:.3f}"
        print(
            f"{one['name']:24} {one['role']:10} {one['assigned']} documents, {one['begun']} begun, {one['done']} done,"
            f" {one['minutes']:.0f} minutes{agreement}"
        )
    return 0
