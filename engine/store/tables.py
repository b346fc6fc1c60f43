"""What every part of a workspace stands on: its directory and its database."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import sqlalchemy as sa


class StoredTables:
    """A directory and the database that belongs to it."""

    def __init__(self, directory: Path, engine: sa.Engine) -> None:
        self.directory = directory
        self._engine = engine


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="microseconds")


def free_name(wanted: str, taken: set[str]) -> str:
    """The wanted name, with a number behind it where it is taken."""
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"
