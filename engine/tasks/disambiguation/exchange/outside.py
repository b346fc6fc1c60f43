"""Import and export of disambiguation's scores: candidates of given mentions, each scored relative to NIL.

Imported scores are independent: every mention is decided by itself. Scores of a beam search are exported as they are
given the decisions of the chosen sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.corpora.scores.parts import Json, Link, Part, Span, name_of, numbers_of
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import Scale, additive
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import NEVER, DisambiguationScored
from engine.tasks.disambiguation.search.recording import answer, record
from engine.tasks.outside.records import Exchange, Gathering


class DisambiguationGathering(Gathering[DisambiguationScored]):
    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._scores: list[list[dict[str, float]]] = []
        self._nil: list[list[float]] = []
        self._declines = False

    def add(self, document: Document, record: ScoreRecord) -> None:
        said = _by_mention(document, record)
        scores: list[dict[str, float]] = []
        odds: list[float] = []
        for mention in document.gold.mentions:
            links = said.get(mention.span, {})
            declining = None in links
            values = {
                entity: additive(link.score, record.scale, declining=declining)
                for entity, link in links.items()
                if entity is not None
            }
            scores.append(values)
            odds.append(_log_odds(values, links.get(None), record.scale))
            self._declines |= declining
        self._documents.append(document)
        self._scores.append(scores)
        self._nil.append(odds)

    def known(self) -> dict[str, Any]:
        return {"declines": self._declines}

    def hear(self, known: Mapping[str, Any]) -> None:
        self._declines = bool(known.get("declines", False))

    def scored(self) -> DisambiguationScored:
        """If declining is scored nowhere, every mention is linked unless a bias is chosen."""
        bias = 0.0 if self._declines else NEVER
        return DisambiguationScored.from_scores(self._documents, self._scores, nil=self._nil, bias=bias)


def _by_mention(document: Document, record: ScoreRecord) -> dict[Span, dict[str | None, Link]]:
    spans = {mention.span for mention in document.gold.mentions}
    found: dict[Span, dict[str | None, Link]] = {}
    for i, part in enumerate(record.parts):
        field = f"parts[{i}]"
        if not isinstance(part, Link):
            raise InputError("disambiguation scores entities of mentions; this part is something else", field=field)
        if part.span not in spans:
            raise InputError(
                f"the data have no mention at [{part.span[0]}, {part.span[1]}); disambiguation decides given"
                " mentions, linking finds its own",
                field=field,
            )
        of_mention = found.setdefault(part.span, {})
        if part.entity in of_mention:
            raise InputError(f"{part.entity or 'declining'!r} is scored twice for one mention", field=field)
        of_mention[part.entity] = part
    return found


def _log_odds(values: Mapping[str, float], nil: Link | None, scale: Scale) -> float:
    """Log-odds of NIL against all candidates together, as DisambiguationScored has them."""
    if not values:
        return 0.0
    if nil is not None and nil.odds is not None:
        return nil.odds
    score = 0.0 if nil is None else additive(nil.score, scale, declining=True)
    return score - float(np.logaddexp.reduce(list(values.values())))


def parts(scored: DisambiguationScored, documents: Sequence[Document]) -> Iterator[list[Json]]:
    for d, (given, document) in enumerate(zip(scored.documents, documents, strict=True)):
        one, numbers = scored.one(d), numbers_of(document)
        scores = _first_order(one)
        own: list[Json] = []
        seen: set[Span] = set()
        for m, mention in enumerate(given.gold.mentions):
            rows = one.rows(m)
            if mention.span in seen or not len(rows):
                continue
            seen.add(mention.span)
            name = name_of(mention.span, numbers)
            nil = float(one.nil[m] + np.logaddexp.reduce(scores[rows.start : rows.stop]))
            own.append({"mention": name, "entity": None, "score": nil, "odds": float(one.nil[m])})
            own += [{"mention": name, "entity": one.title(row), "score": float(scores[row])} for row in rows]
        yield own


def _first_order(one: DisambiguationScored) -> Floats:
    """A score for every candidate of a document: its own, or its score given the decisions of the chosen sequence."""
    if one.score is not None:
        return one.score
    scores = np.zeros(one.n_rows)
    if one.n_mentions:
        problem = problem_of(one)
        found = answer(problem, record(problem))
        starts = found.run.starts(found.k)
        for m in range(one.n_mentions):
            rows = one.rows(m)
            scores[rows.start : rows.stop] = found.run.block.cache.scores[starts[m] : starts[m] + len(rows)]
    return scores


def answers(document: Document, layer: Layer) -> list[Part]:
    """The layer's links as parts. Mentions that the document does not have are ignored."""
    given = {mention.span for mention in document.gold.mentions}
    said = {mention.span: mention.entity for mention in layer.mentions if mention.is_linked and mention.span in given}
    return [Link(span, entity, 1.0) for span, entity in said.items()]


EXCHANGE: Final = Exchange[DisambiguationScored]("logit", DisambiguationGathering, parts, answers)
