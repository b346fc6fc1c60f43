"""Versions of the database schema: Alembic upgrades an older database; a newer one is refused.

A revision is a file in `versions`; `HEAD` names the latest. Opening a workspace that is up to date costs one query and
does not import Alembic.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import sqlalchemy as sa

HEAD: Final = "0004"
"""The revision that this version of the program uses."""

_HERE: Final = Path(__file__).resolve().parent
_TABLE: Final = "alembic_version"


def version_of(connection: sa.Connection) -> str | None:
    """The revision of the database; None for a new one, or one from before revisions were recorded."""
    if not sa.inspect(connection).has_table(_TABLE):
        return None
    found = connection.exec_driver_sql(f"SELECT version_num FROM {_TABLE}").scalar()
    return None if found is None else str(found)


def is_known(version: str | None) -> bool:
    """Whether this program can upgrade a database of that revision."""
    return version is None or any(path.name.startswith(f"{version}_") for path in (_HERE / "versions").glob("*.py"))


def upgrade(connection: sa.Connection) -> None:
    """Run every revision that the database lacks, in the transaction that the connection is in."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_HERE).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)
