"""The tables of a workspace, and opening its database: SQLite in WAL mode, or PostgreSQL by URL.

Every write is one transaction that takes its lock at the start; otherwise, in SQLite, a read that turns into a write
would lose updates without an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa

from engine.data.errors import InputError
from engine.store import migrations

DATABASE_URL: Final = "ESPALIER_DATABASE_URL"
"""The environment variable that names the database."""

metadata = sa.MetaData()

corpora = sa.Table(
    "corpora",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("split", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("n_documents", sa.Integer, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

documents = sa.Table(
    "documents",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("id", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Index("documents_by_id", "corpus", "id"),
)

layers = sa.Table(
    "layers",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("document", sa.Text, primary_key=True),
    sa.Column("record", sa.Text, nullable=False),
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("train", sa.Text, nullable=False),
    sa.Column("dev", sa.Text, nullable=False),
    sa.Column("data_hash", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("finished", sa.Text),
    sa.Column("scores", sa.Text, nullable=False),
    sa.Column("bias", sa.Float, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    # What people add to a run, and the bias at which its scores were measured; the run's own bias may change later.
    sa.Column("name", sa.Text),
    sa.Column("note", sa.Text),
    sa.Column("starred", sa.Integer),
    sa.Column("judged_at", sa.Float),
)

rounds = sa.Table(
    "rounds",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("objective", sa.Float, nullable=False),
    sa.Column("scores", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),
)

locks = sa.Table(
    "locks",
    metadata,
    sa.Column("run", sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("corpus", sa.Text, nullable=False),
    sa.Column("bias", sa.Float, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
)

looks = sa.Table(
    "looks",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("corpus", sa.Text, nullable=False),
    sa.Column("bias", sa.Float, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("scores", sa.Text, nullable=False),
)

edits = sa.Table(
    "edits",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("corpus", sa.Text, nullable=False),
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("layer", sa.Text, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("edit", sa.Text, nullable=False),
    sa.Column("undoes", sa.Integer),
    # Set by the sender of the edit, so that an edit sent again after a lost response is not applied twice.
    sa.Column("token", sa.Text),
    # Shared by the rows of one action.
    sa.Column("batch", sa.Text),
    sa.Index("edits_by_document", "corpus", "document", "layer"),
    sa.UniqueConstraint("corpus", "token"),
)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("layer", sa.Text, nullable=False),
    sa.Column("upto", sa.Integer, nullable=False),
    sa.Column("user", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),
)

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("blind", sa.Boolean, nullable=False),
    sa.Column("deadline", sa.Text, nullable=False),
)

members = sa.Table(
    "members",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("corpus", sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("document", sa.Text, primary_key=True),
    sa.Column("member", sa.Text, primary_key=True),
)

slices = sa.Table(
    "slices",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("filters", sa.Text, nullable=False),
)

resources = sa.Table(
    "resources",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

_WRITE_LOCK: Final = 0x45535041
"""The number of the PostgreSQL advisory lock for writers of a workspace; an arbitrary unused number."""

SQLITE_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")


class WorkspaceDamaged(Exception):
    """The database cannot be read. Its file is left unchanged."""

    def __init__(self, place: str, reason: str) -> None:
        self.place = place
        super().__init__(f"{place}: the workspace database cannot be read ({reason}); set it aside and start afresh")


class NewerSchema(InputError):
    """The workspace was last used by a newer version of the program."""

    def __init__(self, place: str, version: str) -> None:
        super().__init__(
            f"{place}: this workspace was made by a newer version of Espalier (schema {version}; this version knows up"
            f" to {migrations.HEAD}); upgrade Espalier, or restore a backup from before"
        )


def connect(url: str) -> sa.Engine:
    """An engine for the database at `url`, with missing tables created."""
    place, is_sqlite = shown(url), url.startswith("sqlite")
    try:
        # Connections that the server has dropped are replaced before use.
        engine = sa.create_engine(url, connect_args={"timeout": 15} if is_sqlite else {}, pool_pre_ping=not is_sqlite)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{place} needs the driver {error.name!r}: pip install 'espalier[postgres]', or psycopg[binary]"
        ) from error
    except sa.exc.ArgumentError:
        raise InputError(f"{DATABASE_URL} is not the address of a database") from None
    if is_sqlite:
        sa.event.listen(engine, "connect", _prepare_sqlite)
    try:
        with engine.connect() as connection:
            if is_sqlite:
                verdict = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
                if verdict != "ok":
                    raise WorkspaceDamaged(place, str(verdict))
        _bring_up_to_date(engine, place)
    except sa.exc.DatabaseError as error:
        engine.dispose()
        raise WorkspaceDamaged(place, without_secrets(str(error.orig).splitlines()[0], url)) from error
    return engine


def shown(url: str) -> str:
    """The address of a database for display: without the password, and without options, which may contain it."""
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        return "the database"
    if parsed.drivername.startswith("sqlite"):
        return url
    return parsed.set(query={}).render_as_string(hide_password=True)


def without_secrets(text: str, url: str) -> str:
    """A message of a driver with the password of this address taken out, should it quote it."""
    if not url:
        return text
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        return text.replace(url, "***")
    for secret in (parsed.password, parsed.query.get("password")):
        if isinstance(secret, str) and secret:
            text = text.replace(secret, "***").replace(quote(secret, safe=""), "***")
    return text


def url_of(directory: Path) -> str:
    return f"sqlite:///{directory / 'espalier.db'}"


@contextmanager
def transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A context for one atomic write."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.begin()
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})")
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


@contextmanager
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A context for reads that all see the same state of the tables, whatever is written meanwhile."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
        else:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
            connection.begin()
        try:
            yield connection
        finally:
            connection.rollback()


def continue_numbers(connection: sa.Connection) -> None:
    """After rows were inserted with explicit numbers, advance the sequence; SQLite does so by itself."""
    if connection.dialect.name != "postgresql":
        return
    for table in (edits, looks):
        connection.exec_driver_sql(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'number'),"
            f" (SELECT COALESCE(MAX(number), 0) + 1 FROM {table.name}), false)"
        )


def _bring_up_to_date(engine: sa.Engine, place: str) -> None:
    """Create the tables, or migrate those of an earlier version (engine/store/migrations)."""
    with engine.connect() as connection:
        version = migrations.version_of(connection)
    if version == migrations.HEAD:
        return
    if not migrations.is_known(version):
        raise NewerSchema(place, str(version))
    with transaction(engine) as connection:  # checks again under the lock: another process may have been first
        if migrations.version_of(connection) != migrations.HEAD:
            migrations.upgrade(connection)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own transactions start too late; ours start with BEGIN IMMEDIATE (see `transaction`).
    connection.isolation_level = None
    for pragma in SQLITE_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
