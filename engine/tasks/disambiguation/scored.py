"""Disambiguation's scored corpus: the mentions of a corpus, their candidates, and the candidates' scores.

Documents hold mentions, mentions hold rows, and a row is one candidate: a part. Every mention takes one of its rows or
is declined (NIL). Declining competes with the mention's candidates taken together: its score is `nil` plus the bias
plus the log-sum-exp of the candidates' scores.

Either each candidate has a score of its own, independent of other decisions (`score`): then every mention is decided
independently and the curve is exact. Or a score depends on earlier decisions: then `steps` scores the candidates during
a beam search. Scores of another program are of the first kind:

    DisambiguationScored.from_scores(documents, [[{"Georgia (country)": 1.3, "Georgia (U.S. state)": 0.2}]])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import NIL, Document, Mention
from engine.data.errors import InputError
from engine.structures.beam import NIL_ROW
from engine.tasks.disambiguation.search.steps import TreeSteps
from engine.tasks.scored import Alternatives, Scored, column, offsets, parts_of

NO_GOLD: Final = -1
"""Gold says nothing about the mention."""
GOLD_MISSING: Final = -2
"""The right entity is not among the candidates."""
GOLD_NIL: Final = -3
"""Gold says that the mention names nothing in the knowledge base."""

NEVER: Final = -100.0
"""The bias at which nothing is declined, as in-KB accuracy requires; log-odds of NIL are always far below 100."""
WIDTH: Final = 4
"""The default beam width."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DisambiguationScored(Scored):
    mention_offsets: Ints = offsets("mention")
    """Mentions are those of the gold layer, in its order."""
    row_offsets: Ints = offsets("row", of="mention")
    entity: Ints = column("row")
    """The index of the candidate's title in `titles`."""
    titles: tuple[str, ...]
    gold: Ints = column("mention", points_to="row")
    """The right row, or NO_GOLD, GOLD_MISSING, GOLD_NIL."""
    nil: Floats = column("mention")
    """Log-odds of NIL against all candidates together, before the bias."""
    score: Floats | None = column("row", optional=True)
    """Each candidate's own score; None if `steps` scores them."""
    steps: TreeSteps | None = None
    width: int = WIDTH
    """Number of sequences that the beam keeps. If mentions are decided independently, any width finds the best."""
    familiar: Mapping[str, Sequence[str]] | None = None
    """The entities to which training linked each name of the corpus; None if unknown."""

    def __post_init__(self) -> None:
        if (self.score is None) == (self.steps is None):
            raise ValueError("candidates have either scores of their own or a scorer of the steps")

    @classmethod
    def from_scores(
        cls,
        documents: Sequence[Document],
        scores: Sequence[Sequence[Mapping[str, float]]],
        *,
        nil: Sequence[Sequence[float]] | None = None,
        alternatives: Alternatives = "all",
        bias: float = 0.0,
    ) -> DisambiguationScored:
        """A corpus from the candidates and scores of each document and mention. Without log-odds of NIL, the scores are
        taken as relative to declining, which then scores 0."""
        titles: dict[str, int] = {}
        mentions = [mention for document in documents for mention in document.gold.mentions]
        candidates = [found for of_document in scores for found in of_document]
        row_offsets = to_offsets([len(found) for found in candidates])
        score = np.array([value for found in candidates for value in found.values()], dtype=np.float64)
        if not np.isfinite(score).all():
            raise InputError("a candidate's score is not a number")
        together = [np.logaddexp.reduce(list(found.values())) if found else 0.0 for found in candidates]
        made = cls(
            documents=tuple(documents),
            bias=bias,
            alternatives=alternatives,
            mention_offsets=to_offsets([len(of_document) for of_document in scores]),
            row_offsets=row_offsets,
            entity=np.array([titles.setdefault(t, len(titles)) for found in candidates for t in found], dtype=np.int64),
            titles=tuple(titles),
            gold=np.array(
                [
                    _gold(m, list(found), int(at))
                    for m, found, at in zip(mentions, candidates, row_offsets, strict=False)
                ],
                dtype=np.int64,
            ),
            nil=-np.array(together) if nil is None else np.array([one for of in nil for one in of], dtype=np.float64),
            score=score,
        )
        made.check()
        return made

    @property
    def n_mentions(self) -> int:
        return len(self.gold)

    @property
    def n_rows(self) -> int:
        return len(self.entity)

    def rows(self, mention: int) -> range:
        """The candidates of a mention."""
        return range(int(self.row_offsets[mention]), int(self.row_offsets[mention + 1]))

    def title(self, row: int) -> str:
        return NIL if row == NIL_ROW else self.titles[self.entity[row]]

    def mention_documents(self) -> Ints:
        """The document of every mention."""
        return np.repeat(np.arange(len(self)), np.diff(self.mention_offsets))

    def part(self, first: int, last: int) -> DisambiguationScored:
        made = super().part(first, last)
        if self.steps is None:
            return made
        mentions = int(self.mention_offsets[first]), int(self.mention_offsets[last])
        rows = int(self.row_offsets[mentions[0]]), int(self.row_offsets[mentions[1]])
        return replace(made, steps=self.steps.part((first, last), mentions, rows))

    @classmethod
    def joined(cls, pieces: Sequence[DisambiguationScored]) -> DisambiguationScored:
        """Several corpora as one. Their titles may be in different orders; all must be scored in the same way."""
        titles: dict[str, int] = {}
        renumbered = []
        for piece in pieces:
            places = np.array([titles.setdefault(title, len(titles)) for title in piece.titles], dtype=np.int64)
            renumbered.append(replace(piece, entity=places[piece.entity]))
        steps = [piece.steps for piece in pieces if piece.steps is not None]
        familiar = [piece.familiar for piece in pieces if piece.familiar is not None]
        return replace(
            super().joined(renumbered),
            titles=tuple(titles),
            steps=TreeSteps.joined(steps) if steps else None,
            familiar=dict(chain.from_iterable(one.items() for one in familiar)) if familiar else None,
        )

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> DisambiguationScored:
        made = super().from_parts(parts)
        made.check()
        return made

    @classmethod
    def restored(cls, values: dict[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        steps = parts_of(parts, "steps")
        return {**values, "steps": TreeSteps.from_parts(steps)} if steps else values

    def check(self) -> None:
        """Raise InputError if the arrays are inconsistent, since files and other programs may contain anything."""
        for name in ("mention_offsets", "row_offsets", "entity", "gold"):
            if getattr(self, name).dtype != np.int64 or getattr(self, name).ndim != 1:
                raise InputError(f"{name} is not a column of whole numbers")
        sizes = [len(document.gold.mentions) for document in self.documents]
        if not np.array_equal(self.mention_offsets, to_offsets(sizes)):
            raise InputError("the scores are not of the mentions of these documents")
        if self.n_mentions != sum(sizes) or not _is_ascending(self.row_offsets, self.n_mentions, self.n_rows):
            raise InputError("the scores do not say which candidates each mention has")
        if not _are_scores(self.nil, self.n_mentions):
            raise InputError("the scores do not say what declining each mention scores")
        if ((self.entity < 0) | (self.entity >= len(self.titles))).any():
            raise InputError("a candidate has no title")
        if self.score is not None and not _are_scores(self.score, self.n_rows):
            raise InputError("a candidate's score is missing or is not a number")
        inside = (self.gold >= self.row_offsets[:-1]) & (self.gold < self.row_offsets[1:])
        if not (inside | np.isin(self.gold, (NO_GOLD, GOLD_MISSING, GOLD_NIL))).all():
            raise InputError("a right entity is not a candidate of its mention")
        if not 1 <= self.width:
            raise InputError("a beam keeps at least one sequence")
        if self.steps is not None:
            of_row = np.repeat(self.mention_documents(), np.diff(self.row_offsets))
            self.steps.check(len(self), self.n_mentions, of_row)


def to_offsets(sizes: Sequence[int] | Ints) -> Ints:
    """The start of each run of rows, and the end of the last."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)


def _is_ascending(found: Ints, n: int, end: int) -> bool:
    """Whether these are valid offsets of n runs of rows, the last of which ends with the last row."""
    return len(found) == n + 1 and found[0] == 0 and found[-1] == end and bool((np.diff(found) >= 0).all())


def _are_scores(found: Floats, n: int) -> bool:
    return found.dtype == np.float64 and found.shape == (n,) and bool(np.isfinite(found).all())


def _gold(mention: Mention, candidates: Sequence[str], first: int) -> int:
    if mention.entity is None:
        return NO_GOLD
    if mention.entity == NIL:
        return GOLD_NIL
    return first + candidates.index(mention.entity) if mention.entity in candidates else GOLD_MISSING
