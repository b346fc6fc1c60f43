"""Distant relations: which relations hold between two entities, from all sentences that mention both.

Training takes the user's wish for precision or recall as a number, beta (Haffari, Nagesh and Ramakrishnan 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.distant import TEMPLATES, group_of
from engine.learners.bags import BagCorpus, LinearBags
from engine.learners.linear import hoffmann
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin import cccp
from engine.learners.margin.cccp import BagSettings, MaxMargin, MaxMarginF, MaxMarginHamming, Warm
from engine.metrics.differences import DecisionKind
from engine.metrics.distant import Ranking, bag_counts, ranked_curve, report
from engine.metrics.errors import Error, Stage
from engine.settings import Settings
from engine.structures.bag import solver
from engine.tasks.base import (
    DocumentPins,
    FeatureInfo,
    LearnerInfo,
    Model,
    Report,
    Resources,
    Task,
    TrainingRound,
)
from engine.tasks.distant import state as states
from engine.tasks.distant.decoding import decode_pinned, label_confidence, layer, mention_margins
from engine.tasks.distant.errors import bag_errors
from engine.tasks.distant.paths import bias_paths
from engine.tasks.distant.pinning import bag_pins, check_pins, conflict
from engine.tasks.distant.state import State
from engine.tasks.distant.trace import DistantTrace, LossTrace, bag_trace, loss_trace
from engine.tuning.curve import Curve, merge_paths


class Distant(Task):
    name: ClassVar[str] = "distant"
    title: ClassVar[str] = "Distant relations"
    sentence: ClassVar[str] = "Which relations hold between two entities, learnt from a table of facts and plain text."
    abstain: ClassVar[str] = "nil relation"
    unit: ClassVar[str] = "relations"
    default_learner: ClassVar[str] = "mm-f"
    decides: ClassVar[tuple[DecisionKind, ...]] = ("relation", "label")
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "forced by a constraint",
        "scored lower",
    )
    reads: ClassVar[tuple[str, ...]] = ()
    learners: ClassVar[Mapping[str, LearnerInfo]] = {
        "mm-f": LearnerInfo(
            "mm-f",
            "Max-margin, F-beta loss",
            "Trains for the balance of precision and recall you ask for.",
            MaxMarginF(),
        ),
        "mm-hamming": LearnerInfo(
            "mm-hamming",
            "Max-margin, Hamming loss",
            "Every wrong and every missing label costs the same.",
            MaxMarginHamming(),
        ),
        "hoffmann": LearnerInfo(
            "hoffmann", "Perceptron (MultiR)", "Corrects itself bag by bag; the baseline of the paper.", Hoffmann()
        ),
    }

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        assert isinstance(settings, BagSettings)
        untrained, corpus = states.build(self._training_bags(train, settings), settings)
        yield from self._train(untrained, corpus, dev, learner, settings, None)

    def retrain(
        self, train: Sequence[Document], dev: Sequence[Document], model: Model, settings: MaxMarginF
    ) -> Iterator[TrainingRound]:
        """Train on the same bags with another loss, from where the model's training stood.

        The planes found for one beta are outputs of the corpus: they hold for another once their loss is priced anew.
        """
        state: State = model.state
        bags = self._training_bags(train, settings)
        corpus = states.encode(bags, state, settings).corpus
        yield from self._train(state, corpus, dev, "mm-f", settings, state.warm)

    def _train(
        self,
        state: State,
        corpus: BagCorpus,
        dev: Sequence[Document],
        learner: str,
        settings: BagSettings,
        warm: Warm | None,
    ) -> Iterator[TrainingRound]:
        encoded = states.encode(states.usable(dev), state, settings) if dev else None
        for index, total, objective, scorer, kept, details in _learn(corpus, settings, warm):
            trained = State(state.relations, state.mention_features, state.bag_features, scorer, kept)
            model = Model(self.name, learner, settings, trained)
            scores: dict[str, float] = {}
            if encoded is not None:
                layers = self._layers(dev, model, encoded.corpus, 0.0)
                full = report(dev, layers, bags=settings.bags, beta=_beta(settings))
                scores = {name: full[name] for name in ("precision", "recall", "f1", "fbeta")}
            yield TrainingRound(index, total, objective, scores, partial(_itself, model), details)

    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        documents = states.usable(documents)
        encoded = states.encode(documents, model.state, model.settings)  # type: ignore[arg-type]
        return self._layers(documents, model, encoded.corpus, model.bias if bias is None else bias, pins)

    def _layers(
        self,
        documents: Sequence[Document],
        model: Model,
        corpus: BagCorpus,
        bias: float,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        state: State = model.state
        scores = state.scorer.of_corpus(corpus).with_bias(bias)
        labels = scores.best(corpus.offsets, solver(model.settings.inference))  # type: ignore[attr-defined]
        margins = mention_margins(scores)
        extra: dict[str, object] = {"bags": model.settings.bags, "beta": _beta(model.settings)}  # type: ignore[attr-defined]
        layers = []
        for row, document in enumerate(documents):
            here = slice(corpus.offsets[row], corpus.offsets[row + 1])
            mine = labels[here]
            fixed = (pins or {}).get(document.id, ())
            if fixed:
                check_pins(document, fixed, state.relations)
                mine = decode_pinned(scores, row, corpus.offsets, bag_pins(document, fixed, state.relations)).labels
            layers.append(layer(document, mine, margins[here], state.relations, extra))
        return layers

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        bags, beta = "positive", 0.5
        if model is not None:
            bags, beta = model.settings.bags, _beta(model.settings)  # type: ignore[attr-defined]
        elif predicted:
            bags, beta = predicted[0].extra.get("bags", bags), predicted[0].extra.get("beta", beta)
        full = report(gold, predicted, bags=bags, beta=beta)
        if model is not None and full["set"] != "sentential":
            full["ranked"] = {"area": self.ranking(gold, model).area}
        return full

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        rows: list[dict[str, float]] = []
        for document, found in zip(gold, predicted, strict=True):
            correct, said, wanted = bag_counts(document.gold.labels, found.labels)
            if not wanted and found.extra.get("bags", "positive") == "positive":
                said = 0
            rows.append({"correct": correct, "found": correct, "predicted": said, "gold": wanted})
        return rows

    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        documents = states.usable(documents)
        settings: BagSettings = model.settings  # type: ignore[assignment]
        if settings.bags == "positive":
            documents = [document for document in documents if document.gold.labels]
        encoded, scores = states.score(documents, model.state, settings, 0.0)
        corpus = encoded.corpus
        document_of, bias, counts = [], [], []
        for row, path in enumerate(bias_paths(scores, corpus.offsets)):
            for at, labels in zip(path.bias, path.labels, strict=True):
                held = np.unique(labels[labels > 0]) - 1
                right = int(corpus.gold[row, held].sum())
                document_of.append(row)
                bias.append(at)
                counts.append((right, right, len(held)))
        return merge_paths(
            np.array(document_of, dtype=np.int64),
            np.array(bias, dtype=np.float64),
            np.array(counts, dtype=np.int64).reshape(-1, 3),
            corpus.gold.sum(axis=1).astype(np.int64) + encoded.unknown,
        )

    def ranking(self, documents: Sequence[Document], model: Model) -> Ranking:
        """All (bag, label) pairs by score; the same at every bias, which moves all of them alike."""
        encoded, scores = states.score(states.usable(documents), model.state, model.settings, 0.0)  # type: ignore[arg-type]
        confidence = label_confidence(scores, encoded.corpus.offsets)
        gold = encoded.corpus.gold
        if model.settings.bags == "positive":  # type: ignore[attr-defined]
            keep = np.array([bool(document.gold.labels) for document in documents])
            gold, confidence = gold[keep], confidence[keep]
        return ranked_curve(gold, confidence, int(gold.sum() + encoded.unknown.sum()))

    def trace(
        self, document: Document, model: Model, *, bias: float | None = None, pins: Sequence[Pin] = ()
    ) -> DistantTrace:
        states.usable([document])
        state: State = model.state
        at = model.bias if bias is None else bias
        encoded, scores = states.score([document], state, model.settings, at)  # type: ignore[arg-type]
        clash = conflict(document, pins, state.relations)
        fixed = bag_pins(document, () if clash else pins, state.relations)
        answer = decode_pinned(scores, 0, encoded.corpus.offsets, fixed)
        return bag_trace(document, state.relations, scores, answer, at, fixed, clash)

    def loss_trace(self, documents: Sequence[Document], model: Model, settings: MaxMarginF | None = None) -> LossTrace:
        """The (FP, FN) grid and the dual decomposition of a corpus under this model."""
        own = model.settings
        chosen = settings or (own if isinstance(own, MaxMarginF) else MaxMarginF())
        bags = self._training_bags(documents, chosen)
        encoded, scores = states.score(bags, model.state, own, 0.0)  # type: ignore[arg-type]
        return loss_trace(encoded.corpus, scores, chosen)

    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        at = model.bias if bias is None else bias
        state: State = model.state
        encoded, scores = states.score(states.usable(documents), state, model.settings, at)  # type: ignore[arg-type]
        positive = model.settings.bags == "positive"  # type: ignore[attr-defined]
        return bag_errors(documents, predicted, state.relations, encoded.corpus, scores, positive=positive)

    def check_pin(self, document: Document, model: Model, pin: Pin) -> None:
        bag_pins(document, [pin], model.state.relations)

    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        if model is None:
            return [FeatureInfo(f.__name__.replace("_", " "), group, text) for group, f, text in TEMPLATES]
        state: State = model.state
        weights = state.scorer.mention_weights
        heaviest = np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:2000]
        infos = []
        for i in heaviest:
            name = state.mention_features.names[i]
            top = int(np.argmax(np.abs(weights[i])))
            infos.append(FeatureInfo(name, group_of(name), f"{weights[i, top]:+.3f} for {state.relations[top]}"))
        return infos

    def pack(self, model: Model) -> dict[str, Any]:
        return states.pack(model.state)

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> State:
        return states.unpack(parts)

    def extra_tables(
        self, documents: Sequence[Document], model: Model, *, bias: float
    ) -> dict[str, list[dict[str, Any]]]:
        """The field's precision-recall curve: all (bag, label) pairs ranked by score."""
        ranked = self.ranking(documents, model)
        n = len(ranked.recall)
        shown = np.unique(np.linspace(0, n - 1, min(n, 40)).astype(np.int64))
        rows = [{"recall": float(ranked.recall[i]), "precision": float(ranked.precision[i])} for i in shown]
        return {"Precision and recall by score": rows}

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        if not documents or any(document.bag is None for document in documents):
            return "no"
        return "yes" if any(document.gold.labels for document in documents) else "no gold"

    def _training_bags(self, documents: Sequence[Document], settings: BagSettings) -> list[Document]:
        bags = [document for document in states.usable(documents) if document.bag and document.bag.members]
        if settings.bags == "positive":
            bags = [document for document in bags if document.gold.labels]
        if not bags:
            raise InputError("no bag has a relation: there is nothing to learn")
        return bags


