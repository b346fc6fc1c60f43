"""Training of the local classifiers, with everything that is chosen on held-out sentences.

The training data are cut into folds (equal texts stay together). Scores of each fold come from classifiers that did not
see it; on these are fitted the sharpness of the probabilities, the types that the pipeline's relation classifier learns
from, and the bias on "none" under the system's own decoding, from its exact path. The final classifiers see everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.joint.sentence import Gazetteers, Sentence
from engine.features.vocabulary import Vocabulary
from engine.learners.base import Round
from engine.learners.linear.logistic import Logistic
from engine.learners.linear.onoff import Classifier, Rows, fit_sharpness, log_softmax
from engine.learners.linear.winnow import Winnow
from engine.structures.typed_pairs import Corpus
from engine.tasks.base import Resources
from engine.tasks.joint import constraints as language
from engine.tasks.joint.compile import Floats, Ints, Space
from engine.tasks.joint.constraints import Constraint
from engine.tasks.joint.curve import curve_of, steady_bias
from engine.tasks.joint.inference import Decoder, Scored
from engine.tasks.joint.model import (
    CONSTRAINED,
    NONE,
    JointSettings,
    State,
    as_rows,
    entity_rows,
    gold_labels,
    gold_types,
    pair_rows,
    same_groups,
    sentences_of,
    split,
)
from engine.tuning.curve import Curve


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of the training sentences by classifiers that did not see them."""

    documents: tuple[Document, ...]
    scored: Scored
    types: Ints
    labels: Ints


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of training: what there is to use, and what is known about it."""

    state: State
    bias: float
    objective: float
    held_out: HeldOut | None = None
    curve: Curve | None = None


@dataclass(eq=False)
class Trainer:
    """One training run."""

    system: str
    settings: JointSettings
    resources: Resources
    documents: Sequence[Document]

    def __post_init__(self) -> None:
        self.documents = [d for d in self.documents if d.text]
        if not any(d.gold.mentions for d in self.documents):
            raise InputError("no training sentence has an entity; joint learns from sentences with marked entities")
        self.space = space_of(self.documents)
        self.gazetteers = read_gazetteers(self.resources.gazetteers)
        self.constraints = constraints_for(self.documents, self.space, self.settings, self.resources.constraints)
        mentions = [d.gold.mentions for d in self.documents]
        self.sentences: list[Sentence] = sentences_of(self.documents, mentions, self.gazetteers)
        self.sizes = np.array([len(m) for m in mentions], dtype=np.int64)
        gold = [gold_labels(d, d.gold.mentions, self.space) for d in self.documents]
        self.types = np.concatenate([t for t, _ in gold])
        self.labels = np.concatenate([y for _, y in gold])
        self.active = np.array(
            [self.settings.negatives == "all" or bool(d.gold.relations) for d in self.documents], dtype=bool
        )
        if not self.active.any():
            self.active[:] = True
        self.fold = folds_of(self.documents, self.settings.folds, self.settings.seed)

    def steps(self) -> Iterator[Progress]:
        """First classifiers without held-out choices, then one step per fold, then the finished model."""
        names, rows = self._entity_rows()
        entity_fit = self._fit(rows, self.types, len(self.space.types))
        held_types, sharp = self._held_out_types(rows)
        entities = replace(entity_fit.scorer, sharpness=sharp)
        pair_names, pairs = self._pair_rows(held_types)
        keep = np.repeat(self.active, self.sizes * (self.sizes - 1))
        labels = self.labels[keep]
        pair_fit = self._fit(pairs, labels, len(self.space.labels))
        state = State(
            space=self.space,
            entity_names=names,
            pair_names=pair_names,
            entities=_single(entities),
            relations=_single(pair_fit.scorer),
            constraints=self.constraints,
            gazetteers=self.gazetteers,
            phrases=frozenset(
                d.surface(m).lower() for d in self.documents for m in d.gold.mentions if len(d.surface(m)) > 2
            ),
        )
        objective = entity_fit.objective + pair_fit.objective
        yield Progress(state, 0.0, objective)
        activations = np.zeros((len(labels), len(self.space.labels)))
        pair_fold = np.repeat(self.fold, self.sizes * (self.sizes - 1))[keep]
        for held in np.unique(self.fold):
            inside = pair_fold != held
            if inside.any() and (~inside).any():
                scorer = self._fit(pairs.take(inside), labels[inside], len(self.space.labels)).scorer
                activations[~inside] = scorer.activations(pairs.take(~inside))
            yield Progress(state, 0.0, objective)
        sharp = fit_sharpness(activations, labels)
        state = replace(state, relations=replace(state.relations, sharpness=sharp))
        held_out = self._held_out(held_types, log_softmax(sharp * activations))
        curve = self._curve(held_out)
        yield Progress(state, steady_bias(curve), objective, held_out, curve)

    @property
    def n_steps(self) -> int:
        return len(np.unique(self.fold)) + 2

    def _fit(self, rows: Rows, classes: Ints, n_classes: int) -> Round:
        settings = self.settings
        learner: Logistic | Winnow
        if settings.classifier == "logistic":
            learner = Logistic(C=settings.strength)
        else:
            learner = Winnow(
                promotion=settings.promotion,
                demotion=settings.demotion,
                thickness=settings.thickness,
                epochs=settings.epochs,
                seed=settings.seed,
            )
        *_, last = learner.rounds(rows, classes, n_classes)
        return last

    def _entity_rows(self) -> tuple[Vocabulary, Rows]:
        rows = entity_rows(self.documents, self.sentences, self.system)
        names = Vocabulary.of(rows, rare=self.settings.rare)
        return names, as_rows(names, rows)

    def _held_out_types(self, rows: Rows) -> tuple[Floats, float]:
        """Log probabilities of the types of every mention, from classifiers that did not see its sentence."""
        fold = np.repeat(self.fold, self.sizes)
        n_types = len(self.space.types)
        activations = np.zeros((len(self.types), n_types))
        for held in np.unique(self.fold):
            inside = fold != held
            if inside.any() and (~inside).any():
                scorer = self._fit(rows.take(inside), self.types[inside], n_types).scorer
                activations[~inside] = scorer.activations(rows.take(~inside))
        sharpness = fit_sharpness(activations, self.types)
        return log_softmax(sharpness * activations), sharpness

    def _pair_rows(self, held_types: Floats) -> tuple[Vocabulary, Rows]:
        types: list[list[str]] | None = None
        if self.system == "pipeline":
            types = split([self.space.types[t] for t in held_types.argmax(axis=1)], self.sizes)
        elif self.system == "omniscient":
            types = [gold_types(d) for d in self.documents]
        chosen = np.flatnonzero(self.active)
        rows = pair_rows([self.sentences[k] for k in chosen], None if types is None else [types[k] for k in chosen])
        names = Vocabulary.of(rows, rare=self.settings.rare)
        return names, as_rows(names, rows)

    def _held_out(self, types: Floats, labels: Floats) -> HeldOut:
        chosen = [int(k) for k in np.flatnonzero(self.active)]
        documents = tuple(self.documents[k] for k in chosen)
        of_node, of_pair = np.repeat(self.active, self.sizes), np.repeat(self.active, self.sizes * (self.sizes - 1))
        groups = tuple(same_groups(d, d.gold.mentions) for d in documents)
        scored = Scored(Corpus.of(types[of_node], labels, self.sizes[chosen]), groups)
        return HeldOut(documents, scored, self.types[of_node], self.labels[of_pair])

    def _curve(self, held_out: HeldOut) -> Curve:
        decoder = Decoder(self.space, self.constraints if self.system in CONSTRAINED else ())
        gold = sum(len(d.gold.relations) for d in held_out.documents)
        return curve_of(decoder, held_out.scored, held_out.labels, gold)


def _single(classifier: Classifier) -> Classifier:
    """Weights as they are saved, so that a model predicts the same before and after."""
    return replace(classifier, weights=classifier.weights.astype(np.float32).astype(np.float64))


def space_of(documents: Sequence[Document]) -> Space:
    types = sorted({str(m.type) for d in documents for m in d.gold.mentions if m.type is not None})
    untyped = next((d for d in documents for m in d.gold.mentions if m.type is None), None)
    if untyped is not None:
        raise InputError(f"a mention of document {untyped.id!r} has no type")
    relations = sorted({r.type for d in documents for r in d.gold.relations} - {NONE})
    return Space(tuple(types), (NONE, *relations))


def folds_of(documents: Sequence[Document], n: int, seed: int) -> NDArray[np.int64]:
    """A fold for every document; equal texts share theirs, or held-out scores would be remembered ones."""
    texts: dict[str, int] = {}
    group = np.array([texts.setdefault(d.text, len(texts)) for d in documents], dtype=np.int64)
    dealt = np.random.default_rng(seed).permutation(len(texts)) % n
    return dealt[group]


def read_gazetteers(paths: Sequence[Path]) -> Gazetteers:
    """One name per line; the list is called as the file."""
    lists: dict[str, frozenset[str]] = {}
    for path in paths:
        lists[Path(path).stem] = frozenset(line.strip().lower() for _, line in files.lines(path) if line.strip())
    return lists


def constraints_for(
    documents: Sequence[Document], space: Space, settings: JointSettings, path: Path | None
) -> tuple[Constraint, ...]:
    """The constraints of the file; without one, the argument types that the training data show."""
    if path is not None:
        read = language.read(path)
        language.check_names(read, space.types, space.labels[1:], path)
        return read
    triples = [
        (r.type, str(d.gold.mentions[r.head].type), str(d.gold.mentions[r.tail].type))
        for d in documents
        for r in d.gold.relations
        if r.type in space.labels
    ]
    return language.licensed(triples, space.labels[1:], settings.licence)
