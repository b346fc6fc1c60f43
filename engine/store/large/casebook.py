"""The errors of a run on a corpus in an SQLite file, queried by conditions, so that they are never all in memory.

    errors  one row per error; `stage` is the one shown, `found` the one that was found
    cases   one row per wrong answer (engine/metrics/cases.py), numbered by confidence, highest first
    counted cached counts, by question, so that redrawing a page counts nothing again

Pages query only what is on screen: counts by stage and type, a page of cases, confusions, the documents with most
errors. engine/store/large/chosen.py answers the same questions for errors in memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from engine.metrics.cases import Case, cases
from engine.metrics.errors import STAGES, Doubts, Error, Filter, Stage
from engine.store.large.chosen import Kind, Listed

_OWN: Final = ("document", "kind", "stage", "type", "gold", "predicted", "confidence")
_MOST_VALUES: Final = 500
"""Maximum number of listed values of an attribute; if there are more numbers, only their range is kept."""

_MOST_CELLS: Final = 200
"""Number of cells of the table, the largest ones, whose cases are counted in advance."""
_MOST_COUNTED: Final = 5_000
"""Maximum number of cached answers."""
_SPARSE: Final = 20
"""A selection counts as small if it has fewer than one in this many cases."""

_OF_CASE: Final = 'SELECT 1 FROM errors INDEXED BY errors_by_case WHERE "case" = cases.number'
"""The errors of a case, with an explicit index; otherwise the database would scan all errors of a stage for each."""
_N_ERRORS: Final = "SELECT COUNT(*) FROM errors"
_SCHEMA: Final = """
CREATE TABLE errors (
  number INTEGER PRIMARY KEY, "case" INTEGER, document TEXT, kind TEXT, stage TEXT, found TEXT, type TEXT,
  "start" INTEGER, "end" INTEGER, gold TEXT, predicted TEXT, confidence REAL, counts INTEGER,
  arguments TEXT, attributes TEXT
);
CREATE TABLE drafts (number INTEGER PRIMARY KEY, key TEXT, document TEXT, missed INTEGER, said INTEGER, counts INTEGER,
  confidence REAL, "start" INTEGER, "end" INTEGER);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE counted (question TEXT PRIMARY KEY, answer TEXT);
"""
_FINISH: Final = """
CREATE TABLE cases (number INTEGER PRIMARY KEY, draft INTEGER, key TEXT, document TEXT, missed INTEGER, said INTEGER,
  counts INTEGER);
INSERT INTO cases (draft, key, document, missed, said, counts)
  SELECT number, key, document, missed, said, counts FROM drafts
  ORDER BY 1 - counts, -confidence, document, "start", "end", number;
