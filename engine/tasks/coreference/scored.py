"""Coreference's scored corpus: mentions, arcs and their scores.

The mentions of a document are in text order and numbered from 1 within it; 0 is the root. An arc from head i to mention
j means that i is the antecedent of j; an arc from the root means that j starts an entity (Björkelund and Kuhn 2014,
section 3). The arcs of a mention are adjacent: first the root's, then those from antecedents, far to near.

With local features the score of a tree is the sum of its arcs' scores. With non-local ones an arc's score also depends
on the clusters to its left; then `steps` is the scorer of that part, which reads `flags`, `codes` and `facts`.

Scores of another program are imported with `CoreferenceScored.of`:

    scored = CoreferenceScored.of(documents, mentions=spans, arcs=[(heads, dependents, scores), ...])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Bytes, Flags, Floats, Ints, ShortInts, Words
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.learners.laso.arrays import ClusterTemplates, Rules, Scoring, TreeInstance
from engine.structures.tree import AntecedentTree
from engine.tasks.scored import Alternatives, Scored, column, offsets, parts_of

Span: TypeAlias = tuple[int, int]
Arcs: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]
"""Heads, dependents and scores of the arcs of one document."""

BEAM: Final = 20
_NO_ROWS: Final = np.zeros((0, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class ClusterScorer:
    """The scorer of the steps: what joining a cluster adds to the score of an arc, by non-local features."""

    templates: ClusterTemplates
    weights: Floats = field(repr=False)

    @property
    def scoring(self) -> Scoring:
        """The scorer in the form that the search reads."""
        return Scoring(self.templates, self.weights)

    def to_parts(self) -> dict[str, Any]:
        used = np.flatnonzero(self.weights)
        return {
            "sources": self.templates.sources,
            "columns": self.templates.columns,
            "seeds": self.templates.seeds,
            "rules": np.array(self.templates.rules),
            "numbers": used,
            "weights": self.weights[used],
            "size": len(self.weights),
        }

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> ClusterScorer:
        weights = np.zeros(int(parts["size"]))
        weights[parts["numbers"]] = parts["weights"]
        rules = Rules(*parts["rules"].tolist())
        return cls(ClusterTemplates(parts["sources"], parts["columns"], parts["seeds"], rules), weights)


@dataclass(frozen=True, eq=False, kw_only=True)
class CoreferenceScored(Scored):
    """Mentions and arcs of a corpus. Numbers of mentions count from 1 within their document."""

    word_offsets: Ints = offsets("word")
    word_start: ShortInts = column("word")
    """Characters of the words that mentions consist of, since pins apply to whole words."""
    word_end: ShortInts = column("word")

    mention_offsets: Ints = offsets("mention")
    start: Ints = column("mention")
    end: Ints = column("mention")
    gold: Ints = column("mention")
    """The gold cluster of a mention, from 1 within its document; 0 for none."""
    word_class: tuple[str, ...] = column("mention")
    """P pronoun, N name, C common noun, or empty. This and the other properties are shown by views and tables of
    errors."""
    kind: tuple[str, ...] = column("mention")
    head_word: tuple[str, ...] = column("mention")
    relation: tuple[str, ...] = column("mention")
    seen: tuple[str, ...] = column("mention")
    sentence: Ints = column("mention")

    arc_offsets: Ints = offsets("arc", of="mention")
    head: ShortInts = column("arc")
    score: Floats = column("arc")
    allowed: Flags = column("arc")
    """Arcs that agree with the gold clusters."""

    singletons: bool = True
    """Whether clusters of one mention are part of the output."""
    beam: int = BEAM
    """The number of partial clusterings, or trees, that a beam search keeps."""
    agenda: str = "clusterings"
    """What counts as a distinct item of the beam: clusterings or trees."""

    steps: ClusterScorer | None = None
    pair_offsets: Ints = offsets("pair")
    flags: Bytes = column("pair")
    """Matches and clashes of every pair i < j of mentions, at (j - 1)(j - 2) / 2 + i - 1; no pairs without `steps`."""
    codes: Words = column("mention")
    facts: ShortInts = column("mention")

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        mentions: Sequence[Sequence[Span]],
        arcs: Sequence[Arcs],
        *,
        singletons: bool = True,
        alternatives: Alternatives = "all",
    ) -> CoreferenceScored:
        """Scores of another program: per document the spans of its mentions in text order, and its arcs in any order.

        Heads and dependents are numbers of mentions from 1, head 0 is the root. A mention without an arc from the root
        gets one that scores 0: the scores of its antecedents are relative to starting an entity.
        """
        pieces = [
            _one_document(document, list(spans), *(np.asarray(one) for one in scored))
            for document, spans, scored in zip(documents, mentions, arcs, strict=True)
        ]
        made = cls.joined(pieces) if pieces else _one_document(Document("", ""), [], *np.zeros((3, 0))).part(0, 0)
        return replace(made, singletons=singletons, alternatives=alternatives)

    @classmethod
    def restored(cls, values: dict[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        saved = parts_of(parts, "steps")
        return {**values, "steps": ClusterScorer.from_parts(saved)} if saved else values

    def each(self) -> Iterator[CoreferenceScored]:
        """The documents, each as a corpus of its own."""
        return (self.one(index) for index in range(len(self)))

    # The following apply to a corpus of one document.

    @property
    def document(self) -> Document:
        [document] = self.documents
        return document

    @property
    def n(self) -> int:
        """The number of mentions of the document."""
        return len(self.start)

    def span(self, mention: int) -> Span:
        """Characters of a mention (from 1)."""
        return int(self.start[mention - 1]), int(self.end[mention - 1])

    def spans(self) -> list[Span]:
        return list(zip(self.start.tolist(), self.end.tolist(), strict=True))

    def arc(self, head: int, mention: int) -> int:
        """The number of the arc between two mentions; InputError if there is none."""
        first, last = int(self.arc_offsets[mention - 1]), int(self.arc_offsets[mention])
        found = first + int(np.searchsorted(self.head[first:last], head))
        if found == last or self.head[found] != head:
            raise InputError(f"mention {head} is not a candidate antecedent of mention {mention}")
        return found

    def dependent(self, arc: int) -> int:
        """The mention (from 1) that an arc leads to."""
        return int(np.searchsorted(self.arc_offsets, arc, side="right"))

    def tree(self) -> AntecedentTree:
        """The trees that the arcs allow."""
        return AntecedentTree(self.head, np.repeat(np.arange(1, self.n + 1), np.diff(self.arc_offsets)))

    def instance(self) -> TreeInstance:
        """The document in the form that the search kernels take: mention 0 is the root, arcs have no rows of
        features."""
        root = np.zeros((1, self.codes.shape[1]), dtype=np.uint64), np.zeros((1, self.facts.shape[1]), dtype=np.int32)
        codes, facts = np.concatenate([root[0], self.codes]), np.concatenate([root[1], self.facts])
        return TreeInstance(self.n, self.arc_offsets, self.head, _NO_ROWS, self.allowed, self.flags, codes, facts)


def allowed_arcs(gold: Ints, arc_offsets: Ints, head: ShortInts) -> Flags:
    """The arcs within a gold cluster, or the root's arc if a mention has none (the paper's constrained antecedents)."""
    cluster = np.concatenate([[0], gold])
    dependents = np.repeat(np.arange(1, len(arc_offsets)), np.diff(arc_offsets))
    allowed: Flags = (head > 0) & (cluster[dependents] > 0) & (cluster[head] == cluster[dependents])
    linked = np.zeros(len(arc_offsets), dtype=np.bool_)
    linked[dependents[allowed]] = True
    allowed[arc_offsets[:-1]] = ~linked[1:]
    return allowed


def _one_document(
    document: Document, spans: list[Span], heads: Ints, dependents: Ints, scores: Floats
) -> CoreferenceScored:
    _check_spans(document, spans)
    _check_arcs(document, len(spans), heads, dependents, scores)
    n = len(spans)
    rootless = np.setdiff1d(np.arange(1, n + 1), dependents[heads == 0])
    head = np.concatenate([heads, np.zeros(len(rootless))]).astype(np.int32)
    dependents = np.concatenate([dependents, rootless]).astype(np.int64)
    order = np.lexsort((head, dependents))
    arc_offsets = np.concatenate([[0], np.cumsum(np.bincount(dependents, minlength=n + 1)[1:])])
    read = tokenised(document)
    sentences = [read.token_range(*span)[0] for span in spans]
    gold = _gold_clusters(document, spans)
    return CoreferenceScored(
        documents=(document,),
        word_offsets=np.array([0, len(read.tokens)]),
        word_start=np.array([start for start, _ in read.tokens], dtype=np.int32),
        word_end=np.array([end for _, end in read.tokens], dtype=np.int32),
        mention_offsets=np.array([0, n]),
        start=np.array([start for start, _ in spans], dtype=np.int64),
        end=np.array([end for _, end in spans], dtype=np.int64),
        gold=gold,
        word_class=("",) * n,
        kind=("",) * n,
        head_word=("",) * n,
        relation=("",) * n,
        seen=("",) * n,
        sentence=np.searchsorted([last for _, last in read.sentences], sentences, side="right"),
        arc_offsets=arc_offsets,
        head=head[order],
        score=np.concatenate([scores, np.zeros(len(rootless))]).astype(np.float64)[order],
        allowed=allowed_arcs(gold, arc_offsets, head[order]),
        pair_offsets=np.zeros(2, dtype=np.int64),
        flags=np.zeros(0, dtype=np.uint8),
        codes=np.zeros((n, 0), dtype=np.uint64),
        facts=np.zeros((n, 0), dtype=np.int32),
    )


def _gold_clusters(document: Document, spans: Sequence[Span]) -> Ints:
    layer = document.gold
    cluster_of = {
        layer.mentions[mention].span: number for number, cluster in enumerate(layer.clusters, 1) for mention in cluster
    }
    return np.array([cluster_of.get(span, 0) for span in spans], dtype=np.int64)


def _check_spans(document: Document, spans: Sequence[Span]) -> None:
    for start, end in spans:
        if not 0 <= start < end <= len(document.text):
            raise InputError(f"document {document.id!r} has no text at [{start}, {end}), where a mention should be")
    for (start, end), (next_start, next_end) in pairwise(spans):
        if (start, -end) >= (next_start, -next_end):
            raise InputError(
                f"mentions of document {document.id!r} must stand in text order, of equal starts the longer first:"
                f" [{next_start}, {next_end}) comes after [{start}, {end})"
            )


def _check_arcs(document: Document, n: int, heads: Ints, dependents: Ints, scores: Floats) -> None:
    where = f"arcs of document {document.id!r}"
    if heads.ndim != 1 or not heads.shape == dependents.shape == scores.shape:
        raise InputError(f"{where}: heads, dependents and scores must be three lists of the same length")
    if len(heads) and not (0 <= heads.min() and dependents.max() <= n and (heads < dependents).all()):
        raise InputError(f"{where}: a head is 0 or the number of an earlier mention, and there are {n} mentions")
    if len(np.unique(np.stack([heads, dependents], axis=1), axis=0)) < len(heads):
        raise InputError(f"{where}: two arcs lead from one head to one mention")
    if not np.isfinite(scores).all():
        raise InputError(f"{where}: a score is not a finite number")
