"""Every wrong link with the stage that lost the right one."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.document import NIL, Document, Layer, Mention
from engine.metrics.errors import Error, Kind, Stage, merge_unlisted
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import GOLD_NIL, DisambiguationScored

HAIR = 1e-9
"""Sums in another order must not look like a better sequence."""


def errors(scored: DisambiguationScored, predicted: Sequence[Layer]) -> list[Error]:
    """A wrong link is a miss of the gold entity and a false alarm of the other one, both with the same stage."""
    totals = problem_of(scored).decode().totals
    found: list[Error] = []
    for d, (document, layer) in enumerate(zip(scored.documents, predicted, strict=True)):
        answers = {mention.span: mention for mention in layer.mentions}
        for position, mention in enumerate(document.gold.mentions):
            answer = answers.get(mention.span)
            said = NIL if answer is None or answer.entity is None else answer.entity
            if mention.entity is None or said == mention.entity:
                continue
            m = int(scored.mention_offsets[d]) + position
            stage = _stage(scored, d, m, said, float(totals[d]))
            confidence = float(answer.score or 0.0) if answer is not None else 0.0
            n_candidates = len(scored.rows(m))
            found += _errors_of(document, mention, said, stage, confidence=confidence, n_candidates=n_candidates)
    return merge_unlisted(found, complete=scored.alternatives == "all")


def _errors_of(
    document: Document, mention: Mention, said: str, stage: Stage, *, confidence: float, n_candidates: int
) -> list[Error]:
    kinds: list[Kind] = ["miss"] if mention.is_linked else []
    kinds += ["false alarm"] if said != NIL else []
    return [
        Error(
            document=document.id,
            kind=kind,
            stage=stage,
            type=mention.type or "",
            start=mention.start,
            end=mention.end,
            gold=mention.entity if mention.is_linked and mention.entity is not None else "",
            predicted="" if said == NIL else said,
            confidence=confidence,
            attributes={
                "surface": document.surface(mention),
                "words": len(document.surface(mention).split()),
                "candidates": n_candidates,
                "mentions in the document": len(document.gold.mentions),
            },
            # Accuracy is over the mentions that gold links; a link where gold has NIL is outside it.
            counts=mention.is_linked,
        )
        for kind in kinds
    ]


def _stage(scored: DisambiguationScored, d: int, m: int, said: str, total: float) -> Stage:
    """`total` is the score of the sequence that the search chose for the document. The bias is to blame for NIL only
    where NIL would not have won without it."""
    if scored.gold[m] == GOLD_NIL:
        return "scored lower"
    if scored.gold[m] < 0:
        return "candidate missing"
    if said == NIL:
        return "scored lower" if scored.nil[m] > 0 else "declined by the bias"
    return "pruned by search" if _total_with(scored, d, m) - HAIR > total else "scored lower"


def _total_with(scored: DisambiguationScored, d: int, m: int) -> float:
    """The score of the best sequence that the search finds when this mention is given the right entity."""
    first = int(scored.mention_offsets[d])
    first_row = int(scored.row_offsets[first])
    held = problem_of(scored.one(d)).held_to({m - first: int(scored.gold[m]) - first_row})
    return float(held.decode().totals[0])
