"""The errors of disambiguation: every wrong link, with the stage that lost the right one."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.document import NIL, Document, Layer, Mention
from engine.metrics.errors import Error, Kind, Stage, merge_unlisted
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import GOLD_NIL, DisambiguationScored
from engine.tasks.disambiguation.search.recording import answer, beats, record


def errors(scored: DisambiguationScored, predicted: Sequence[Layer]) -> list[Error]:
    """A wrong link is a miss of the gold entity and a false alarm of the other one, both with the same stage."""
    totals = problem_of(scored).decode().totals
    whose = _Followed(scored)
    found: list[Error] = []
    for d, (document, layer) in enumerate(zip(scored.documents, predicted, strict=True)):
        answers = {mention.span: mention for mention in layer.mentions}
        for position, mention in enumerate(document.gold.mentions):
            answer = answers.get(mention.span)
            said = NIL if answer is None or answer.entity is None else answer.entity
            if mention.entity is None or said == mention.entity:
                continue
            m = int(scored.mention_offsets[d]) + position
            stage = _stage(scored, d, m, said, float(totals[d]), whose)
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
            # Accuracy counts only mentions that gold links, so a link where gold has NIL is not part of it.
            counts=mention.is_linked,
        )
        for kind in kinds
    ]


class _Followed:
    """Which direction was followed in each document, if the two directions look ahead to each other."""

    def __init__(self, scored: DisambiguationScored) -> None:
        self._scored, self._kept = scored, dict[int, tuple[float, ...]]()

    def weights(self, d: int) -> tuple[float, ...]:
        if self._scored.steps is None or not self._scored.steps.look_ahead:
            return ()
        if d not in self._kept:
            problem = problem_of(self._scored.one(d))
            self._kept[d] = answer(problem, record(problem)).weights
        return self._kept[d]


def _stage(scored: DisambiguationScored, d: int, m: int, said: str, total: float, whose: _Followed) -> Stage:
    """The stage that lost the right entity. `total` is the score of the sequence chosen for the document. The bias is
    the cause of a NIL only if NIL would not have won without it."""
    if scored.gold[m] == GOLD_NIL:
        return "scored lower"
    if scored.gold[m] < 0:
        return "candidate missing"
    if said == NIL:
        return "scored lower" if scored.nil[m] > 0 else "declined by the bias"
    first = int(scored.mention_offsets[d])
    row = int(scored.gold[m]) - int(scored.row_offsets[first])
    lost = beats(problem_of(scored.one(d)), m - first, row, total, whose.weights(d))
    return "pruned by search" if lost else "scored lower"
