"""The workspace of a command: the directory that the app would use, unless another is named."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from engine.data.errors import InputError
from engine.store.database import DATABASE_URL, WorkspaceDamaged
from engine.store.workspace import Workspace


def add_workspace(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIRECTORY",
        help="the workspace (default: ESPALIER_WORKSPACE, else the folder `workspace` here)",
    )


def directory_of(args: argparse.Namespace) -> Path:
    return Path(args.workspace or os.environ.get("ESPALIER_WORKSPACE") or "workspace").resolve()


def opened(args: argparse.Namespace) -> Workspace:
    """The workspace, which must exist; InputError names what is wrong with it."""
    directory = directory_of(args)
    if not os.environ.get(DATABASE_URL) and not (directory / "espalier.db").is_file():
        raise InputError("there is no workspace here; name one with --workspace", file=directory)
    try:
        return Workspace.open(directory)
    except WorkspaceDamaged as error:
        raise InputError(f"{error}; a backup can be restored: espalier restore FILE DIRECTORY") from error
