"""What a trained linker is: lexicon, what the training corpus remembers, scorer; and how texts become rows for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.linking.all import basic_matrix
from engine.features.linking.candidates import Candidates, collect, propose
from engine.features.linking.entity_pairs import pair_matrix
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory, clusters, remember
from engine.features.linking.registry import Floats, Table
from engine.features.linking.tokens import read_tokens
from engine.learners import scorers
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.surfaces import normalise
from engine.structures.nonoverlap import NonOverlapBatch

SMALL: Final = 64_000_000
"""A lexicon of at most so many bytes goes into the model file; a larger one is named by path and hash."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts as rows: candidates, features, the lattice over them."""

    candidates: Candidates
    features: Floats
    titles: tuple[str, ...]

    @cached_property
    def lattice(self) -> NonOverlapBatch:
        c = self.candidates
        mention = c.mention
        return NonOverlapBatch(c.first[mention], c.last[mention], c.row_offsets)

    @cached_property
    def characters(self) -> NDArray[np.int64]:
        """[start, end) in characters of every row's span."""
        c = self.candidates
        spans = np.array([c.characters(m) for m in range(c.n_mentions)], dtype=np.int64).reshape(c.n_mentions, 2)
        return spans[c.mention]

    def with_features(self, features: Floats) -> Corpus:
        return Corpus(self.candidates, features, self.titles)


@dataclass(frozen=True, eq=False)
class State:
    """A linker. `first` is the first stage of a two-stage model, `first_bias` its Nil bias."""

    inventory: Inventory
    memory: Memory
    linked: frozenset[str]
    entities: int
    scorer: Any = None
    first: Any = None
    first_bias: float = 0.0
    path: str | None = field(default=None)
    latest: list[tuple[tuple[Document, ...], Corpus]] = field(default_factory=list, repr=False)

    def corpus(self, documents: Sequence[Document]) -> Corpus:
        """Rows of unseen texts, with the features of the first stage.

        Those of the latest texts are kept: training, scores, the curve and errors ask for the same ones in turn. No
        scorer has a part in them, so states that differ only in it share them.
        """
        for texts, rows in tuple(self.latest):
            if len(texts) == len(documents) and all(a is b for a, b in zip(texts, documents, strict=True)):
                return rows
        tokens = [read_tokens(document) for document in documents]
        spans = [propose(text, self.inventory, self.linked) for text in tokens]
        views = [self.memory.view(None)] * len(documents)
        candidates = collect(tokens, spans, views, self.inventory, most=self.entities)
        made = self.rows(candidates)
        self.latest[:] = [(tuple(documents), made)]
        return made

    def rows(self, candidates: Candidates) -> Corpus:
        table = Table(candidates, self.inventory)
        return Corpus(candidates, basic_matrix(table), tuple(table.titles))

    def ready(self, documents: Sequence[Document]) -> Corpus:
        """Rows with all features that the scorer wants."""
        corpus = self.corpus(documents)
        if self.first is None:
            return corpus
        chosen = corpus.lattice.argmax(self.first.scores(corpus.features) - self.first_bias)
        return with_pairs(corpus, self.inventory, chosen)

    def scores(self, corpus: Corpus) -> NDArray[np.float64]:
        if not corpus.candidates.n_rows:
            return np.zeros(0)
        return np.asarray(self.scorer.scores(corpus.features), dtype=np.float64)


def with_pairs(corpus: Corpus, inventory: Inventory, chosen: NDArray[np.intp]) -> Corpus:
    """The corpus with entity-entity features against the entities that a first stage chose."""
    extra = pair_matrix(Table(corpus.candidates, inventory), chosen)
    return corpus.with_features(np.hstack([corpus.features, extra]))


def fold_of(groups: Sequence[int], folds: int, seed: int) -> NDArray[np.int64]:
    """A fold per text; texts of one cluster share it."""
    order = np.random.default_rng(seed).permutation(np.unique(groups))
    place = {group: i % folds for i, group in enumerate(order)}
    return np.array([place[group] for group in groups], dtype=np.int64)


def learn_state(
    documents: Sequence[Document], lexicon: Lexicon, settings: Any, path: str | None
) -> tuple[State, Corpus, list[int]]:
    """Everything but the scorer, from the training texts; these as rows, each with itself left out; their clusters."""
    pairs: dict[tuple[str, str], int] = {}
    for document in documents:
        for mention in document.gold.mentions:
            if mention.is_linked:
                pair = normalise(document.surface(mention)), str(mention.entity)
                pairs[pair] = pairs.get(pair, 0) + 1
    inventory = Inventory(lexicon, settings.own_tags, pairs)
    linked = frozenset(key for key, _ in pairs)
    tokens = [read_tokens(document) for document in documents]
    spans = [propose(text, inventory, linked) for text in tokens]
    groups = clusters(documents)
    # Counting all texts but one tells its label: of texts with the same name, linked ones see one link less than the
    # others. Texts that are left out together see the same counts.
    blocks = fold_of(groups, settings.blocks, settings.seed).tolist() if settings.blocks else groups
    memory = remember(documents, tokens, [[span.key for span in proposed] for proposed in spans], blocks)
    views = [memory.view(block) for block in blocks]
    candidates = collect(tokens, spans, views, inventory, most=settings.entities)
    state = State(inventory, memory, linked, settings.entities, path=path)
    return state, state.rows(candidates), groups


def pack(state: State) -> dict[str, Any]:
    """The state as parts of a model file."""
    parts: dict[str, Any] = {
        "memory": state.memory.to_json(),
        "linking": {
            "own_tags": list(state.inventory.own_tags),
            "entities": state.entities,
            "first_bias": state.first_bias,
            "stages": 1 if state.first is None else 2,
            "lexicon": {"path": state.path, "digest": state.inventory.lexicon.digest()},
        },
    }
    lexicon = state.inventory.lexicon
    if lexicon.size() <= SMALL:
        parts.update({f"lexicon-{name}": part for name, part in lexicon.parts().items()})
    for stage, scorer in (("scorer", state.scorer), ("first", state.first)):
        if scorer is not None:
            parts.update({f"{stage}-{name}": part for name, part in scorers.pack(scorer).items()})
    return parts


def unpack(parts: Mapping[str, Any]) -> State:
    """The state that `pack` took apart; a lexicon that is not inside is opened where it was."""
    about = parts["linking"]
    inside = _stage(parts, "lexicon")
    lexicon = Lexicon.from_parts(inside) if inside else _reopen(about["lexicon"])
    memory = Memory.from_json(parts["memory"])
    pairs = memory.pairs()
    first = _stage(parts, "first")
    return State(
        inventory=Inventory(lexicon, about["own_tags"], pairs),
        memory=memory,
        linked=frozenset(key for key, _ in pairs),
        entities=about["entities"],
        scorer=scorers.unpack(_stage(parts, "scorer")),
        first=scorers.unpack(first) if first else None,
        first_bias=about["first_bias"],
        path=about["lexicon"]["path"],
    )


def _stage(parts: Mapping[str, Any], stage: str) -> dict[str, Any]:
    return {name.removeprefix(f"{stage}-"): part for name, part in parts.items() if name.startswith(f"{stage}-")}


def _reopen(about: Mapping[str, Any]) -> Lexicon:
    lexicon = Lexicon.open(Path(about["path"] or ""))
    if lexicon.digest() != about["digest"]:
        raise InputError("the lexicon has changed since the model was trained: train again", file=about["path"])
    return lexicon
