"""The first schema that has a version.

Workspaces from before may have every table of it, or lack some of the columns that came later, all of which may be
empty. So tables and columns are made where they are missing, and what is there stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from engine.store.database import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    connection = op.get_bind()
    metadata.create_all(connection)
    for table, column in list(_missing_columns(connection)):
        op.add_column(table, sa.Column(column.name, column.type))


def _missing_columns(connection: sa.Connection) -> Iterator[tuple[str, sa.Column[Any]]]:
    inspector = sa.inspect(connection)
    for table in metadata.sorted_tables:
        there = {column["name"] for column in inspector.get_columns(table.name)}
        yield from ((table.name, column) for column in table.columns if column.nullable and column.name not in there)
