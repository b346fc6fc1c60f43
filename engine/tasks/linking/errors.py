"""One stage to blame for every missed link and every false alarm.

A gold link passes three doors: some span over it is proposed; the right entity is among the candidates of such a span;
the right candidate is chosen. If nothing took its place it was declined. If something did, it was scored lower, unless
it beats Nil and each of the answers in its way: then only several of them together, which do not overlap each other,
could keep it out, and the constraint did. A false alarm over a missed gold link shares that link's stage; over no
link at all, Nil was scored lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.document import NIL, Document, Layer, Mention
from engine.metrics.errors import Error, Stage
from engine.metrics.linking import is_overlap_match, linked
from engine.tasks.linking.gold import Gold
from engine.tasks.linking.state import Corpus, State


def find_errors(documents: Sequence[Document], predicted: Sequence[Layer], state: State, bias: float) -> list[Error]:
    corpus = state.ready(documents)
    scores = state.scores(corpus) - bias
    _, marginals = corpus.lattice.marginals(scores)
    gold = Gold(documents, corpus)
    rows_of: dict[int, list[int]] = {}
    for row, found in gold.matches.items():
        for number in found:
            rows_of.setdefault(number, []).append(row)
    errors: list[Error] = []
    number = 0
    for d, (document, layer) in enumerate(zip(documents, predicted, strict=True)):
        answers = linked(layer)
        stages: list[tuple[Mention, Stage]] = []
        for mention in linked(document.gold):
            rows = rows_of.get(number, [])
            number += 1
            if any(is_overlap_match(mention, answer) for answer in answers):
                continue
            stage = _stage(mention, rows, answers, corpus, d, scores)
            stages.append((mention, stage))
            rival = next((a for a in answers if _overlap(a, mention)), None)
            best = max(rows, key=lambda row: scores[row]) if rows else None
            errors.append(
                Error(
                    document=document.id,
                    kind="miss",
                    stage=stage,
                    type=_type(mention, state),
                    start=mention.start,
                    end=mention.end,
                    gold=str(mention.entity),
                    predicted=str(rival.entity) if rival else "",
                    confidence=float(marginals[best]) if best is not None else 0.0,
                    attributes=_attributes(document, mention, state, corpus, d),
                )
            )
        for answer in answers:
            if any(is_overlap_match(mention, answer) for mention in linked(document.gold)):
                continue
            over = next(((m, s) for m, s in stages if _overlap(m, answer)), None)
            place = _row(answer, corpus, d)
            nil = any(m.entity == NIL and _overlap(m, answer) for m in document.gold.mentions)
            errors.append(
                Error(
                    document=document.id,
                    kind="false alarm",
                    stage=over[1] if over else "scored lower",
                    type=_type(over[0] if over else answer, state),
                    start=answer.start,
                    end=answer.end,
                    gold=str(over[0].entity) if over else NIL if nil else "",
                    predicted=str(answer.entity),
                    confidence=float(marginals[place]) if place is not None else 0.0,
                    attributes=_attributes(document, answer, state, corpus, d),
                )
            )
    return errors


def _stage(
    mention: Mention,
    rows: Sequence[int],
    answers: Sequence[Mention],
    corpus: Corpus,
    d: int,
    scores: NDArray[np.float64],
) -> Stage:
    if not rows:
        offsets = corpus.candidates.row_offsets
        spans = corpus.characters[offsets[d] : offsets[d + 1]]
        proposed = bool(np.any((spans[:, 0] < mention.end) & (mention.start < spans[:, 1])))
        return "candidate missing" if proposed else "mention not proposed"
    in_the_way = []
    for row in rows:
        start, end = corpus.characters[row]
        here = [answer for answer in answers if answer.start < end and start < answer.end]
        if not here:
            return "declined by the bias"
        in_the_way.append(here)
    best = max(range(len(rows)), key=lambda i: scores[rows[i]])
    rivals = [_row(answer, corpus, d) for answer in in_the_way[best]]
    score = scores[rows[best]]
    if score > 0 and all(rival is not None and scores[rival] < score for rival in rivals):
        return "forced by a constraint"
    return "scored lower"


def _overlap(a: Mention, b: Mention) -> bool:
    return a.start < b.end and b.start < a.end


def _row(answer: Mention, corpus: Corpus, d: int) -> int | None:
    offsets = corpus.candidates.row_offsets
    for row in range(offsets[d], offsets[d + 1]):
        if corpus.titles[row] == answer.entity and tuple(corpus.characters[row]) == answer.span:
            return row
    return None


def _type(mention: Mention, state: State) -> str:
    """What the corpus calls it, else what the knowledge base does."""
    return mention.type or state.inventory.family(str(mention.entity))


def _attributes(document: Document, mention: Mention, state: State, corpus: Corpus, d: int) -> dict[str, Any]:
    before = document.text[mention.start - 1 : mention.start]
    surface = document.surface(mention)
    offsets = corpus.candidates.row_offsets
    spans = corpus.characters[offsets[d] : offsets[d + 1]]
    return {
        "surface": surface,
        "kind": {"#": "hashtag", "@": "user"}.get(before, "text"),
        "words": len(surface.split()),
        "candidates of the span": int(np.sum((spans[:, 0] == mention.start) & (spans[:, 1] == mention.end))),
        "in inventory": str(mention.entity) in state.inventory.entities,
        "links in training": int(state.memory.total["entities"].get(str(mention.entity), 0)),
    }
