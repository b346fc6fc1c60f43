"""doctor: look through a workspace, say what is wrong with it and what to do."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

from engine.cli.app.workspaces import add_workspace, opened
from engine.data.errors import InputError
from engine.store import doctor
from engine.store.workspace import RunInfo
from engine.tasks import registry
from engine.tasks.saving import load_model

EXAMPLES = """examples:
  python -m engine doctor
  python -m engine doctor --workspace elsewhere --json

Ends with 0 where nothing is wrong, else with 1. It changes nothing, and the app may be running."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="check a workspace and report what is wrong",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_workspace(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    workspace = opened(args)
    try:
        found = list(doctor.examine(workspace, _load))
    finally:
        workspace.close()
    wrong = sum(one.level == "wrong" for one in found)
    if args.json:
        print(json.dumps({"wrong": wrong, "findings": [dataclasses.asdict(one) for one in found]}))
    else:
        for one in found:
            advice = f" -> {one.advice}" if one.advice else ""
            print(f"{one.level:5}  {one.about}: {one.sentence}{advice}")
    return 1 if wrong else 0


def _load(of: RunInfo, path: Path) -> None:
    if of.task not in registry.names():
        raise InputError(f"there is no system {of.task!r} here")
    load_model(registry.get(of.task), path)
