"""Arranges what was found of the spans of each text: pieces of longer names go, names said again are heard.

A reading that only a piece of a title suggests goes if a longer span over this one names the same entity. A word that
begins or ends a longer name elsewhere in the text also gets the readings of that name.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Ints
from engine.features.linking.proposing.forms import FORM
from engine.kernels import inlined, kernel

_GUESS: Final = FORM["guess"]
_ECHO: Final = FORM["echo"]


class Rows(NamedTuple):
    """The entities of all spans, one span after the other."""

    entity: Ints
    sources: Ints
    forms: Ints
    aliases: Ints


class Spans(NamedTuple):
    """Spans are tokens first to last - 1 of their text. Span i has the rows offsets[i] to offsets[i + 1] - 1; text d
    has the spans texts[d] to texts[d + 1] - 1."""

    first: Ints
    last: Ints
    offsets: Ints
    texts: Ints


class Names(NamedTuple):
    """Words as numbers: the whole name of each span, if it ends a longer one, and the ends of longer names, if they may
    stand for them; below 0 if not."""

    said: Ints
    one_end: Ints
    other_end: Ints


def arranged(rows: Rows, spans: Spans, names: Names) -> tuple[Ints, Ints, Ints, Ints]:
    """For each row that stays or is new: its place among the rows, -1 for a new one; its entity; its forms. And the
    number of rows of each span."""
    stays = _without_pieces(rows, spans)
    return _with_echoes(rows, spans, names, stays)


@kernel
def _without_pieces(rows: Rows, spans: Spans) -> Flags:
    """Which rows stay."""
    entity, sources, aliases = rows.entity, rows.sources, rows.aliases
    first, last, offsets, texts = spans.first, spans.last, spans.offsets, spans.texts
    stays = np.ones(len(entity), dtype=np.bool_)
    for text in range(len(texts) - 1):
        for i in range(texts[text], texts[text + 1]):
            for row in range(offsets[i], offsets[i + 1]):
                if sources[row] or not aliases[row]:
                    continue
                for j in range(texts[text], texts[text + 1]):
                    if j != i and first[j] <= first[i] and last[i] <= last[j]:
                        for other in range(offsets[j], offsets[j + 1]):
                            if entity[other] == entity[row]:
                                stays[row] = False
    return stays


@kernel
def _with_echoes(rows: Rows, spans: Spans, names: Names, stays: Flags) -> tuple[Ints, Ints, Ints, Ints]:
    entity, sources, forms = rows.entity, rows.sources, rows.forms
    first, last, offsets, texts = spans.first, spans.last, spans.offsets, spans.texts
    said, one_end, other_end = names.said, names.one_end, names.other_end
    counts = np.zeros(len(first), dtype=np.int64)
    room = max(16, 2 * len(entity))
    out_source, out_entity = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    out_forms = np.empty(room, dtype=np.int64)
    end = 0
    for text in range(len(texts) - 1):
        n_rows = offsets[texts[text + 1]] - offsets[texts[text]]
        for i in range(texts[text], texts[text + 1]):
            if end + 2 * n_rows > room:
                room = 2 * room + 2 * n_rows
                out_source, out_entity = _longer(out_source, room), _longer(out_entity, room)
                out_forms = _longer(out_forms, room)
            begin = end
            for row in range(offsets[i], offsets[i + 1]):
                if stays[row]:
                    out_source[end], out_entity[end], out_forms[end] = row, entity[row], forms[row]
                    end += 1
            new = end
            for j in range(texts[text], texts[text + 1]):
                if said[i] != one_end[j] and said[i] != other_end[j]:
                    continue
                if first[i] < last[j] and first[j] < last[i]:
                    continue
                for row in range(offsets[j], offsets[j + 1]):
                    if stays[row] and (sources[row] or forms[row] & _GUESS):
                        end = _hear(entity[row], out_entity, out_forms, begin, new, end)
            out_source[new:end] = -1
            counts[i] = end - begin
    return out_source[:end], out_entity[:end], out_forms[:end], counts


@inlined
def _longer(values: Ints, room: int) -> Ints:
    """The values with room for more."""
    longer = np.empty(room, dtype=np.int64)
    # One by one, because copying a slice takes a second and a half to compile.
    for i in range(len(values)):
        longer[i] = values[i]
    return longer


@kernel
def _hear(entity: int, entities: Ints, forms: Ints, begin: int, new: int, end: int) -> int:
    """Marks the entity among the rows begin to new - 1, or puts it among the new ones, in ascending order; the new
    end."""
    for row in range(begin, new):
        if entities[row] == entity:
            forms[row] |= _ECHO
            return end
    place = end
    while place > new and entities[place - 1] > entity:
        place -= 1
    if place > new and entities[place - 1] == entity:
        return end
    for row in range(end, place, -1):
        entities[row], forms[row] = entities[row - 1], forms[row - 1]
    entities[place], forms[place] = entity, _ECHO
    return end + 1
