"""The errors of linking, each with the one stage that caused it.

A gold link can be lost at three points: no span over it is proposed; the right entity is not among the candidates of
any such span; or the right candidate is not chosen. In the last case, if nothing took its place and it would have
beaten Nil without the bias, the bias declined it. Otherwise it scored lower than Nil or than the answer that took its
place, unless it beats Nil and each overlapping answer taken singly: then only several of those answers together
outweigh it, and the constraint is the cause. A false alarm that overlaps a missed gold link has the same stage as that
link; one that overlaps no gold link means that Nil scored lower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.data.document import NIL, Layer, Mention
from engine.metrics.errors import Error, Stage, merge_unlisted
from engine.metrics.linking import is_overlap_match, linked
from engine.structures.base import Scores
from engine.tasks.linking.scored import LinkingScored


def errors(scored: LinkingScored, predicted: Sequence[Layer]) -> list[Error]:
    """Every miss and false alarm of predicted layers, document by document."""
    biased = scored.biased
    _, marginals = scored.lattice.marginals(biased)
    spelt = {type.casefold(): type for document in scored.documents for type in _types(document.gold)}
    found: list[Error] = []
    for d, layer in enumerate(predicted):
        judged = _Document(scored, d, linked(layer), biased, marginals, spelt)
        found += [*judged.misses(), *judged.false_alarms()]
    return merge_unlisted(found, complete=scored.alternatives == "all")


class _Document:
    """One document compared with its predictions. `stages` holds the missed gold links, each with its stage."""

    def __init__(
        self,
        scored: LinkingScored,
        d: int,
        answers: Sequence[Mention],
        biased: Scores,
        marginals: Scores,
        spelt: Mapping[str, str],
    ) -> None:
        self.scored, self.d, self.answers = scored, d, answers
        self.biased, self.marginals, self.spelt = biased, marginals, spelt
        self.document = scored.documents[d]
        self.gold = linked(self.document.gold)
        self.finders = [scored.finders.get(int(scored.gold_offsets[d]) + i, ()) for i in range(len(self.gold))]
        self.stages = {
            i: self._stage(mention, self.finders[i])
            for i, mention in enumerate(self.gold)
            if not any(is_overlap_match(mention, answer) for answer in answers)
        }

    def misses(self) -> list[Error]:
        return [self._miss(self.gold[i], self.finders[i], stage) for i, stage in self.stages.items()]

    def false_alarms(self) -> list[Error]:
        return [
            self._false_alarm(answer)
            for answer in self.answers
            if not any(is_overlap_match(mention, answer) for mention in self.gold)
        ]

    def _miss(self, mention: Mention, finders: Sequence[int], stage: Stage) -> Error:
        rival = next((answer for answer in self.answers if _overlap(answer, mention)), None)
        best = max(finders, key=lambda part: self.biased[part]) if finders else None
        return Error(
            document=self.document.id,
            kind="miss",
            stage=stage,
            type=self._type(mention),
            start=mention.start,
            end=mention.end,
            gold=str(mention.entity),
            predicted=str(rival.entity) if rival else "",
            # The confidence with which this link was rejected; 0 for a link that was never considered.
            confidence=1.0 - float(self.marginals[best]) if best is not None else 0.0,
            attributes=self._attributes(mention),
        )

    def _false_alarm(self, answer: Mention) -> Error:
        over = next((i for i in self.stages if _overlap(self.gold[i], answer)), None)
        part = self._part(answer)
        nil = any(m.entity == NIL and _overlap(m, answer) for m in self.document.gold.mentions)
        return Error(
            document=self.document.id,
            kind="false alarm",
            stage=self.stages[over] if over is not None else "scored lower",
            type=self._type(self.gold[over] if over is not None else answer),
            start=answer.start,
            end=answer.end,
            gold=str(self.gold[over].entity) if over is not None else NIL if nil else "",
            predicted=str(answer.entity),
            confidence=float(self.marginals[part]) if part is not None else 0.0,
            attributes=self._attributes(answer),
        )

    def _stage(self, mention: Mention, finders: Sequence[int]) -> Stage:
        if not finders:
            return "candidate missing" if len(self.scored.over(self.d, mention.span)) else "mention not proposed"
        in_the_way = [self._answers_over(part) for part in finders]
        free = [part for part, answers in zip(finders, in_the_way, strict=True) if not answers]
        if free:
            return "declined by the bias" if any(self._lost_to_the_bias(part) for part in free) else "scored lower"
        best = max(range(len(finders)), key=lambda i: self.biased[finders[i]])
        score = self.biased[finders[best]]
        rivals = [self._part(answer) for answer in in_the_way[best]]
        if score > 0 and all(rival is not None and self.biased[rival] < score for rival in rivals):
            return "forced by a constraint"
        return "scored lower"

    def _lost_to_the_bias(self, part: int) -> bool:
        return bool(self.scored.score[part] > 0 >= self.biased[part])

    def _answers_over(self, part: int) -> list[Mention]:
        start, end = self.scored.start[part], self.scored.end[part]
        return [answer for answer in self.answers if answer.start < end and start < answer.end]

    def _part(self, answer: Mention) -> int | None:
        """The part that corresponds to an answer, if there is one."""
        parts = self.scored.at_span(self.d, answer.span).tolist()
        return next((part for part in parts if self.scored.title(part) == answer.entity), None)

    def _type(self, mention: Mention) -> str:
        """The mention's type in the corpus, else the one in the knowledge base, in the corpus' spelling if it has
        one."""
        family = self.scored.entities.family(str(mention.entity))
        return mention.type or self.spelt.get(family.casefold(), family)

    def _attributes(self, mention: Mention) -> dict[str, Any]:
        before = self.document.text[mention.start - 1 : mention.start]
        surface = self.document.surface(mention)
        entities, title = self.scored.entities, str(mention.entity)
        told = {
            "surface": surface,
            "kind": {"#": "hashtag", "@": "user"}.get(before, "text"),
            "words": len(surface.split()),
            "candidates of the span": len(self.scored.at_span(self.d, mention.span)),
        }
        if not entities.has_base:
            return told
        return {**told, "in inventory": entities.is_listed(title), "links in training": entities.links(title)}


def _types(layer: Layer) -> list[str]:
    return [mention.type for mention in layer.mentions if mention.type]


def _overlap(a: Mention, b: Mention) -> bool:
    return a.start < b.end and b.start < a.end
