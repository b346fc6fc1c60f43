"""Turns texts into scored parts: candidates, their features, and their scores.

A two-stage model scores twice: the second time with features between entities and those that the first stage chose
(Yang and Chang 2015, section 3.3).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from engine.arrays import Ints, ShortInts, Singles
from engine.data.document import NIL, Document
from engine.data.errors import InputError
from engine.data.pins import LinkPin
from engine.features.linking.all import basic_matrix
from engine.features.linking.candidates import Candidates, collect
from engine.features.linking.entity_pairs import pair_matrix
from engine.features.linking.inventory import Inventory
from engine.features.linking.registry import CandidateTable
from engine.features.linking.text.tokens import read_tokens
from engine.learners.base import Scorer
from engine.metrics.linking import linked, titles_of
from engine.structures.base import Parts, Scores
from engine.tasks.base import DocumentPins, Model
from engine.tasks.linking.entities import Entities
from engine.tasks.linking.scored import LinkingScored, find_gold
from engine.tasks.linking.settings import LinkingSettings
from engine.tasks.linking.state import FirstStage, LinkingKnowledge, LinkingState
from engine.tasks.training.reusing import prepared

V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class LinkingRows:
    """Texts as rows of features: one row for each part of `parts`, whose scores are still 0."""

    candidates: Candidates
    features: Singles
    parts: LinkingScored


def score(
    documents: Sequence[Document],
    model: Model[LinkingSettings, LinkingState],
    *,
    pins: DocumentPins | None = None,
) -> LinkingScored:
    """The corpus as scored parts, at the model's bias. Entities named by pins are added to the table of entities."""
    if pins:
        return scored_rows(rows_of(documents, model.state.knowledge, model.state.first, pins=pins), model)
    rows = basic_rows(documents, model.state.knowledge)
    if model.state.first is not None:
        rows = second_rows(rows, model.state.knowledge.inventory, model.state.first)
    return scored_rows(rows, model)


def basic_rows(documents: Sequence[Document], knowledge: LinkingKnowledge) -> LinkingRows:
    """Unseen texts as rows of the first stage; computed once if several trainings share their knowledge."""
    return prepared(documents, ("linking", knowledge), lambda: rows_of(documents, knowledge, None))


def scored_rows(rows: LinkingRows, model: Model[LinkingSettings, LinkingState]) -> LinkingScored:
    """Rows with all features that the model uses, as scored parts at its bias."""
    return rows.parts.rescored(scores_of(rows, model.state.scorer)).at(model.bias)


def rows_of(
    documents: Sequence[Document],
    knowledge: LinkingKnowledge,
    first: FirstStage | None,
    *,
    pins: DocumentPins | None = None,
) -> LinkingRows:
    """Unseen texts as rows, with entity-entity features if there is a first stage."""
    tokens = [read_tokens(document) for document in documents]
    spans = knowledge.proposer.all_spans(tokens)
    readers = [knowledge.reader] * len(documents)
    candidates = collect(tokens, spans, readers, knowledge.inventory, most=knowledge.entities)
    rows = candidate_rows(documents, candidates, knowledge, pins=pins)
    return rows if first is None else second_rows(rows, knowledge.inventory, first)


def candidate_rows(
    documents: Sequence[Document],
    candidates: Candidates,
    knowledge: LinkingKnowledge,
    *,
    pins: DocumentPins | None = None,
) -> LinkingRows:
    """Candidates with the features of the first stage."""
    table = CandidateTable(candidates, knowledge.inventory)
    return LinkingRows(candidates, basic_matrix(table), _parts(documents, table, knowledge, pins or {}))


def second_rows(rows: LinkingRows, inventory: Inventory, first: FirstStage) -> LinkingRows:
    """The rows with features that compare each entity with those that the first stage chooses among them."""
    return with_pairs(rows, inventory, rows.parts.lattice.argmax(scores_of(rows, first.scorer) - first.bias))


def with_pairs(rows: LinkingRows, inventory: Inventory, chosen: Parts) -> LinkingRows:
    """The rows with features that compare each entity with those that a first stage chose."""
    extra = pair_matrix(CandidateTable(rows.candidates, inventory), chosen)
    return dataclasses.replace(rows, features=np.hstack([rows.features, extra]))


