"""brat's annotation.conf: sections [entities], [relations], [events], [attributes].

A line of [entities] names a type, deeper ones are indented by tabs; of [relations] it names a relation with its
arguments, `Arg1:Person|Org, Arg2:Place`, and `<REL-TYPE>:symmetric` among them. Lines that begin with "!" group types
and name none. Macros (`<POG>=Protein|Gene`) stand for what they name. Events and attributes have no place here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.data.errors import InputError
from engine.data.labels import LabelSet, RelationType, with_labels

_SECTION = re.compile(r"\[(\w+)\]")
_MACRO = re.compile(r"(<[\w-]+>)\s*=\s*(.+)")
_ANY = ("<ANY>", "<ENTITY>")


def parse(text: str) -> LabelSet:
    types: list[str] = []
    relations: dict[str, RelationType] = {}
    macros: dict[str, str] = {}
    for number, section, line in _lines(text):
        if macro := _MACRO.fullmatch(line):
            macros[macro[1]] = macro[2]
        elif section == "entities" and not line.startswith("!"):
            types.append(_name(line, number))
        elif section == "relations":
            made = _relation(line, number, macros)
            known = relations.get(made.name)
            relations[made.name] = made if known is None else _both(known, made)
    if not types and not relations:
        raise InputError("names no entities and no relations")
    return with_labels(LabelSet(), types=types, relations=relations.values())


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        if found := _SECTION.fullmatch(said):
            section = found[1]
            continue
        yield number, section, said


def _name(word: str, number: int) -> str:
    name = word.split()[0]
    if any(sign in name for sign in "<>|,:"):
        raise InputError(f"{word[:60]!r} is not the name of a type", line=number)
    return name


def _relation(line: str, number: int, macros: dict[str, str]) -> RelationType:
    name, _, rest = line.partition("\t") if "\t" in line else line.partition(" ")
    sides: dict[str, tuple[str, ...]] = {}
    symmetric = False
    for part in rest.split(","):
        role, colon, value = part.strip().partition(":")
        if role == "<REL-TYPE>":
            symmetric = "symmetric" in value
        elif colon:
            sides[role] = _types(value, macros)
    if len(sides) != 2:
        raise InputError(f'expected "{name} <tab> Arg1:Type, Arg2:Type"', line=number)
    first, second = sides.values()
    return RelationType(_name(name, number), first, second, symmetric)


def _types(value: str, macros: dict[str, str]) -> tuple[str, ...]:
    """The types of an argument; () if any type is allowed."""
    value = macros.get(value.strip(), value)
    names = [name.strip() for name in value.split("|")]
    return () if any(name in _ANY for name in names) else tuple(names)


def _both(one: RelationType, other: RelationType) -> RelationType:
    """The union of a relation's two lines: it may hold between all types that either licenses."""

    def joined(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
        return () if not a or not b else tuple(dict.fromkeys((*a, *b)))

    heads, tails = joined(one.heads, other.heads), joined(one.tails, other.tails)
    return RelationType(one.name, heads, tails, one.symmetric or other.symmetric)
