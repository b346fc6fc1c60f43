"""Reads and writes constraints in TOML.

```toml
[[constraint]]
name = "people work for organisations"
kind = "arguments"            # arguments, exclusive, count, implication, symmetric, same_type
relation = "Work_For"
head = ["Peop"]
tail = ["Org"]
weight = 2.0                  # optional: soft, at this price per violation; without it the constraint is hard
enabled = true                # optional
```
docs/guide/constraints.md lists the fields of every kind. Anything unknown, missing or of the wrong kind is an error
that names the file, the constraint and the field.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, Final, TypeAlias

from engine.data.errors import InputError
from engine.tasks.joint.constraints.arguments import Arguments
from engine.tasks.joint.constraints.base import Constraint, Refuse
from engine.tasks.joint.constraints.count import Count
from engine.tasks.joint.constraints.exclusive import Exclusive
from engine.tasks.joint.constraints.implication import Implication
from engine.tasks.joint.constraints.same_type import SameType
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.symmetric import Symmetric

Value: TypeAlias = str | bool | int | float | list[str]
Table: TypeAlias = dict[str, Value]
"""A constraint as in TOML or JSON."""

LARGEST: Final = 1_000_000
"""The largest count in a sentence and the largest price of a violation."""

KINDS: Final[dict[str, type[Constraint]]] = {
    kind.kind: kind for kind in (Arguments, Exclusive, Count, Implication, Symmetric, SameType)
}


def parse(text: str, file: str | Path | None = None) -> tuple[Constraint, ...]:
    """The constraints of a TOML text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is not TOML: {error}", file=file) from error
    except RecursionError:
        raise InputError("this is not usable: nested too deeply", file=file) from None
    unknown = sorted(set(data) - {"constraint"})
    if unknown:
        raise InputError("there is only [[constraint]] at the top level", file=file, field=unknown[0])
    tables = data.get("constraint", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError("write one [[constraint]] block per constraint", file=file, field="constraint")
    return from_json(tables, file)


def read(path: Path, space: Space | None = None) -> tuple[Constraint, ...]:
    """The constraints of a file; if a space is given, their names are checked against it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"this file cannot be read: {error}", file=path) from error
    made = parse(text, path)
    if space is not None:
        check_names(made, space, path)
    return made


def from_json(tables: Iterable[Mapping[str, Any]], file: str | Path | None = None) -> tuple[Constraint, ...]:
    """Constraints from plain tables, as in TOML or in a model file."""
    made: list[Constraint] = []
    for index, table in enumerate(tables, 1):
        made.append(_constraint(table, f"constraint {index}", file))
        if made[-1].name in {other.name for other in made[:-1]}:
            raise InputError(f"two constraints are called {made[-1].name!r}", file=file, field="name")
    return tuple(made)


def to_json(constraints: Sequence[Constraint]) -> list[Table]:
    out = []
    for one in constraints:
        values = {spec.name: getattr(one, spec.name) for spec in fields(one)}
        kept = {k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v is not None}
        out.append({"kind": one.kind, **kept})
    return out


def to_toml(constraints: Sequence[Constraint]) -> str:
    """The file that `parse` reads back."""
    blocks = []
    for table in to_json(constraints):
        lines = ["[[constraint]]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def check_names(constraints: Sequence[Constraint], space: Space, file: str | Path | None = None) -> None:
    """Raise InputError if a constraint names a type or relation that does not exist: a typo must not disable it
    silently."""
    for one in constraints:
        for what, named, known in (
            ("relation", one.relations_named, space.relations),
            ("type", one.types_named, space.types),
        ):
            for name in named:
                if name not in known:
                    raise InputError(
                        f"constraint {one.name!r} names the {what} {name!r}; the data have {', '.join(sorted(known))}",
                        file=file,
                    )


def _constraint(table: Mapping[str, Any], place: str, file: str | Path | None) -> Constraint:
    def refuse(what: str, field: str) -> InputError:
        return InputError(f"{place}: {what}", file=file, field=field)

    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise refuse("every constraint needs a name", "name")
    place = f"constraint {name!r}"
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise refuse(f"kind must be one of {', '.join(KINDS)}, not {kind!r}", "kind")
    specs = {spec.name: spec for spec in fields(KINDS[kind])}
    unknown = sorted(set(table) - set(specs) - {"kind"})
    if unknown:
        raise refuse(f"{kind} has no such field; it takes {', '.join(sorted(specs))}", unknown[0])
    values = {key: _value(specs[key], value, refuse) for key, value in table.items() if key != "kind"}
    for key, spec in specs.items():
        if key not in values and spec.default is MISSING:
            raise refuse(f"{kind} needs this field", key)
    made = KINDS[kind](**values)
    made.check(refuse)
    return made


def _value(spec: Field[Any], value: Any, refuse: Refuse) -> Any:
    """The value converted to the field's type. Type hints are strings here, because annotations are not evaluated."""
    hint = str(spec.type)
    if hint.startswith("tuple"):
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise refuse("this must be a list of names", spec.name)
        return tuple(value)
    if hint.startswith("bool"):
        if not isinstance(value, bool):
            raise refuse("this must be true or false", spec.name)
        return value
    if hint.startswith("int"):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            raise refuse(f"this must be a whole number from 0 to {LARGEST:,}", spec.name)
        return value
    if hint.startswith("float"):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LARGEST:
            raise refuse(f"this must be a number from 0 to {LARGEST:,}; without it the constraint is hard", spec.name)
        return float(value)
    if not isinstance(value, str):
        raise refuse("this must be a name", spec.name)
    return value


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