def scores_of(rows: LinkingRows, scorer: Scorer) -> Scores:
    """One score per row; InputError where the model gives none, as damaged weights may."""
    if not len(rows.features):
        return np.zeros(0)
    scores = np.asarray(scorer.scores(rows.features), dtype=np.float64)
    if not np.isfinite(scores).all():
        raise InputError("the model gives scores that are not finite: its file is damaged; train it again")
    return scores


def _parts(
    documents: Sequence[Document], table: CandidateTable, knowledge: LinkingKnowledge, pins: DocumentPins
) -> LinkingScored:
    """Candidates as parts without scores."""
    c = table.candidates
    mention = table.mention
    token_offsets = np.cumsum([0, *(len(text) for text in c.tokens)], dtype=np.int64)
    token_start = np.array([at for text in c.tokens for at in text.starts], dtype=np.int64)
    token_end = np.array([at for text in c.tokens for at in text.ends], dtype=np.int64)
    before = token_offsets[c.document]
    start, end = token_start[before + c.first][mention], token_end[before + c.last - 1][mention]
    offsets = c.row_offsets.astype(np.int64)
    found = find_gold(documents, offsets, start, end, table.titles)
    entities, entity = _entities(table, knowledge, _named(documents, pins))
    return LinkingScored(
        documents=tuple(documents),
        token_offsets=token_offsets,
        token_start=token_start,
        token_end=token_end,
        part_offsets=offsets,
        first=c.first[mention].astype(np.int64),
        last=c.last[mention].astype(np.int64),
        start=start,
        end=end,
        entity=entity,
        score=np.zeros(c.n_rows),
        gold_offsets=found.gold_offsets,
        find_offsets=found.offsets,
        finds=found.links,
        entities=entities,
    )


def _named(documents: Sequence[Document], pins: DocumentPins) -> Iterable[str]:
    """Titles that occur in gold or in a pin, whether or not they are candidates."""
    for document in documents:
        for mention in linked(document.gold):
            yield from sorted(titles_of(mention))
        for pin in pins.get(document.id, ()):
            if isinstance(pin, LinkPin) and pin.entity not in (None, NIL):
                yield str(pin.entity)


def _entities(table: CandidateTable, knowledge: LinkingKnowledge, named: Iterable[str]) -> tuple[Entities, Ints]:
    """The entities of the candidates, followed by other named ones; and the entity of every row."""
    kb, counts = knowledge.inventory.entities, knowledge.memory.total["entities"]
    numbers = table.entities
    known = numbers < table.candidates.n_known
    titles = list(table.distinct_titles.written)
    titles += sorted(set(named) - set(titles))
    asked = [*numbers.tolist(), *[-1] * (len(titles) - len(numbers))]
    is_known = [*known.tolist(), *[False] * (len(titles) - len(numbers))]
    of_title = np.array(
        [number if sure else kb.number(title) for number, sure, title in zip(asked, is_known, titles, strict=True)],
        dtype=np.int64,
    )
    listed = of_title >= 0
    known = np.concatenate([known, listed[len(numbers) :]])
    in_kb = np.where(known, of_title, -1)
    return (
        Entities(
            titles=tuple(titles),
            known=known,
            listed=listed,
            types=_of_some(in_kb, kb.type_offsets, kb.types, ()),
            descriptions=_of_some(in_kb, kb.description_offsets, kb.description, ""),
            families=tuple(knowledge.inventory.family_names(of_title)),
            training_links=np.array([counts.get(title, 0) for title in titles], dtype=np.int64),
        ),
        table.title.astype(np.int64),
    )


def _of_some(numbers: Ints, offsets: ShortInts | Ints, read: Callable[[int], V], nothing: V) -> tuple[V, ...]:
    """What the knowledge base says of each entity. It says nothing of most, which are not asked for one by one."""
    found = [nothing] * len(numbers)
    known = np.flatnonzero(numbers >= 0)
    own = numbers[known]
    told = known[offsets[own + 1] > offsets[own]]
    for place, number in zip(told.tolist(), numbers[told].tolist(), strict=True):
        found[place] = read(number)
    return tuple(found)
