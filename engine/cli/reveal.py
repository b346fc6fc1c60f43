"""The gate on test data on the command line: a question, `--reveal-test`, and the log of looks.

A file is test data if its name says so (engine/corpora/splits.py). At a terminal the command asks before it shows
scores on it; `--reveal-test` answers beforehand. A program that calls us cannot be asked: its commands do what they
have always done. In either case, each look is a line in FILE.looks.jsonl beside the model, the scores or predictions
that it was about, and a note mentions it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from engine import corpora
from engine.cli.options import print_note
from engine.corpora.splits import overlap, split_of
from engine.data.document import Document
from engine.data.errors import InputError
from engine.store.tables import now
from engine.tasks.base import AnyModel
from engine.tuning.guard import TEST

UNNAMED: Final = Path("test-looks.jsonl")
"""The log for looks without a file, in the current folder."""


def add_reveal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reveal-test",
        action="store_true",
        help="show scores on files that are test data by their name without asking; each look is written down",
    )


def check(
    args: argparse.Namespace, data: Sequence[Path], subjects: Sequence[Path] = (), *, made: Path | None = None
) -> None:
    """Before documents are read: ask whether test data should be used, then log the look, next to the evaluated
    `subjects` or the file `made` by the command."""
    tests = [path for path in data if split_of(path) == TEST]
    if not tests:
        return
    if not args.reveal_test and _at_a_terminal() and not _agreed(tests[0]):
        raise InputError(
            "this is test data by its name, and its scores stay hidden: choose on dev first, then add --reveal-test",
            file=tests[0],
        )
    judged = [path for path in subjects if path.exists()] + ([made] if made is not None else [])
    for log in [log_of(path) for path in judged] or [UNNAMED]:
        seen = _write_down(log, args, tests)
        print_note(f"test data: look {seen} is written down in {log}")


def _at_a_terminal() -> bool:
    """Whether there is a user to ask."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(file: Path) -> bool:
    print(
        f"{file}: this is test data by its name. Show its scores, and write down that you looked? [y/N] ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def log_of(subject: Path) -> Path:
    """The log of looks with a model, a file of scores or of predictions."""
    return subject.with_name(f"{subject.name}.looks.jsonl")


def _write_down(log: Path, args: argparse.Namespace, tests: Sequence[Path]) -> int:
    """Add a line to the log; returns the number of lines."""
    line = {
        "time": now(),
        "command": args.command,
        "data": [path.name for path in tests],
        "bias": getattr(args, "bias", None),
    }
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return sum(1 for text in log.read_text(encoding="utf-8").splitlines() if text.strip())


def tell_learnt(model: AnyModel | None, documents: Iterable[Document]) -> None:
    """Print a note if a model is scored on its training data."""
    if model is not None and model.data_hash:
        tell_learnt_hash(model, corpora.data_hash(documents))


def tell_learnt_hash(model: AnyModel | None, data_hash: str) -> None:
    """The same, where the hash of the documents is known."""
    if model is not None and model.data_hash == data_hash:
        print_note("the model learnt from these documents: its scores say what it remembers, not how well it does")


def tell_overlap(train: Sequence[Document], dev: Sequence[Document]) -> None:
    """Print a note if dev documents are among the training documents."""
    told = overlap(dev, train).sentence("dev", "train")
    if told:
        print(f"warning: {told}; what is chosen on them suits what was learnt by heart", file=sys.stderr)
