"""Rules that find mentions and their types.

A rule takes documents and returns the non-overlapping marks of each. Names are found as whole words, the longest first;
in scripts without spaces every character is a word. Names and texts are split into words in the same way, whatever
tokens the document has.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.data.document import NIL, Document
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.workbench.marking.bounded import spans_of

MOST_NAMES: Final = 500_000
LONGEST: Final = 500
"""Maximum number of characters of a name, a type or an entity."""


@dataclass(frozen=True)
class Entry:
    """The type and entity with which a name is marked."""

    type: str | None = None
    entity: str | None = None


@dataclass(frozen=True, order=True)
class Mark:
    """A mention that a rule finds."""

    start: int
    end: int
    type: str | None = None
    entity: str | None = None


Rule: TypeAlias = Callable[[Sequence[Document]], list[list[Mark]]]


def same_words(words: str, entry: Entry, *, ignore_case: bool = False) -> Rule:
    """A rule that finds these words everywhere."""
    return dictionary({words: entry}, ignore_case=ignore_case)


def dictionary(names: Mapping[str, Entry], *, ignore_case: bool = False) -> Rule:
    """A rule that finds the names of a dictionary as whole words. If several begin at the same place, the longest
    wins."""
    fold = str.casefold if ignore_case else str
    known: dict[tuple[str, ...], Entry] = {}
    for name, entry in names.items():
        words = tuple(fold(word) for word in _words(name))
        if not words:
            raise InputError(f"{name[:40]!r} holds no word that could be looked for")
        known.setdefault(words, entry)
    longest: dict[str, int] = {}
    for words in known:
        longest[words[0]] = max(longest.get(words[0], 0), len(words))

    def find(document: Document) -> list[Mark]:
        spans = tokenised(Document("", document.text)).tokens
        words = [fold(document.text[start:end]) for start, end in spans]
        found: list[Mark] = []
        at = 0
        while at < len(words):
            most = min(longest.get(words[at], 0), len(words) - at)
            n = next((n for n in range(most, 0, -1) if tuple(words[at : at + n]) in known), 0)
            if n:
                entry = known[tuple(words[at : at + n])]
                found.append(Mark(spans[at][0], spans[at + n - 1][1], entry.type, entry.entity))
            at += n or 1
        return found

    return lambda documents: [find(document) for document in documents]


def pattern(text: str, entry: Entry, *, ignore_case: bool = False) -> Rule:
    """A rule that finds the matches of a regular expression; its group named "mention" if it has one, else the whole
    match. It runs in a separate process and is stopped if it takes too long."""

    def find(documents: Sequence[Document]) -> list[list[Mark]]:
        found = spans_of(text, [document.text for document in documents], ignore_case=ignore_case)
        return [[Mark(start, end, entry.type, entry.entity) for start, end in spans] for spans in found]

    return find


def read_dictionary(text: str, name: str = "the dictionary", entry: Entry | None = None) -> dict[str, Entry]:
    """Read a dictionary: one line per name, optionally followed by its type and its entity, separated by tabs or
    commas. Missing values are taken from `entry`."""
    otherwise = entry or Entry()
    names: dict[str, Entry] = {}
    for number, cells in enumerate(_lines(text, name), 1):
        said = [cell.strip() for cell in cells]
        if not any(said) or (number == 1 and [cell.casefold() for cell in said[:2]] == ["name", "type"]):
            continue
        if len(said) > 3:
            raise InputError(f"{name}:{number}: {len(said)} columns; a line holds a name, a type and an entity")
        if not said[0]:
            raise InputError(f"{name}:{number}: the name is empty")
        if max(map(len, said)) > LONGEST:
            raise InputError(f"{name}:{number}: longer than {LONGEST} characters")
        said += [""] * (3 - len(said))
        made = Entry(said[1] or otherwise.type, _entity(said[2]) or otherwise.entity)
        if names.setdefault(said[0], made) != made:
            raise InputError(f"{name}:{number}: {said[0]!r} is there already and means something else")
        if len(names) > MOST_NAMES:
            raise InputError(f"{name}: more than {MOST_NAMES} names; split it")
    if not names:
        raise InputError(f"{name} holds no names; write one on every line")
    return names


def _entity(said: str) -> str | None:
    return NIL if said == "NIL" else said or None


def _lines(text: str, name: str) -> Iterable[Sequence[str]]:
    try:
        first = text.split("\n", 1)[0]
        yield from csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter="\t" if "\t" in first else ",", strict=True)
    except csv.Error as error:
        raise InputError(f"{name} is not a table: {error}") from error


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokenised(Document("", text)).tokens]
