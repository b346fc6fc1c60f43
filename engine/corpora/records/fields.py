"""Checked access to the fields of a JSON record, and what is needed to write it back unchanged.

A shape names some fields of its records; all others are kept in `extra`. If a record does not have exactly the usual
fields in the usual order, `extra` also keeps its order (under `ORDER`), and which fields were null rather than missing.
Names that begin with # are never written to a file as fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from engine.data.errors import InputError

ORDER: Final = "#order"
NULLS: Final = " nulls"

KINDS: Final = {dict: "an object", list: "a list", str: "a string", int: "a whole number", float: "a number"}


def describe(value: Any) -> str:
    """The kind of a JSON value, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return KINDS.get(type(value), type(value).__name__)


def expect(value: Any, kind: type, field: str) -> Any:
    """The value, if it is of this JSON kind; numbers may be whole, and true and false are not numbers."""
    fits = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
    if not fits:
        raise InputError(f"expected {KINDS[kind]}, found {describe(value)}", field=field)
    return value


def required(record: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    if name not in record:
        raise InputError(f"is missing; expected {KINDS[kind]}", field=where + name)
    return expect(record[name], kind, where + name)


def optional(record: Mapping[str, Any], name: str, kind: type, where: str = "") -> Any:
    """The value, or None if the field is null or missing."""
    value = record.get(name)
    return None if value is None else expect(value, kind, where + name)


def list_of(value: Any, kind: type, field: str) -> list[Any]:
    items: list[Any] = expect(value, list, field)
    if not set(map(type, items)) <= {kind}:
        for i, item in enumerate(items):
            expect(item, kind, f"{field}[{i}]")
    return items


def words_of(value: Any, field: str) -> list[str]:
    """A list of non-empty words, since an empty word has no position in a text."""
    words = list_of(value, str, field)
    if "" in words:
        raise InputError("a token is empty", field=f"{field}[{words.index('')}]")
    return words


def pair(value: Any, field: str) -> tuple[int, int]:
    """[start, end) as a list of two whole numbers."""
    items = list_of(value, int, field)
    if len(items) != 2:
        raise InputError(f"expected [start, end], found {len(items)} numbers", field=field)
    return items[0], items[1]


def rest(
    record: Mapping[str, Any], known: tuple[str, ...], always: tuple[str, ...], marker: str = ORDER
) -> dict[str, Any]:
    """The fields of a record that are unknown to its shape, and its layout if that is unusual.

    `known` are the shape's fields in their usual order; those in `always` are in every record it writes, the others
    only if they have a non-empty value.
    """
    extra = {name: value for name, value in record.items() if name not in known}
    for name in extra:
        if name.startswith("#"):
            raise InputError("names that begin with # are reserved; rename the field", field=name)
    usual = [name for name in known if name in always or not _is_empty(record.get(name)) or _is_nil(record, name)]
    nulls = tuple(name for name in known if name in record and record[name] is None and not _is_nil(record, name))
    if nulls or list(record) != usual + list(extra):
        extra[marker] = _shared(tuple(record))
    if nulls:
        extra[marker + NULLS] = _shared(nulls)
    return extra


def compose(
    values: Mapping[str, Any], extra: Mapping[str, Any], always: tuple[str, ...], marker: str = ORDER
) -> dict[str, Any]:
    """The record with these values, in the layout stored in `extra`.

    A null in `values` is written; an empty list or object stands for a field that may be absent.
    """
    order: tuple[str, ...] | None = extra.get(marker)
    nulls: tuple[str, ...] = extra.get(marker + NULLS, ())
    record: dict[str, Any] = {}
    for name in order or ():
        value = values[name] if name in values else extra.get(name)
        record[name] = None if name in nulls and _is_empty(value) else value
    for name, value in values.items():
        if name not in record and (value is None or not _is_empty(value) or (order is None and name in always)):
            record[name] = value
    return record | {name: value for name, value in extra.items() if name not in record and not name.startswith("#")}


def had(extra: Mapping[str, Any], name: str, marker: str = ORDER) -> bool:
    """Whether the record had a value for this mandatory field: yes, unless `extra` records otherwise."""
    return marker not in extra or (name in extra[marker] and name not in extra.get(marker + NULLS, ()))


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (list, dict)) and not value)


def _is_nil(record: Mapping[str, Any], name: str) -> bool:
    """Whether the field is a meaningful null: the entity is outside the knowledge base."""
    return name in ("entity", "gold") and name in record


def read_id(record: Mapping[str, Any], position: int, extra: dict[str, Any]) -> str:
    """The record's id as text, else its line number; `extra` records that an id was a number."""
    raw = record.get("id")
    if isinstance(raw, str):
        return raw
    if raw is None:
        return str(position)
    if type(raw) is not int:
        raise InputError(f"expected a string or a whole number, found {describe(raw)}", field="id")
    extra["id"] = raw
    return str(raw)


def write_id(id: str, extra: Mapping[str, Any], marker: str = ORDER) -> dict[str, Any]:
    """The id as a field of its original kind; empty if the record had none."""
    if not had(extra, "id", marker):
        return {}
    raw = extra.get("id", id)
    return {"id": raw if str(raw) == id else id}


@lru_cache(maxsize=1024)
def _shared(order: tuple[str, ...]) -> tuple[str, ...]:
    return order
