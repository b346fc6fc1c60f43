"""Every wrong link with the stage that lost the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.data.document import NIL, Document, Layer
from engine.learners.sgtb.learner import Block
from engine.metrics.errors import Error, Kind, Stage
from engine.tasks.disambiguation.decoding import Prepared, with_bias


def find_errors(documents: Sequence[Document], predicted: Sequence[Layer], ready: Prepared, bias: float) -> list[Error]:
    """A wrong link is a miss of the gold entity and a false alarm of the other one, both with the same stage."""
    totals = ready.decode(bias).totals
    table = ready.corpus.table
    found: list[Error] = []
    for d, (document, layer) in enumerate(zip(documents, predicted, strict=True)):
        entity = {mention.span: mention for mention in layer.mentions}
        for position, mention in enumerate(document.gold.mentions):
            answer = entity.get(mention.span)
            said = NIL if answer is None or answer.entity is None else answer.entity
            if mention.entity is None or said == mention.entity:
                continue
            m = int(table.document_offsets[d]) + position
            stage = _stage(ready, d, m, mention.entity, said, bias, float(totals[d]))
            kinds: list[Kind] = ["miss"] if mention.is_linked else []
            kinds += ["false alarm"] if said != NIL else []
            for kind in kinds:
                found.append(
                    Error(
                        document=document.id,
                        kind=kind,
                        stage=stage,
                        type=mention.type or "",
                        start=mention.start,
                        end=mention.end,
                        gold="" if mention.entity == NIL else mention.entity,
                        predicted="" if said == NIL else said,
                        confidence=float(answer.score or 0.0) if answer is not None else 0.0,
                        attributes={
                            "surface": document.surface(mention),
                            "words": len(document.surface(mention).split()),
                            "candidates": int(table.row_offsets[m + 1] - table.row_offsets[m]),
                            "mentions in the document": len(document.gold.mentions),
                        },
                    )
                )
    return found


def _stage(ready: Prepared, d: int, m: int, gold: str, said: str, bias: float, total: float) -> Stage:
    table = ready.corpus.table
    if gold != NIL:
        if table.gold[m] < 0:
            return "candidate missing"
        if said == NIL:
            return "declined by the bias"
        if _total_with(ready, d, m, int(table.gold[m]), bias) > total:
            return "pruned by search"
    return "scored lower"


def _total_with(ready: Prepared, d: int, m: int, row: int, bias: float) -> float:
    """The score of the best sequence that the search finds when this mention is given the right entity."""
    choices = with_bias(ready.corpus.choices, bias).part(d, d + 1)
    first = int(ready.corpus.table.document_offsets[d])
    first_row = int(ready.corpus.table.row_offsets[first])
    allowed, declines = choices.allowed.copy(), choices.nil_allowed.copy()
    allowed[choices.row_offsets[m - first] : choices.row_offsets[m - first + 1]] = False
    allowed[row - first_row] = True
    declines[m - first] = False
    block = Block(replace(choices, allowed=allowed, nil_allowed=declines))
    # A hair's breadth: sums in another order must not look like a better sequence.
    nil = ready.corpus.nil[first : first + len(choices.gold)] + bias
    return float(np.float64(block.decode(ready.forest, 0, ready.how, nil).totals[0]) - 1e-9)
