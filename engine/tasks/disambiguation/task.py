"""Disambiguation: which entity each given mention of a document is.

A sequence of decisions, each looking at those before it; beam search finds the best, from one end or from both.
Declining (NIL) has learnt log-odds, to which the bias is added; the model links everything unless a bias is chosen.
Yang, Irsoy and Rahman 2018.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from engine.data.document import NIL, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import LinkPin, Pin
from engine.features.disambiguation.all import pooled_names
from engine.features.disambiguation.pairs import CHANNELS
from engine.features.disambiguation.strings import normalise
from engine.features.disambiguation.vectors import read_vectors
from engine.learners.base import Round
from engine.learners.sgtb.learner import boost
from engine.lexicon.build import open_or_build
from engine.lexicon.lexicon import Lexicon
from engine.metrics.differences import DecisionKind
from engine.metrics.disambiguation import Resolved, score
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, precision, recall
from engine.settings import Settings
from engine.tasks.base import DocumentPins, FeatureInfo, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.disambiguation import state as states
from engine.tasks.disambiguation.cluster import check_scheduler
from engine.tasks.disambiguation.curves import curve_of
from engine.tasks.disambiguation.decoding import NEVER, prepare
from engine.tasks.disambiguation.errors import find_errors
from engine.tasks.disambiguation.explanation import Explanation, explain
from engine.tasks.disambiguation.pinning import place
from engine.tasks.disambiguation.settings import LEARNERS, DisambiguationSettings, search_of
from engine.tasks.disambiguation.state import State
from engine.tasks.disambiguation.trace import BeamTrace, trace_document
from engine.tuning.curve import Curve

HELD_OUT = 10
"""Without dev documents, every so-many-th training document is kept for the checks."""


class Disambiguation(Task):
    name: ClassVar[str] = "disambiguation"
    title: ClassVar[str] = "Entity disambiguation"
    sentence: ClassVar[str] = "Decides which entity each given name is, for all names of a document together."
    abstain: ClassVar[str] = "NIL"
    default_learner: ClassVar[str] = "bibsg"
    learners: ClassVar[Mapping[str, LearnerInfo]] = LEARNERS
    decides: ClassVar[tuple[DecisionKind, ...]] = ("link",)
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "candidate missing",
        "declined by the bias",
        "pruned by search",
        "scored lower",
    )
    main_score: ClassVar[tuple[str, ...]] = ("accuracy",)
    main_name: ClassVar[str] = "accuracy"
    reads: ClassVar[tuple[str, ...]] = ("lexicon", "vectors", "jobs", "cluster")

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        assert isinstance(settings, DisambiguationSettings)
        if self.fits(train) != "yes":
            raise InputError("no training document has a mention that is linked to an entity")
        if resources.cluster is not None:
            check_scheduler(resources.cluster)
        lexicon = open_or_build(resources.lexicon) if resources.lexicon else None
        vectors = read_vectors(resources.vectors) if resources.vectors else None
        how = search_of(learner, settings)
        structured = how.policy != "local"
        if not dev and len(train) >= 2 * HELD_OUT:
            train, dev = [d for i, d in enumerate(train) if i % HELD_OUT], train[::HELD_OUT]
        state, corpus = states.learn_state(train, settings, lexicon, vectors, structured=structured)
        if not (corpus.choices.gold >= 0).any():
            raise InputError(
                "no gold entity of the training documents is among its mention's candidates:"
                " give candidates with the mentions, or a lexicon"
            )
        watched = state.corpus(dev, settings, structured=structured).choices if dev else None
        rounds = boost(
            corpus.choices, watched, state.bins, how, settings, jobs=resources.jobs, cluster=resources.cluster
        )
        for step in rounds:
            yield _training_round(step, state, learner, settings)

    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        if not documents:
            return []
        ready = prepare(documents, model, pins)
        decoded = ready.decode(model.bias if bias is None else bias)
        offsets = ready.corpus.table.document_offsets
        layers = []
        for d, document in enumerate(documents):
            no_mentions = {
                pin.span for pin in (pins or {}).get(document.id, ()) if isinstance(pin, LinkPin) and pin.entity is None
            }
            mentions = [
                dataclasses.replace(
                    mention, entity=ready.entity(int(decoded.rows[m])), score=float(decoded.confidence[m])
                )
                for m, mention in enumerate(document.gold.mentions, start=int(offsets[d]))
                if mention.span not in no_mentions
            ]
            layers.append(Layer(tuple(mentions)))
        return layers

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        return score(_resolved(gold, predicted, model))

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        rows = [dict.fromkeys(COLUMNS, 0.0) for _ in gold]
        for mention in _resolved(gold, predicted, None):
            row = rows[mention.document]
            right = mention.gold is not None and mention.right
            row["correct"] += right
            row["found"] += right
            row["predicted"] += mention.predicted is not None
            row["gold"] += mention.gold is not None
        return rows

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        return {"accuracy": (COLUMNS, recall), "precision": (COLUMNS, precision)}

    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        """Exact for decisions that stand alone; a grid of biases where search is approximate."""
        return curve_of(documents, prepare(documents, model), model.bias)

    def trace(
        self, document: Document, model: Model, *, bias: float | None = None, pins: Sequence[Pin] = ()
    ) -> BeamTrace:
        return trace_document(document, model, model.bias if bias is None else bias, pins)

    def explain(
        self,
        document: Document,
        model: Model,
        mention: int,
        entity: str,
        *,
        bias: float | None = None,
        pins: Sequence[Pin] = (),
    ) -> Explanation:
        """Why one candidate of one mention has its score."""
        return explain(document, model, mention, entity, model.bias if bias is None else bias, pins)

    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        return find_errors(documents, predicted, prepare(documents, model), model.bias if bias is None else bias)

    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        if model is None:
            names = pooled_names(tuple(range(len(CHANNELS))))
        else:
            names = model.state.names
        return [FeatureInfo(named.name, named.group, named.help) for named in names]

    def pack(self, model: Model) -> dict[str, Any]:
        return states.pack(model.state)

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> State:
        return states.unpack(parts)

    def given(self, document: Document, model: Model) -> tuple[Mention, ...]:
        return tuple(dataclasses.replace(mention, entity=None) for mention in document.gold.mentions)

    def check_pin(self, document: Document, model: Model, pin: Pin) -> None:
        place(document, [pin])

    def rank_entities(self, document: Document, model: Model, span: tuple[int, int]) -> list[tuple[str, float]]:
        """Candidates by the score of the whole document when each is taken for the span."""
        trace = trace_document(document, model, NEVER)
        for decision in trace.decisions:
            if (decision.start, decision.end) == span:
                return [(option.entity, option.probability) for option in decision.options]
        return []

    def find_entities(self, model: Model, words: str, limit: int = 20) -> list[str]:
        lexicon: Lexicon | None = model.state.priors.lexicon
        return [] if lexicon is None else lexicon.search(words, limit)

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        mentions = [mention for document in documents for mention in document.gold.mentions]
        if not mentions:
            return "no"
        if any(mention.is_linked for mention in mentions):
            return "yes"
        return "no gold" if any("candidates" in mention.extra for mention in mentions) else "no"


def _training_round(step: Round, state: State, learner: str, settings: DisambiguationSettings) -> TrainingRound:
    def build() -> Model:
        return Model("disambiguation", learner, settings, state.with_forest(step.scorer), bias=NEVER)

    return TrainingRound(step.index, settings.trees, step.objective, step.scores, build, {"trees": step.index})


def _resolved(gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None) -> list[Resolved]:
    """Gold mentions with what was said about them; a mention that a prediction lacks counts as declined."""
    out = []
    links = model.state.priors.links if model is not None else None
    for d, (document, layer) in enumerate(zip(gold, predicted, strict=True)):
        said = {mention.span: mention.entity for mention in layer.mentions}
        for mention in document.gold.mentions:
            if mention.entity is None:
                continue
            answer = said.get(mention.span)
            given = mention.extra.get("candidates")
            out.append(
                Resolved(
                    document=d,
                    gold=mention.entity if mention.is_linked else None,
                    predicted=None if answer == NIL else answer,
                    n_candidates=None if given is None else len(given),
                    known=links.titles(normalise(document.surface(mention))) if links is not None else None,
                )
            )
    return out