def _itself(model: Model) -> Model:
    return model


def _beta(settings: Settings) -> float:
    return settings.beta if isinstance(settings, MaxMarginF) else 0.5


def _learn(
    corpus: BagCorpus, settings: BagSettings, warm: Warm | None
) -> Iterator[tuple[int, int, float, LinearBags, Warm | None, dict[str, Any]]]:
    """Index from 1, total, objective, scorer, what to resume from, and details, of every round."""
    if isinstance(settings, Hoffmann):
        for epoch in hoffmann.rounds(corpus, settings):
            yield (
                epoch.index + 1,
                settings.epochs,
                float(epoch.mistakes),
                epoch.scorer,
                None,
                {"mistakes": epoch.mistakes},
            )
        return
    assert isinstance(settings, MaxMargin)
    start = None
    if settings.start == "hoffmann" and warm is None:
        for epoch in hoffmann.rounds(corpus, Hoffmann(seed=settings.seed, epochs=5)):
            start = epoch.scorer
    for one in cccp.rounds(corpus, settings, start=start, warm=warm):
        details = {
            "primal": one.primal,
            "dual": one.dual,
            "gap": one.primal - one.dual,
            "objective": one.objective,
            "certified": one.certified,
            "doubt": one.doubt,
            "changed": one.changed,
            "integral": one.integral,
            "planes": [dict(plane) for plane in one.planes],
        }
        yield one.index + 1, settings.rounds, one.objective, one.scorer, one.warm, details
