"""backup and restore: a workspace as one file, while it is in use; and back."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from engine.cli.app.workspaces import add_workspace, directory_of, opened
from engine.store import backup
from engine.store.database import DATABASE_URL

EXAMPLES = """examples:
  python -m engine backup friday.zip
  python -m engine restore friday.zip --workspace restored
  ESPALIER_DATABASE_URL=postgresql+psycopg://... python -m engine restore friday.zip     # into an empty database

The app may go on running while a backup is made. A backup that was written was read back from beginning to end.
Restoring needs a directory that is new or empty, and never overwrites anything."""


def add(commands: Any) -> None:
    for name, run, help in (
        ("backup", _backup, "write a workspace to one file, even while it is in use"),
        ("restore", _restore, "restore a backup to a new directory"),
    ):
        parser = commands.add_parser(
            name, help=help, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("file", type=Path, metavar="FILE", help="the backup, a .zip")
        add_workspace(parser)
        parser.set_defaults(run=run)


def _backup(args: argparse.Namespace) -> int:
    workspace = opened(args)
    try:
        made = backup.write(workspace, args.file)
    finally:
        workspace.close()
    print(_words(f"{args.file}: ", made))
    return 0


def _restore(args: argparse.Namespace) -> int:
    directory = directory_of(args)
    made = backup.restore(args.file, directory, os.environ.get(DATABASE_URL))
    print(_words(f"{directory}: ", made))
    return 0


def _words(place: str, made: backup.Contents) -> str:
    rows = made.rows
    return (
        f"{place}{rows['corpora']} corpora with {rows['documents']} documents, {rows['edits']} edits,"
        f" {rows['runs']} runs, {len(made.files)} files; taken {made.created}"
    )
