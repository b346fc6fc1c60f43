"""Label sets as records, for the log, for files and for the browser, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from engine.data.errors import InputError
from engine.data.labels.kinds import DocumentLabel, EntityType, LabelSet, RelationType
from engine.data.labels.making import COLOURS

LONGEST: Final = 200
"""Maximum number of characters of a name."""
MOST: Final = 2000
"""Maximum number of labels of one kind."""
LONGEST_TEXT: Final = 200_000
"""Maximum number of characters of a guideline."""

Label = TypeVar("Label", EntityType, RelationType, DocumentLabel)


def to_json(labels: LabelSet) -> dict[str, Any]:
    return asdict(labels)


def from_json(record: object) -> LabelSet:
    """The set that a record describes; InputError names what is wrong with an invalid one."""
    values = _object(record, "a label set")
    _only(values, {spec.name for spec in fields(LabelSet)}, "a label set")
    made = LabelSet(
        types=_items(values, "types", EntityType),
        relations=_items(values, "relations", RelationType),
        labels=_items(values, "labels", DocumentLabel),
        links=_flag(values, "links", True),
        chains=_flag(values, "chains", True),
        knowledge_base=_text(values, "knowledge_base", LONGEST),
        guideline=_text(values, "guideline", LONGEST_TEXT),
        locked=_flag(values, "locked", False),
    )
    used = [one.key for one in made.types if one.key]
    if len(set(used)) < len(used):
        raise InputError("two types have the same key")
    return made


def _items(values: Mapping[str, Any], name: str, kind: type[Label]) -> tuple[Label, ...]:
    items = values.get(name, ())
    if not isinstance(items, Sequence) or isinstance(items, str) or len(items) > MOST:
        raise InputError(f"{name} has to be a list of at most {MOST}")
    made = tuple(_item(one, kind, name) for one in items)
    names = [one.name for one in made]
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"{name}: {twice!r} is there twice")
    return made


def _item(record: object, kind: type[Label], of: str) -> Label:
    values = dict(_object({"name": record} if isinstance(record, str) else record, of))
    known = {spec.name for spec in fields(kind)}
    _only(values, known, of)
    name = _text(values, "name", LONGEST)
    if not name.strip():
        raise InputError(f"{of}: a label needs a name")
    told: dict[str, Any] = {"name": name}
    for field in ("heads", "tails", "examples"):
        if field in known:
            told[field] = _texts(values, field)
    for field in ("deprecated", "symmetric"):
        if field in known:
            told[field] = _flag(values, field, False)
    for field in ("about", "key"):
        if field in known:
            told[field] = _text(values, field, 2000)
    if "colour" in known:
        colour = values.get("colour", 0)
        if not isinstance(colour, int) or isinstance(colour, bool) or not 0 <= colour < COLOURS:
            raise InputError(f"{of}: the colour of {name!r} has to be a number from 0 to {COLOURS - 1}")
        told["colour"] = colour
    return kind(**told)


def _object(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{what} has to be an object with fields")
    return value


def _only(values: Mapping[str, Any], known: set[str], what: str) -> None:
    strange = sorted(set(map(str, values)) - known)
    if strange:
        raise InputError(f"{what} has no field {strange[0]!r}; it has {', '.join(sorted(known))}")


def _flag(values: Mapping[str, Any], name: str, default: bool) -> bool:
    value = values.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"{name} has to be true or false")
    return value


def _text(values: Mapping[str, Any], name: str, longest: int) -> str:
    value = values.get(name, "")
    if not isinstance(value, str) or len(value) > longest:
        raise InputError(f"{name} has to be a text of at most {longest} characters")
    return value


def _texts(values: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = values.get(name, ())
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{name} has to be a list of texts")
    return tuple(value)
