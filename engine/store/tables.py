"""The base of every part of a workspace: its directory and its database."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from engine.data.errors import InputError


class StoredTables:
    """A directory and the database that belongs to it."""

    def __init__(self, directory: Path, engine: sa.Engine) -> None:
        self.directory = directory
        self._engine = engine
        self._n_written = 0
        sa.event.listen(engine, "commit", self._wrote)

    def n_written(self) -> int:
        """How often this process has written to the database since it opened it: what was read before may be old."""
        return self._n_written

    def _wrote(self, connection: sa.Connection) -> None:
        self._n_written += 1


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def loads(text: str, what: str) -> Any:
    """A JSON value from the database; `what` describes it in the error message if it is damaged."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{what} is damaged in the database: {error}") from error


def storable(text: str, what: str) -> str:
    """The text, if every database can store it, else InputError."""
    if "\x00" in text:
        raise InputError(f"{what} holds the character NUL, which databases cannot keep: {text[:60]!r}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} holds half a character (an unpaired surrogate): {text[:60]!r}") from None
    return text


def free_name(wanted: str, taken: set[str]) -> str:
    """The wanted name, followed by a number if it is taken."""
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"


def free_label(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """The wanted display name, followed by a number in brackets if it is taken."""
    number, label = 1, wanted
    while is_taken(label):
        number += 1
        label = f"{wanted} ({number})"
    return label


def slug(text: str, otherwise: str) -> str:
    """The text as a part of an address; `otherwise` if nothing of it can be used."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or otherwise
