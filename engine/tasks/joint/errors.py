"""The errors of joint: every wrong type and every wrong or missing relation, with the one stage that caused it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.data.document import Document, Layer
from engine.data.plain_text import tokenised
from engine.metrics.errors import Error, Span, Stage, merge_unlisted
from engine.metrics.joint import entity_items, relation_items
from engine.structures.typed_pairs import position
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.scored import JointScored


def errors(scored: JointScored, predicted: Sequence[Layer]) -> list[Error]:
    """A wrong type is a miss and a false alarm at the same span; so is a relation with the wrong label."""
    out: list[Error] = []
    for s, layer in enumerate(predicted):
        one = scored.one(s)
        out += [*_types(one, layer), *_relations(one, layer)]
    return merge_unlisted(out, complete=scored.alternatives == "all")


def _types(one: JointScored, layer: Layer) -> list[Error]:
    document, space = one.documents[0], one.space
    node = {span: i for i, span in enumerate(one.spans(0))}
    out = []
    for span, wanted, given in _unequal(entity_items(document.gold), entity_items(layer)):
        row = one.type_score[node[span]] if span in node else None
        stage = _type_stage(row, wanted, space)
        confidence = float(np.exp(row[space.type(given)])) if row is not None and given in space.types else 0.0
        start, end = span
        attributes = {"what": "entity", "surface": document.text[start:end]}
        wrong = Error(document.id, "miss", stage, wanted, start, end, wanted, given, confidence, attributes)
        # The main score counts relations only.
        out += _told(replace(wrong, counts=False))
    return out


def _relations(one: JointScored, layer: Layer) -> list[Error]:
    document, space = one.documents[0], one.space
    node = {span: i for i, span in enumerate(one.spans(0))}
    out = []
    for pair, wanted, given in _unequal(relation_items(document.gold), relation_items(layer)):
        head, tail = pair
        row = None
        if head in node and tail in node:
            row = one.label_score[position(int(one.sizes[0]), node[head], node[tail])]
        stage = _label_stage(row, wanted, given, space, one.bias)
        confidence = 0.0 if row is None else float(np.exp(row[space.label(given) if given in space.labels else 0]))
        start, end = min(head[0], tail[0]), max(head[1], tail[1])
        attributes: dict[str, Any] = {
            "what": "relation",
            "head": document.text[head[0] : head[1]],
            "tail": document.text[tail[0] : tail[1]],
            "distance": _tokens(document, pair),
        }
        out += _told(Error(document.id, "miss", stage, wanted, start, end, wanted, given, confidence, attributes, pair))
    return out


def _unequal(gold: set[Any], found: set[Any]) -> list[tuple[Any, str, str]]:
    """(place, gold label, predicted label) wherever the two differ; a missing and a surplus label at the same place are
    combined into one wrong answer."""
    missing, surplus = sorted(gold - found), sorted(found - gold)
    out = []
    for place in sorted({where for _, where in (*missing, *surplus)}):
        wanted = [label for label, where in missing if where == place]
        given = [label for label, where in surplus if where == place]
        out += [(place, a, b) for a, b in zip_longest(wanted, given, fillvalue="")]
    return out


def _told(wrong: Error) -> list[Error]:
    """A wrong answer as a miss of the gold label and a false alarm of the predicted one, as far as they exist."""
    out = [replace(wrong, kind="miss", type=wrong.gold)] if wrong.gold else []
    return [*out, replace(wrong, kind="false alarm", type=wrong.predicted)] if wrong.predicted else out


def _type_stage(row: Floats | None, wanted: str, space: Space) -> Stage:
    if not wanted:
        return "scored lower"
    if row is None:
        return "mention not proposed"
    if wanted not in space.types:
        return "candidate missing"
    if np.isneginf(row[space.type(wanted)]):
        return "candidate missing"
    # If the classifier was right by itself, something else overruled it.
    return "forced by a constraint" if space.types[int(row.argmax())] == wanted else "scored lower"


def _label_stage(row: Floats | None, wanted: str, given: str, space: Space, bias: float) -> Stage:
    if row is None:
        return "mention not proposed"
    if wanted and wanted not in space.labels:
        return "candidate missing"
    right = space.label(wanted) if wanted else 0
    if np.isneginf(row[right]):
        return "candidate missing"
    biased = row.copy()
    biased[0] += bias
    if int(biased.argmax()) == right:
        return "forced by a constraint"
    if wanted and not given and int(row.argmax()) == right:
        return "declined by the bias"
    return "scored lower"


def _tokens(document: Document, pair: tuple[Span, Span]) -> int:
    """Tokens between the two mentions."""
    (_, first_end), (second_start, _) = sorted(pair)
    if second_start <= first_end:
        return 0
    start, end = tokenised(document).token_range(first_end, second_start)
    return max(0, end - start)
