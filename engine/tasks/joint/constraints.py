"""Constraints as data: what types and relations have to do with each other, written in TOML.

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
docs/constraints.md lists the fields of every kind. Anything unknown, missing or of the wrong kind is an error that
names the file, the constraint and the field.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

from engine.data.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, kw_only=True)
class _Named:
    """What every constraint has. `weight` None is hard."""

    name: str
    weight: float | None = None
    enabled: bool = True
    kind: ClassVar[str]

    @property
    def is_hard(self) -> bool:
        return self.weight is None

    @property
    def relations_named(self) -> tuple[str, ...]:
        return ()

    @property
    def types_named(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Arguments(_Named):
    """A relation takes these types as its head and tail; an empty list allows all."""

    kind: ClassVar[str] = "arguments"
    relation: str
    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.relation,)

    @property
    def types_named(self) -> tuple[str, ...]:
        return (*self.head, *self.tail)


@dataclass(frozen=True, kw_only=True)
class Exclusive(_Named):
    """Of these relations only one may hold: of the two directions of a pair, or in the whole sentence.

    "directions": not one of them from a to b and one (the same or another) from b to a. "sentence": if one of them
    occurs, no other one of the list does.
    """

    kind: ClassVar[str] = "exclusive"
    relations: tuple[str, ...]
    scope: str = "directions"
    scopes: ClassVar[tuple[str, ...]] = ("directions", "sentence")

    @property
    def relations_named(self) -> tuple[str, ...]:
        return self.relations


@dataclass(frozen=True, kw_only=True)
class Count(_Named):
    """A sentence has at least, at most, or exactly so many of a relation or of a type."""

    kind: ClassVar[str] = "count"
    relation: str | None = None
    type: str | None = None
    at_least: int | None = None
    at_most: int | None = None
    exactly: int | None = None

    @property
    def low(self) -> int | None:
        return self.at_least if self.exactly is None else self.exactly

    @property
    def high(self) -> int | None:
        return self.at_most if self.exactly is None else self.exactly

    @property
    def relations_named(self) -> tuple[str, ...]:
        return () if self.relation is None else (self.relation,)

    @property
    def types_named(self) -> tuple[str, ...]:
        return () if self.type is None else (self.type,)


@dataclass(frozen=True, kw_only=True)
class Implication(_Named):
    """If one relation holds so does another: in the reverse direction of the pair, or somewhere in the sentence."""

    kind: ClassVar[str] = "implication"
    if_relation: str
    then_relation: str
    scope: str = "reverse"
    scopes: ClassVar[tuple[str, ...]] = ("reverse", "sentence")

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.if_relation, self.then_relation)


@dataclass(frozen=True, kw_only=True)
class Symmetric(_Named):
    """A relation holds in both directions or in none."""

    kind: ClassVar[str] = "symmetric"
    relation: str

    @property
    def relations_named(self) -> tuple[str, ...]:
        return (self.relation,)


@dataclass(frozen=True, kw_only=True)
class SameType(_Named):
    """Mentions that corefer have the same type.

    `source` "clusters" takes the clusters of a layer of the document (`layer`, gold unless named: the coreference
    system's output can be stored as one); "phrase" takes mentions with the same words.
    """

    kind: ClassVar[str] = "same_type"
    source: str = "clusters"
    layer: str = "gold"
    sources: ClassVar[tuple[str, ...]] = ("clusters", "phrase")


Constraint: TypeAlias = Arguments | Exclusive | Count | Implication | Symmetric | SameType
KINDS: Final[dict[str, type[Any]]] = {
    kind.kind: kind for kind in (Arguments, Exclusive, Count, Implication, Symmetric, SameType)
}


def parse(text: str, file: str | Path | None = None) -> tuple[Constraint, ...]:
    """The constraints of a TOML text."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"this is not TOML: {error}", file=file) from error
    unknown = sorted(set(data) - {"constraint"})
    if unknown:
        raise InputError("there is only [[constraint]] at the top level", file=file, field=unknown[0])
    tables = data.get("constraint", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError("write one [[constraint]] block per constraint", file=file, field="constraint")
    return from_json(tables, file)


def read(path: Path) -> tuple[Constraint, ...]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"this file cannot be read: {error}", file=path) from error
    return parse(text, path)


def from_json(tables: Iterable[Mapping[str, Any]], file: str | Path | None = None) -> tuple[Constraint, ...]:
    """Constraints from plain tables, as in TOML or in a model file."""
    made: list[Constraint] = []
    for index, table in enumerate(tables, 1):
        made.append(_constraint(table, f"constraint {index}", file))
        if made[-1].name in {other.name for other in made[:-1]}:
            raise InputError(f"two constraints are called {made[-1].name!r}", file=file, field="name")
    return tuple(made)


def to_json(constraints: Sequence[Constraint]) -> list[dict[str, Any]]:
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


def check_names(
    constraints: Sequence[Constraint],
    types: Collection[str],
    relations: Collection[str],
    file: str | Path | None = None,
) -> None:
    """Every type and relation that a constraint names must exist: a typing slip must not switch it off silently."""
    for one in constraints:
        for what, named, known in (("relation", one.relations_named, relations), ("type", one.types_named, types)):
            for name in named:
                if name not in known:
                    raise InputError(
                        f"constraint {one.name!r} names the {what} {name!r}; the data have {', '.join(sorted(known))}",
                        file=file,
                    )


def enabled(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    return tuple(one for one in constraints if one.enabled)


def with_switch(constraints: Sequence[Constraint], name: str, *, on: bool) -> tuple[Constraint, ...]:
    """The same constraints with one switched on or off."""
    return tuple(replace(one, enabled=on) if one.name == name else one for one in constraints)


def with_weight(constraints: Sequence[Constraint], name: str, weight: float | None) -> tuple[Constraint, ...]:
    """The same constraints with one made soft at this weight, or hard."""
    return tuple(replace(one, weight=weight) if one.name == name else one for one in constraints)


def licensed(
    triples: Iterable[tuple[str, str, str]], relations: Sequence[str], share: float = 0.97
) -> tuple[Constraint, ...]:
    """Argument constraints that annotated (relation, head type, tail type) triples show.

    For each relation and side the most frequent types that together cover at least `share` of its cases: stray
    annotation errors license nothing.
    """
    seen: dict[str, tuple[list[str], list[str]]] = {relation: ([], []) for relation in relations}
    for relation, head, tail in triples:
        seen[relation][0].append(head)
        seen[relation][1].append(tail)
    made = []
    for relation in relations:
        heads, tails = _cover(seen[relation][0], share), _cover(seen[relation][1], share)
        if heads or tails:
            name = f"{relation}: {' or '.join(heads)} → {' or '.join(tails)}"
            made.append(Arguments(name=name, relation=relation, head=heads, tail=tails))
    return tuple(made)


def _cover(names: Sequence[str], share: float) -> tuple[str, ...]:
    counts = sorted(((names.count(name), name) for name in set(names)), key=lambda pair: (-pair[0], pair[1]))
    chosen: list[str] = []
    covered = 0
    for count, name in counts:
        if covered >= share * len(names):
            break
        chosen.append(name)
        covered += count
    return tuple(sorted(chosen))


def _constraint(table: Mapping[str, Any], place: str, file: str | Path | None) -> Constraint:
    def fail(what: str, field: str) -> InputError:
        return InputError(f"{place}: {what}", file=file, field=field)

    name = table.get("name")
    if not isinstance(name, str) or not name.strip():
        raise fail("every constraint needs a name", "name")
    place = f"constraint {name!r}"
    kind = table.get("kind")
    if kind not in KINDS:
        raise fail(f"kind must be one of {', '.join(KINDS)}, not {kind!r}", "kind")
    cls = KINDS[kind]
    specs = {spec.name: spec for spec in fields(cls)}
    unknown = sorted(set(table) - set(specs) - {"kind"})
    if unknown:
        raise fail(f"{kind} has no such field; it takes {', '.join(sorted(specs))}", unknown[0])
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key != "kind":
            values[key] = _value(str(specs[key].type), value, key, fail)
    try:
        made: Constraint = cls(**values)
    except TypeError as error:
        missing = next(key for key, spec in specs.items() if key not in values and _is_required(spec))
        raise fail(f"{kind} needs this field", missing) from error
    _check(made, fail)
    return made


def _is_required(spec: Any) -> bool:
    from dataclasses import MISSING

    return spec.default is MISSING and spec.default_factory is MISSING


def _value(hint: str, value: Any, key: str, fail: Any) -> Any:
    """The value as the field's type; the hints are texts because annotations are not evaluated."""
    if hint.startswith("tuple"):
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise fail("this must be a list of names", key)
        return tuple(value)
    if hint.startswith("bool"):
        if not isinstance(value, bool):
            raise fail("this must be true or false", key)
        return value
    if hint.startswith("int"):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise fail("this must be a whole number, at least 0", key)
        return value
    if hint.startswith("float"):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise fail("this must be a number, at least 0; leave it out for a hard constraint", key)
        return float(value)
    if not isinstance(value, str):
        raise fail("this must be a name", key)
    return value


def _check(one: Constraint, fail: Any) -> None:
    """What the kinds demand beyond the types of their fields."""
    if isinstance(one, Arguments) and not (one.head or one.tail):
        raise fail("give the types of head, of tail, or of both", "head")
    if isinstance(one, Exclusive) and not one.relations:
        raise fail("name at least one relation", "relations")
    if isinstance(one, Exclusive | Implication) and one.scope not in one.scopes:
        raise fail(f"scope must be one of {', '.join(one.scopes)}, not {one.scope!r}", "scope")
    if isinstance(one, SameType) and one.source not in one.sources:
        raise fail(f"source must be one of {', '.join(one.sources)}, not {one.source!r}", "source")
    if isinstance(one, Count):
        if (one.relation is None) == (one.type is None):
            raise fail("give a relation or a type, one of the two", "relation")
        if one.exactly is not None and (one.at_least is not None or one.at_most is not None):
            raise fail("exactly stands alone, without at_least and at_most", "exactly")
        if one.low is None and one.high is None:
            raise fail("give at_least, at_most or exactly", "at_most")
        if one.low is not None and one.high is not None and one.low > one.high:
            raise fail(f"at_least {one.low} is more than at_most {one.high}", "at_least")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
