"""run: serve the app.

The engine knows no screen: this finds the folder of the app, puts it on the path, and hands over to its server.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from engine.data.errors import InputError

EXAMPLES = """examples:
  espalier run
  python -m engine run --port 9000
  python -m engine run --host 0.0.0.0 --open     # without a login: every machine that can reach this one may open it

Corpora, annotations and models are kept in the folder `workspace` of the directory you are in; ESPALIER_WORKSPACE names
another. A new workspace is filled with the sample corpora, and each system is trained on them in the background;
ESPALIER_SAMPLES=off leaves it empty."""

INSTALLED: Final = "espalier_app"
"""The folder next to the engine in which a wheel installs the app (setup.py)."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="serve the app in the browser",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    # Not type=int: the server itself refuses an invalid port, for this command and for `make run`.
    parser.add_argument("--port", default="8501", help="1 to 65535 (default 8501)")
    parser.add_argument(
        "--open",
        action="store_true",
        help="accept other machines even though no login is set up",
    )
    parser.add_argument(
        "--files",
        type=Path,
        metavar="DIRECTORY",
        help="folder of lexicons, vectors, gazetteers and constraints to choose from",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    folder = app_folder(Path(__file__).resolve().parents[3])
    # First, so that a file ui.py in the working directory is not imported instead of the app's.
    sys.path.insert(0, str(folder))
    server = import_module("ui.server.serve")
    if args.files is not None:
        os.environ["ESPALIER_FILES"] = str(args.files.resolve())
    return int(server.serve(args.host, args.port, server.ESPALIER, is_open=args.open))


def app_folder(beside: Path) -> Path:
    """The folder that contains app.py: in a checkout, the parent of the engine; else the installed one."""
    for folder in (beside, beside / INSTALLED):
        if (folder / "app.py").is_file() and (folder / "ui").is_dir():
            return folder
    raise InputError("the app is not installed alongside the engine; install the whole package: pip install espalier")
