"""The corpus and workspace of an annotation command."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine.cli import options
from engine.cli.app.workspaces import add_workspace, opened
from engine.data.errors import InputError
from engine.store.workspace import Workspace


def add_verbs(commands: Any, name: str, help: str, examples: str) -> Any:
    """A command with subcommands, such as `labels show`."""
    parser = commands.add_parser(name, help=help, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter)
    return parser.add_subparsers(dest="verb", required=True, metavar="VERB", parser_class=type(parser))


def add_verb(verbs: Any, name: str, help: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(name, help=help)
    parser.add_argument("--corpus", required=True, metavar="ID", help="the corpus, by its id in the workspace")
    parser.add_argument(
        "--user", default=_login(), metavar="NAME", help="your name in the log (default: your login name)"
    )
    add_workspace(parser)
    options.add_json(parser)
    parser.set_defaults(run=run)
    return parser


@contextmanager
def corpus_of(args: argparse.Namespace) -> Iterator[Workspace]:
    """The workspace, which must contain the corpus."""
    workspace = opened(args)
    try:
        known = [info.id for info in workspace.corpora()]
        if args.corpus not in known:
            raise InputError(f"the workspace has no corpus {args.corpus!r}; it has {', '.join(known) or 'none'}")
        yield workspace
    finally:
        workspace.close()


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "annotator"
