"""Training of joint's local classifiers, and of everything that is chosen on held-out sentences.

The training data are divided into folds (equal texts stay together). The scores of each fold come from classifiers that
did not see it. They are used to fit the sharpness of the probabilities, as the types from which the pipeline's relation
classifier learns, and to choose the bias on "none" under the system's own decoding, from its exact path. The final
classifiers are trained on everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.joint.sentence import Gazetteers
from engine.features.vocabulary import Vocabulary
from engine.learners.base import Round, Saved
from engine.learners.linear.logistic import Logistic
from engine.learners.linear.onoff import Classifier, Labelled, Rows, fit_sharpness, log_softmax
from engine.learners.linear.winnow import Winnow
from engine.learners.training import prefixed, under
from engine.metrics import joint as metrics
from engine.tasks.base import Model, Resources, TrainingRound
from engine.tasks.joint.allowed import allowed_pairs, mixed
from engine.tasks.joint.constraints.arguments import licensed
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.language import read
from engine.tasks.joint.constraints.space import NONE, Space
from engine.tasks.joint.curve import curve, steady_bias
from engine.tasks.joint.deciding import decide
from engine.tasks.joint.mentions import answers
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.scoring import as_rows, entity_rows, pair_rows, score, sentences_of, types_seen
from engine.tasks.joint.settings import SYSTEMS, JointSettings
from engine.tasks.joint.state import JointModel, JointState
from engine.tasks.training.reusing import prepared
from engine.tuning.curve import Curve
from engine.workers.crews import ALONE, Crew

WITHIN: Final = 6.0
"""The largest bias to which the held-out path is followed if there are sentence-wide constraints. Beyond it, at odds of
one to 400, every pair or none takes a relation: no bias would be chosen there, and such constraints take long to
satisfy."""


@dataclass(frozen=True, eq=False)
class Progress:
    """The state of training: the model so far, and what is known about it."""

    state: JointState
    bias: float
    objective: float
    to_parts: Callable[[], Saved]
    """Returns the state from which training continues."""
    curve: Curve | None = None
    """The curve of held-out sentences, from which the bias was chosen."""
    unsolved: tuple[str, ...] = ()
    """What the training of the two classifiers fell short of."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The result of the first step on all sentences: the classifiers, and types predicted by classifiers that had not
    seen the sentence."""

    entities: Classifier
    held_types: Floats
    relations: Classifier
    objective: float
    unsolved: tuple[str, ...] = ()

    def to_parts(self) -> dict[str, Array]:
        return {
            **prefixed("entities_", self.entities.to_parts()),
            **prefixed("relations_", self.relations.to_parts()),
            "held_types": self.held_types,
            "objective": np.array(self.objective),
            "unsolved": np.array(self.unsolved, dtype=np.str_),
        }

    @staticmethod
    def from_parts(parts: Saved) -> Fitted:
        entities, relations = (Classifier.from_parts(under(name, parts)) for name in ("entities_", "relations_"))
        unsolved = tuple(parts["unsolved"].tolist())
        return Fitted(entities, parts["held_types"], relations, float(parts["objective"]), unsolved)


def rounds(
    train: Sequence[Document],
    dev: Sequence[Document],
    learner: str,
    settings: JointSettings,
    resources: Resources,
    *,
    resume: Saved | None = None,
    crew: Crew = ALONE,
) -> Iterator[TrainingRound[JointSettings, JointState]]:
    """The steps of a training run, with scores on dev whenever there is a new model."""
    trainer = Trainer(learner, settings, resources, train, crew)
    shown: JointModel | None = None
    scores: dict[str, float] = {}
    done = 0 if resume is None else int(resume["done"])
    for index, progress in enumerate(trainer.steps(resume), done + 1):
        if shown is None or (shown.state, shown.bias) != (progress.state, progress.bias):
            shown = Model("joint", learner, settings, progress.state, progress.bias)
            scores = _on_dev(dev, shown) if dev else {}
        details = {} if progress.curve is None else {"held_out": progress.curve.at(progress.bias).to_json()}
        yield TrainingRound(
            index,
            trainer.n_steps,
            progress.objective,
            scores,
            partial(_given, shown),
            details,
            progress.to_parts,
            progress.unsolved,
        )


def _given(model: JointModel) -> JointModel:
    return model


def _on_dev(dev: Sequence[Document], model: JointModel) -> dict[str, float]:
    report = metrics.evaluate(dev, decide(score(dev, model)))
    return {"relations": report["relations"]["micro"]["f1"], "entities": report["entity_accuracy"]}


@dataclass(eq=False)
class Trainer:
    """One training run."""

    learner: str
    settings: JointSettings
    resources: Resources
    documents: Sequence[Document]
    crew: Crew = ALONE

    def __post_init__(self) -> None:
        self.system = SYSTEMS[self.learner]
        self.documents = [d for d in self.documents if d.text]
        if not any(d.gold.mentions for d in self.documents):
            raise InputError("no training sentence has an entity; joint learns from sentences with marked entities")
        self.space = space_of(self.documents)
        self.gazetteers = read_gazetteers(self.resources.gazetteers)
        self.constraints = constraints_for(self.documents, self.space, self.settings, self.resources.constraints)
        self.spans = [[mention.span for mention in d.gold.mentions] for d in self.documents]
        self.sentences = prepared(
            self.documents,
            ("joint", self.resources.gazetteers),
            lambda: sentences_of(self.documents, self.spans, self.gazetteers),
        )
        self.sizes = np.array([len(own) for own in self.spans], dtype=np.int64)
        gold = [answers(d.gold, own, self.space) for d, own in zip(self.documents, self.spans, strict=True)]
        self.types = np.concatenate([types for types, _ in gold])
        self.labels = np.concatenate([labels for _, labels in gold])
        self.active = np.array(
            [self.settings.negatives == "all" or bool(d.gold.relations) for d in self.documents], dtype=bool
        )
        if not self.active.any():
            self.active[:] = True
        self.fold = folds_of(self.documents, self.settings.folds, self.settings.seed)
        self.kept = np.repeat(self.active, self.sizes * (self.sizes - 1))
        share = self.settings.allowed if self.system.constrained else 0.0
        allowed = allowed_pairs(self.constraints, self.space, self.types, self.sizes) if share else {}
        self.allowed = {label: pairs[self.kept] for label, pairs in allowed.items()}

    @property
    def n_steps(self) -> int:
        return len(np.unique(self.fold)) + 2

    def steps(self, resume: Saved | None = None) -> Iterator[Progress]:
        """The steps: first classifiers without held-out choices, then one step per fold, then the finished model."""
        done = 0 if resume is None else int(resume["done"])
        names, rows = self._entity_rows()
        labels = self.labels[self.kept]
        if resume is None:
            entity_fit = self._fit(rows, self.types, len(self.space.types))
            held_types, sharpness = self._held_out_types(rows)
            pair_names, pairs = self._pair_rows(held_types)
            pair_fit = self._fit_relations(pairs, labels, np.ones(len(labels), dtype=bool))
            objective = entity_fit.objective + pair_fit.objective
            entities = replace(entity_fit.scorer, sharpness=sharpness)
            unsolved = _unsolved(types=entity_fit, relations=pair_fit)
            fitted = Fitted(entities, held_types, pair_fit.scorer, objective, unsolved)
            activations = np.zeros((len(labels), len(self.space.labels)))
        else:
            fitted = Fitted.from_parts(resume)
            pair_names, pairs = self._pair_rows(fitted.held_types)
            activations = resume["activations"].copy()
        state = self._state(fitted, names, pair_names)

        def progress(done: int, state: JointState, bias: float = 0.0, curve: Curve | None = None) -> Progress:
            parts = partial(_saved, fitted, activations.copy(), done)
            return Progress(state, bias, fitted.objective, parts, curve, fitted.unsolved)

        if done < 1:
            yield progress(1, state)
        pair_fold = np.repeat(self.fold, self.sizes * (self.sizes - 1))[self.kept]
        for step, held in enumerate(np.unique(self.fold), 2):
            if done < step:
                self._held_out_fold(partial(self._fit_relations, pairs, labels), pairs, pair_fold != held, activations)
                yield progress(step, state)
        if done < self.n_steps:
            sharpness = self._sharpness(activations, labels)
            state = replace(state, relations=replace(state.relations, sharpness=sharpness))
            scored = self._held_out(fitted.held_types, log_softmax(sharpness * activations))
            held_out = curve(scored, WITHIN if any(one.is_sentence_wide for one in scored.deciding) else np.inf)
            yield progress(self.n_steps, state, steady_bias(held_out) if self.settings.tune else 0.0, held_out)

    def _state(self, fitted: Fitted, names: Vocabulary, pair_names: Vocabulary) -> JointState:
        return JointState(
            space=self.space,
            entity_names=names,
            pair_names=pair_names,
            entities=_single(fitted.entities),
            relations=_single(fitted.relations),
            constraints=self.constraints,
            gazetteers=self.gazetteers,
            phrases=phrases_of(self.documents),
        )

    def _fit(self, rows: Rows, classes: Ints, n_classes: int) -> Round[Classifier]:
        settings, data = self.settings, Labelled(rows, classes, n_classes)
        if settings.classifier == "logistic":
            *_, last = Logistic(C=settings.strength).rounds([data], crew=self.crew)
            return last
        learner = Winnow(
            promotion=settings.promotion,
            demotion=settings.demotion,
            thickness=settings.thickness,
            averaged=settings.averaged,
            n_rounds=settings.winnow_rounds,
            shards=settings.winnow_shards,
            seed=settings.seed,
        )
        *_, last = learner.rounds([data], crew=self.crew)
        return last

    def _fit_types(self, rows: Rows, inside: Flags) -> Round[Classifier]:
        return self._fit(rows.take(inside), self.types[inside], len(self.space.types))

    def _fit_relations(self, rows: Rows, labels: Ints, inside: Flags) -> Round[Classifier]:
        """Classifiers of the pairs inside; under constraints, a share of them is trained where the types allow it."""
        of_all = self._fit(rows.take(inside), labels[inside], len(self.space.labels))
        own = {}
        for label, pairs in self.allowed.items():
            chosen = inside & pairs
            holds = (labels[chosen] == label).astype(np.int64)
            if holds.any() and not holds.all():
                own[label] = self._fit(rows.take(chosen), holds, 2)
        if not own:
            return of_all
        unsolved = next((one.unsolved for one in (of_all, *own.values()) if one.unsolved), "")
        scorer = mixed(of_all.scorer, {label: one.scorer for label, one in own.items()}, self.settings.allowed)
        return replace(of_all, scorer=scorer, unsolved=unsolved)

    def _held_out_fold(
        self, fit: Callable[[Flags], Round[Classifier]], rows: Rows, inside: Flags, activations: Floats
    ) -> None:
        """Fill in the activations of the rows outside, by a classifier trained on those inside."""
        if inside.any() and (~inside).any():
            activations[~inside] = fit(inside).scorer.activations(rows.take(~inside))

    def _entity_rows(self) -> tuple[Vocabulary, Rows]:
        rows = entity_rows(self.documents, self.sentences, self.system)
        names = Vocabulary.of(rows, rare=self.settings.rare)
        return names, as_rows(names, rows)

    def _held_out_types(self, rows: Rows) -> tuple[Floats, float]:
        """Log probabilities of the types of every mention, from classifiers that did not see its sentence."""
        fold = np.repeat(self.fold, self.sizes)
        activations = np.zeros((len(self.types), len(self.space.types)))
        for held in np.unique(self.fold):
            self._held_out_fold(partial(self._fit_types, rows), rows, fold != held, activations)
        sharpness = self._sharpness(activations, self.types)
        return log_softmax(sharpness * activations), sharpness

    def _sharpness(self, activations: Floats, classes: Ints) -> float:
        """The sharpness of the softmax: fitted to held-out classes, or 1."""
        return fit_sharpness(activations, classes) if self.settings.tune else 1.0

    def _pair_rows(self, held_types: Floats) -> tuple[Vocabulary, Rows]:
        """Features of the pairs of active sentences. The pipeline learns from predicted types, as it will see later,
        not from gold."""
        types = types_seen(self.documents, self.system, self.space, held_types, self.sizes)
        chosen = np.flatnonzero(self.active)
        rows = pair_rows([self.sentences[k] for k in chosen], None if types is None else [types[k] for k in chosen])
        names = Vocabulary.of(rows, rare=self.settings.rare)
        return names, as_rows(names, rows)

    def _held_out(self, types: Floats, labels: Floats) -> JointScored:
        """The active sentences with scores by classifiers that had not seen them."""
        chosen = [int(k) for k in np.flatnonzero(self.active)]
        scored = JointScored.of(
            [self.documents[k] for k in chosen],
            [self.spans[k] for k in chosen],
            self.space,
            (types[np.repeat(self.active, self.sizes)], labels),
        )
        return replace(scored, constraints=self.constraints, enforced=self.system.constrained)


def _unsolved(**made: Round[Classifier]) -> tuple[str, ...]:
    """A sentence for each classifier whose training ended too early."""
    return tuple(f"{name}: {one.unsolved} (here: lower strength)" for name, one in made.items() if one.unsolved)


def _saved(fitted: Fitted, activations: Floats, done: int) -> Saved:
    return {**fitted.to_parts(), "activations": activations, "done": np.array(done)}


def _single(classifier: Classifier) -> Classifier:
    """The classifier with its weights rounded as in a file, so that a model predicts the same before and after
    saving."""
    return replace(classifier, weights=classifier.weights.astype(np.float32).astype(np.float64))


def space_of(documents: Sequence[Document]) -> Space:
    """The types and relations that the training data use."""
    types = sorted({str(m.type) for d in documents for m in d.gold.mentions if m.type is not None})
    untyped = next((d for d in documents for m in d.gold.mentions if m.type is None), None)
    if untyped is not None:
        raise InputError(f"a mention of document {untyped.id!r} has no type")
    relations = sorted({r.type for d in documents for r in d.gold.relations} - {NONE})
    return Space(tuple(types), (NONE, *relations))


def phrases_of(documents: Sequence[Document]) -> frozenset[str]:
    """Annotated mentions of more than two characters, lower case."""
    found = (document.surface(mention) for document in documents for mention in document.gold.mentions)
    return frozenset(surface.lower() for surface in found if len(surface) > 2)


def folds_of(documents: Sequence[Document], n: int, seed: int) -> Ints:
    """A fold for every document. Equal texts share a fold; otherwise held-out texts would not be unseen."""
    texts: dict[str, int] = {}
    group = np.array([texts.setdefault(d.text, len(texts)) for d in documents], dtype=np.int64)
    dealt = np.random.default_rng(seed).permutation(len(texts)) % n
    return dealt[group]


def read_gazetteers(paths: Sequence[Path]) -> Gazetteers:
    """Gazetteers from files with one name per line; a list is named after its file."""
    lists: dict[str, frozenset[str]] = {}
    for path in paths:
        lists[Path(path).stem] = frozenset(line.strip().lower() for _, line in files.lines(path) if line.strip())
    return lists


def constraints_for(
    documents: Sequence[Document], space: Space, settings: JointSettings, path: Path | None
) -> tuple[Constraint, ...]:
    """The constraints of the file, or without one, constraints on argument types derived from the training data."""
    if path is not None:
        return read(path, space)
    triples = [
        (r.type, str(d.gold.mentions[r.head].type), str(d.gold.mentions[r.tail].type))
        for d in documents
        for r in d.gold.relations
        if r.type in space.labels
    ]
    return licensed(triples, space.relations, settings.licence)