CREATE UNIQUE INDEX cases_by_draft ON cases (draft);
UPDATE errors SET "case" = (SELECT number FROM cases WHERE draft = "case");
DROP TABLE drafts;
CREATE INDEX cases_by_key ON cases (key);
CREATE INDEX errors_by_cell ON errors (stage, type, "case");
CREATE INDEX errors_by_document ON errors (document);
CREATE INDEX errors_by_case ON errors ("case");
"""


class CasebookWriter:
    """Writes a casebook, which is complete when the context ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path)
        # An unfinished result is discarded, so it needs no protection against crashes.
        self._connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _SCHEMA)
        self._errors = self._cases = 0
        self._values: dict[str, set[Any]] = {}
        self._ranges: dict[str, tuple[float, float]] = {}

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add the errors of some documents; all errors of a document must be added together."""
        for case in cases([_error(record) for record in records]):
            numbers = [self._add(error) for error in case.errors]
            self._cases += 1
            missed = numbers[0] if case.missed is not None else None
            main = case.main
            self._connection.execute(
                "INSERT INTO drafts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self._cases, case.key, main.document, missed, numbers[-1] if case.said is not None else None,
                 case.counts, case.confidence, main.start, main.end),
            )  # fmt: skip

    def _add(self, error: Error) -> int:
        self._errors += 1
        for name, value in {**{name: getattr(error, name) for name in ATTRIBUTES}, **error.attributes}.items():
            self._note(name, value)
        self._connection.execute(
            "INSERT INTO errors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._errors, self._cases + 1, error.document, error.kind, error.stage, error.stage, error.type,
             error.start, error.end, error.gold, error.predicted, error.confidence, error.counts,
             json.dumps(error.arguments), json.dumps(dict(error.attributes))),
        )  # fmt: skip
        return self._errors

    def _note(self, name: str, value: Any) -> None:
        known = self._values.setdefault(name, set())
        if len(known) <= _MOST_VALUES:
            known.add(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            low, high = self._ranges.get(name, (value, value))
            self._ranges[name] = min(low, value), max(high, value)

    def __enter__(self) -> CasebookWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            values = {name: self._told(name, found) for name, found in self._values.items()}
            self._connection.executescript(_FINISH)
            self._connection.execute("INSERT INTO about VALUES ('attributes', ?)", (json.dumps(values),))
            self._connection.commit()
        self._connection.close()
        if kind is None:
            Casebook(self._path).count_cells()

    def _told(self, name: str, found: set[Any]) -> list[Any]:
        if len(found) > _MOST_VALUES and name in self._ranges:
            # A page offers a range here: keep just enough numbers to show that, including the lowest and the highest.
            low, high = self._ranges[name]
            return [low + (high - low) * step / 8 for step in range(9)]
        return sorted(found, key=lambda value: (str(type(value)), value))[:_MOST_VALUES]


ATTRIBUTES: Final = ("kind", "stage", "type", "confidence")


class Casebook:
    """A finished casebook."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            return connection.execute(query, tuple(values)).fetchall()

    def counted(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows of a counting query: computed once, and cached in the file for later redraws."""
        about = self.rows("SELECT value FROM about WHERE name = 'doubts'")
        question = json.dumps([about, query, list(values)])
        known = self.rows("SELECT answer FROM counted WHERE question = ?", [question])
        if known:
            kept: list[Any] = json.loads(known[0][0])
            return kept
        found = [list(row) for row in self.rows(query, values)]
        # Without write access to the workspace, it is counted again the next time.
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(self._path, timeout=5)) as connection:
            connection.execute("INSERT OR REPLACE INTO counted VALUES (?, ?)", (question, json.dumps(found)))
            connection.execute(
                "DELETE FROM counted WHERE rowid <= (SELECT MAX(rowid) FROM counted) - ?", (_MOST_COUNTED,)
            )
            connection.commit()
        return found

    def count_cells(self) -> None:
        """Count in advance what a page needs first: the table, and the cases behind its cells."""
        self.counted(_N_ERRORS)
        table = {stage: own for stage, own in self.table.items() if own}
        cells = Counter({(stage, type): n for stage, own in table.items() for type, n in own.items()})
        asked: list[list[Filter]] = [[], *([Filter("stage", (stage,))] for stage in table)]
        asked += [[Filter("stage", (s,)), Filter("type", (t,))] for (s, t), _ in cells.most_common(_MOST_CELLS)]
        for filters in asked:
            chosen = self.select(filters)
            len(chosen)
            chosen.cases()

    @property
    def n_errors(self) -> int:
        return int(self.counted(_N_ERRORS)[0][0])

    @property
    def n_cases(self) -> int:
        return int(self.counted("SELECT COUNT(*) FROM cases")[0][0])

    @property
    def table(self) -> dict[Stage, Counter[str]]:
        """Stage -> how often each type went wrong there; every stage has a row."""
        found: dict[Stage, Counter[str]] = {stage: Counter() for stage in STAGES}
        for stage, type, n in self.counted("SELECT stage, type, COUNT(*) FROM errors GROUP BY stage, type"):
            found[stage][type] = n
        return found

    @property
    def attributes(self) -> dict[str, list[Any]]:
        """Every attribute that can be filtered on, with the values it takes."""
        told: dict[str, list[Any]] = json.loads(self.rows("SELECT value FROM about WHERE name = 'attributes'")[0][0])
        told["stage"] = sorted(stage for stage, own in self.table.items() if own)
        return told

    def of_documents(self, ids: Sequence[str]) -> list[Error]:
        """The errors of some documents with their original stages, ignoring later doubts about gold."""
        marks = ",".join("?" * len(ids))
        query = f"SELECT found, {_COLUMNS} FROM errors WHERE document IN ({marks}) ORDER BY number"
        return [replace(_of_row(rest), stage=found) for found, *rest in self.rows(query, ids)]

    def doubt(self, doubts: Mapping[str, Doubts], version: str) -> None:
        """Attribute errors to gold where annotators marked it as wrong; does nothing if `version` is unchanged."""
        known = self.rows("SELECT value FROM about WHERE name = 'doubts'")
        if (known[0][0] if known else "") == version or (not known and not doubts):
            return
        marked = ",".join("?" * len(doubts))
        query = f"SELECT number, {_COLUMNS} FROM errors WHERE document IN ({marked})"
        rows = [(number, _of_row(rest)) for number, *rest in self.rows(query, list(doubts))]
        concerned = [(number,) for number, error in rows if doubts[error.document].concern(error)]
        with closing(sqlite3.connect(self._path, timeout=15, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("UPDATE errors SET stage = found WHERE stage <> found")
            connection.executemany("UPDATE errors SET stage = 'gold marked wrong' WHERE number = ?", concerned)
            connection.execute("INSERT OR REPLACE INTO about VALUES ('doubts', ?)", (version,))
            connection.execute("DELETE FROM counted")
            connection.execute("COMMIT")

    def select(self, filters: Sequence[Filter]) -> Selection:
        """The errors that pass every filter."""
        conditions, values = [], []
        for one in filters:
            condition, own = _condition(one)
            conditions.append(condition)
            values += own
        return Selection(self, " AND ".join(conditions) or "1", values)


class Selection:
    """Some errors of a casebook."""

    def __init__(self, book: Casebook, where: str, values: Sequence[Any]) -> None:
        self.book, self.where, self.values = book, where, list(values)

    def __len__(self) -> int:
        return int(self.book.counted(f"SELECT COUNT(*) FROM errors WHERE {self.where}", self.values)[0][0])

    def cases(self, kind: Kind = "all", *, counted: bool = False) -> StoredCases:
        """The cases with at least one error in the selection: of one kind, and optionally only those that the main
        score counts."""
        column = {"all": "1", "miss": "missed IS NOT NULL", "false alarm": "said IS NOT NULL"}[kind]
        return StoredCases(self, column + (" AND counts" if counted else ""))

    def confusions(self) -> Counter[tuple[str, str]]:
        """(gold, predicted) -> frequency, counted as in engine/metrics/errors.py; the most frequent ones."""
        rows = self.book.rows(
            "SELECT CASE WHEN kind = 'miss' THEN gold ELSE '' END AS wanted, predicted, COUNT(*) AS n FROM errors"
            f" WHERE ({self.where}) AND (kind = 'miss' OR gold = '') GROUP BY wanted, predicted ORDER BY n DESC"
            " LIMIT 5000",
            self.values,
        )
        return Counter({(gold, predicted): n for gold, predicted, n in rows})

    def by_document(self, most: int = 1000) -> tuple[int, dict[str, Counter[str]]]:
        """The number of documents with errors, and those with the most: document -> stage -> errors."""
        n = self.book.counted(f"SELECT COUNT(DISTINCT document) FROM errors WHERE {self.where}", self.values)[0][0]
        worst = (
            f"SELECT document FROM errors WHERE {self.where} GROUP BY document ORDER BY COUNT(*) DESC, document LIMIT ?"
        )
        rows = self.book.rows(
            f"SELECT document, stage, COUNT(*) FROM errors WHERE ({self.where}) AND document IN ({worst})"
            " GROUP BY document, stage",
            [*self.values, *self.values, most],
        )
        found: dict[str, Counter[str]] = {}
        for document, stage, count in rows:
            found.setdefault(document, Counter())[stage] = count
        return int(n), found


class StoredCases(Listed):
    """Cases of a casebook, the most confident first, read on demand.

    The cases with an error in the selection can be found in two ways: by collecting all errors first, or case by case.
    The former is fast if the selection is small, the latter if it contains many cases of which only some are needed.
    """

    def __init__(self, errors: Selection, condition: str) -> None:
        self._book, self._values = errors.book, errors.values
        alone = errors.where == "1"
        gathered = "1" if alone else f'number IN (SELECT "case" FROM errors WHERE {errors.where})'
        walked = "1" if alone else f"EXISTS ({_OF_CASE} AND ({errors.where}))"
        self._gathered, self._walked = f"{gathered} AND {condition}", f"{walked} AND {condition}"
        (self._n, self._missed, self._said, self._counted) = self._count()
        self._dense = self._n * _SPARSE > self._book.n_cases

    def _count(self) -> tuple[int, ...]:
        row = self._book.counted(
            f"SELECT COUNT(*), COUNT(missed), COUNT(said), TOTAL(counts) FROM cases WHERE {self._gathered}",
            self._values,
        )[0]
        return tuple(int(n) for n in row)

    def __len__(self) -> int:
        return self._n

    def of_kind(self, kind: str) -> int:
        return self._missed if kind == "miss" else self._said

    @property
    def counted(self) -> int:
        return self._counted

    def index_of(self, key: str) -> int | None:
        here = self._book.rows(f"SELECT MIN(number) FROM cases WHERE key = ? AND {self._walked}", [key, *self._values])[
            0
        ][0]
        if here is None:
            return None
        where = self._walked if here < self._n else self._gathered
        return int(
            self._book.rows(f"SELECT COUNT(*) FROM cases WHERE number < ? AND {where}", [here, *self._values])[0][0]
        )

    def part(self, first: int, last: int) -> list[Case]:
        where = self._walked if self._dense else self._gathered
        query = f"SELECT missed, said FROM cases WHERE {where} ORDER BY number LIMIT ? OFFSET ?"
        pairs = self._book.rows(query, [*self._values, last - first, first])
        wanted = [number for pair in pairs for number in pair if number is not None]
        errors: dict[int, Error] = {}
        for start in range(0, len(wanted), 500):
            some = wanted[start : start + 500]
            marks = ",".join("?" * len(some))
            for number, *rest in self._book.rows(
                f"SELECT number, {_COLUMNS} FROM errors WHERE number IN ({marks})", some
            ):
                errors[number] = _of_row(rest)
        return [Case(errors.get(missed), errors.get(said)) for missed, said in pairs]


_FIELDS: Final = tuple(one.name for one in fields(Error))
_COLUMNS: Final = ", ".join(f'"{name}"' for name in _FIELDS)


def _of_row(row: Sequence[Any]) -> Error:
    named = dict(zip(_FIELDS, row, strict=True))
    return _error({**named, **{name: json.loads(named[name]) for name in ("attributes", "arguments")}})


def _error(record: Mapping[str, Any]) -> Error:
    pair = record["arguments"]
    pair = None if pair is None else (tuple(pair[0]), tuple(pair[1]))
    return Error(**{**record, "arguments": pair, "counts": bool(record["counts"])})


def _condition(one: Filter) -> tuple[str, list[Any]]:
    """A filter as an SQL condition with its values."""
    own = one.attribute in _OWN
    column = f'"{one.attribute}"' if own else "json_extract(attributes, ?)"
    path = [] if own else [f"$.{json.dumps(one.attribute)}"]
    if one.values is not None:
        marks = ",".join("?" * len(one.values))
        return f"{column} IN ({marks})", [*path, *one.values]
    kind = "typeof(" + column + ") IN ('integer', 'real')"
    low = -float("inf") if one.low is None else one.low
    high = float("inf") if one.high is None else one.high
    return f"({kind} AND {column} BETWEEN ? AND ?)", [*path, *path, low, high]
