"""A table of files besides corpora; and corpora of the same name and split, which lists could not tell apart, get
numbers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    connection = op.get_bind()
    # A database that the first revision has just made has it already.
    if not sa.inspect(connection).has_table("resources"):
        op.create_table(
            "resources",
            sa.Column("id", sa.Text, primary_key=True),
            sa.Column("kind", sa.Text, nullable=False),
            sa.Column("name", sa.Text, nullable=False),
            sa.Column("file", sa.Text, nullable=False),
            sa.Column("hash", sa.Text, nullable=False),
            sa.Column("size", sa.BigInteger, nullable=False),
            sa.Column("created", sa.Text, nullable=False),
        )
    _number_names(connection)


def _number_names(connection: sa.Connection) -> None:
    from engine.store.corpora import free_corpus_name, label_of

    rows = connection.exec_driver_sql("SELECT id, name, split FROM corpora ORDER BY created").all()
    taken: set[str] = set()
    for row in rows:
        name = free_corpus_name(row.name, row.split, taken)
        taken.add(label_of(name, row.split))
        if name != row.name:
            connection.execute(sa.text("UPDATE corpora SET name = :name WHERE id = :id"), {"name": name, "id": row.id})
