"""Annotation projects: their settings, their members, and who annotates which document."""

from __future__ import annotations

from alembic import op

from engine.store import database

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    for table in (database.projects, database.members, database.assignments):
        table.create(op.get_bind(), checkfirst=True)
