"""Runs have a name, a note, a star, and the bias that their score was measured at."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

COLUMNS = (
    sa.Column("name", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("starred", sa.Integer),
    sa.Column("judged_at", sa.Float),
)


def upgrade() -> None:
    # A database that the first revision has just made has them already.
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("runs")}
    for column in COLUMNS:
        if column.name not in there:
            op.add_column("runs", sa.Column(column.name, column.type))
