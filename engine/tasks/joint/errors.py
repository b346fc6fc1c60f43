"""One stage to blame for every wrong type and every wrong or missing relation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from engine.data.document import Document, Layer, Mention
from engine.data.plain_text import tokenised
from engine.metrics.errors import Error, Stage
from engine.metrics.joint import entity_items, relation_items
from engine.structures.typed_pairs import position
from engine.tasks.joint.compile import Floats, Space
from engine.tasks.joint.inference import Scored


def errors_of(
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    mentions: Sequence[Sequence[Mention]],
    scored: Scored,
    space: Space,
    bias: float,
) -> list[Error]:
    """A wrong type is a miss and a false alarm at the same span; so is a relation with the wrong label."""
    out: list[Error] = []
    for s, (document, layer) in enumerate(zip(documents, predicted, strict=True)):
        one = scored.sentence(s).corpus
        out += _types(document, layer, mentions[s], one.types, space)
        out += _relations(document, layer, mentions[s], one.labels, space, bias)
    return out


def _types(document: Document, layer: Layer, mentions: Sequence[Mention], scores: Floats, space: Space) -> list[Error]:
    node = {m.span: i for i, m in enumerate(mentions)}
    out = []
    for span, wanted, given in _unequal(entity_items(document.gold), entity_items(layer)):
        row = scores[node[span]] if span in node else None
        if not wanted:
            stage: Stage = "scored lower"
        elif row is None or wanted not in space.types:
            stage = "mention not proposed" if row is None else "candidate missing"
        else:
            # The classifier was right by itself: something else overruled it.
            stage = "forced by a constraint" if space.types[int(row.argmax())] == wanted else "scored lower"
        confidence = float(np.exp(row[space.type(given)])) if row is not None and given in space.types else 0.0
        start, end = span
        attributes = {"what": "entity", "surface": document.text[start:end]}
        if wanted:
            out.append(Error(document.id, "miss", stage, wanted, start, end, wanted, given, confidence, attributes))
        if given:
            out.append(
                Error(document.id, "false alarm", stage, given, start, end, wanted, given, confidence, attributes)
            )
    return out


def _relations(
    document: Document, layer: Layer, mentions: Sequence[Mention], scores: Floats, space: Space, bias: float
) -> list[Error]:
    node = {m.span: i for i, m in enumerate(mentions)}
    out = []
    for pair, wanted, given in _unequal(relation_items(document.gold), relation_items(layer)):
        head, tail = pair
        row = None
        if head in node and tail in node:
            row = scores[position(len(mentions), node[head], node[tail])]
        stage = _stage(row, wanted, given, space, bias)
        confidence = 0.0 if row is None else float(np.exp(row[space.label(given) if given in space.labels else 0]))
        start, end = min(head[0], tail[0]), max(head[1], tail[1])
        attributes: dict[str, Any] = {
            "what": "relation",
            "head": document.text[head[0] : head[1]],
            "tail": document.text[tail[0] : tail[1]],
            "distance": _tokens(document, pair),
        }
        if wanted:
            out.append(
                Error(document.id, "miss", stage, wanted, start, end, wanted, given, confidence, attributes, pair)
            )
        if given:
            out.append(
                Error(document.id, "false alarm", stage, given, start, end, wanted, given, confidence, attributes, pair)
            )
    return out


def _unequal(gold: set[Any], found: set[Any]) -> list[tuple[Any, str, str]]:
    """(place, gold's label, given label) wherever the two differ; a missing and a surplus label of one place are one
    wrong answer."""
    missing, surplus = sorted(gold - found), sorted(found - gold)
    out = []
    for place in sorted({where for _, where in (*missing, *surplus)}):
        wanted = [label for label, where in missing if where == place]
        given = [label for label, where in surplus if where == place]
        out += [(place, a, b) for a, b in zip_longest(wanted, given, fillvalue="")]
    return out


def _stage(row: Floats | None, wanted: str, given: str, space: Space, bias: float) -> Stage:
    if row is None:
        return "mention not proposed"
    if wanted and wanted not in space.labels:
        return "candidate missing"
    right = space.label(wanted) if wanted else 0
    biased = row.copy()
    biased[0] += bias
    if int(biased.argmax()) == right:
        return "forced by a constraint"
    if wanted and not given and int(row.argmax()) == right:
        return "declined by the bias"
    return "scored lower"


def _tokens(document: Document, pair: tuple[tuple[int, int], tuple[int, int]]) -> int:
    """Tokens between the two mentions."""
    (_, first_end), (second_start, _) = sorted(pair)
    if second_start <= first_end:
        return 0
    start, end = tokenised(document).token_range(first_end, second_start)
    return max(0, end - start)
