"""Disambiguation: which entity each given mention of a document is.

Mentions are decided in sequence, each given the decisions before it; beam search finds the best sequence, from one end
or from both. Declining (NIL) has learnt log-odds, to which the bias is added; unless a bias is chosen, the model links
everything. Yang, Irsoy and Rahman 2018.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np

from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.disambiguation.all import pooled_names
from engine.features.disambiguation.pairs import CHANNELS
from engine.features.disambiguation.vectors import check_vectors
from engine.learners.base import Saved
from engine.lexicon import build as lexicons
from engine.lexicon.build import open_or_build
from engine.metrics import disambiguation as metrics
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import COLUMNS, Statistic, precision, recall
from engine.metrics.tally import Tally
from engine.tasks.base import DocumentPins, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.disambiguation import curve, deciding, errors, evaluation, explain, scoring, trace, training
from engine.tasks.disambiguation import state as states
from engine.tasks.disambiguation.exchange import listing, outside
from engine.tasks.disambiguation.explain import DisambiguationExplanation
from engine.tasks.disambiguation.scored import NEVER, DisambiguationScored
from engine.tasks.disambiguation.settings import LEARNERS, DisambiguationSettings, search_of
from engine.tasks.disambiguation.state import DisambiguationState
from engine.tasks.disambiguation.state.schema import check_parts
from engine.tasks.disambiguation.trace import DisambiguationTrace
from engine.tasks.explanation import FeatureInfo
from engine.tasks.readiness import Readiness, counted
from engine.tuning.curve import Curve
from engine.workers.hiring import crew_of

DisambiguationModel: TypeAlias = Model[DisambiguationSettings, DisambiguationState]


class Disambiguation(Task[DisambiguationSettings, DisambiguationState, DisambiguationScored, DisambiguationTrace]):
    name: ClassVar[str] = "disambiguation"
    title: ClassVar[str] = "Entity disambiguation"
    sentence: ClassVar[str] = "Decides which entity each given name is, for all names of a document together."
    abstain: ClassVar[str] = "NIL"
    default_learner: ClassVar[str] = "bibsg"
    rival: ClassVar[str | None] = "local"
    learners: ClassVar[Mapping[str, LearnerInfo[DisambiguationSettings]]] = LEARNERS
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
    never_declines: ClassVar[float | None] = NEVER
    curve_names: ClassVar[tuple[str, str, str]] = ("P", "accuracy", "F")
    reads: ClassVar[tuple[str, ...]] = ("lexicon", "vectors", "jobs", "cluster")
    starts_from = "mentions"
    template: ClassVar[str] = (
        "id,text,mention,entity\n"
        "d1,Ada met Babbage in Turin. Turin was cold.,Babbage,Charles Babbage\n"
        "d1,Ada met Babbage in Turin. Turin was cold.,Turin,Turin\n"
        "d1,Ada met Babbage in Turin. Turin was cold.,Turin,Turin\n"
        "d1,Ada met Babbage in Turin. Turin was cold.,Ada,NIL\n"
    )
    without: ClassVar[Mapping[str, str]] = {
        "lexicon": "Without a lexicon, candidates are those that come with the mentions or that training links.",
        "vectors": "Without vectors, entities are compared by their links only.",
    }
    scored_type = DisambiguationScored
    exchange = outside.EXCHANGE

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: DisambiguationSettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[TrainingRound[DisambiguationSettings, DisambiguationState]]:
        if self.fits(train) != "yes":
            raise InputError("no training document has a mention that is linked to an entity")
        with crew_of(resources.jobs, resources.cluster) as crew:
            yield from training.rounds(train, dev, learner, settings, resources, resume=resume, crew=crew)

    def score_trained(
        self, documents: Sequence[Document], model: DisambiguationModel, *, pins: DocumentPins | None = None
    ) -> DisambiguationScored:
        return scoring.score(documents, model, pins)

    def explain(
        self, scored: DisambiguationScored, model: DisambiguationModel, part: int, *, pins: Sequence[Pin] = ()
    ) -> DisambiguationExplanation:
        if model.outside is not None:
            score = 0.0 if scored.score is None else float(scored.score[part])
            return DisambiguationExplanation(score, score, ())
        return explain.explain(scored, model, part, pins)

    def best(self, scored: DisambiguationScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: DisambiguationScored, outline: Tally | None = None) -> Curve:
        """Exact for independent decisions; a grid of biases if search is approximate."""
        return curve.curve(scored, outline)

    def outline(self, scored: DisambiguationScored) -> Tally | None:
        return None if scored.steps is None else curve.outline(scored)

    def trace(self, scored: DisambiguationScored, *, pins: Sequence[Pin] = ()) -> DisambiguationTrace:
        return trace.trace(scored, pins)

    def list_parts(self, scored: DisambiguationScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def weigh(self, scored: DisambiguationScored, *, pins: Sequence[Pin] = ()) -> Weighed:
        return listing.weigh(scored, pins)

    def best_outputs(
        self, scored: DisambiguationScored, k: int, *, pins: Sequence[Pin] = ()
    ) -> list[tuple[float, Layer]]:
        return listing.best_outputs(scored, k, pins)

    def errors(self, scored: DisambiguationScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors.errors(scored, predicted)

    def tally(
        self, gold: Sequence[Document], predicted: Sequence[Layer], scored: DisambiguationScored | None = None
    ) -> Tally:
        return evaluation.tally(gold, predicted, scored)

    def report(self, found: Tally) -> Report:
        return metrics.report(found)

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        return evaluation.counts(gold, predicted)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        return {"accuracy": (COLUMNS, recall), "precision": (COLUMNS, precision)}

    def check_pin(self, scored: DisambiguationScored, pin: Pin) -> None:
        deciding.place(scored.documents[0], [pin])

    def with_width(self, scored: DisambiguationScored, width: int) -> DisambiguationScored:
        """The same scores, to be searched with another beam width."""
        return dataclasses.replace(scored, width=width)

    def rank_entities(self, scored: DisambiguationScored, span: tuple[int, int]) -> list[tuple[str, float]]:
        """Candidates ranked by the score of the whole document with each of them chosen for the span."""
        for decision in trace.trace(scored.at(NEVER)).decisions:
            if (decision.start, decision.end) == span:
                return [(option.entity, option.probability) for option in decision.options]
        return []

    def find_entities(self, model: DisambiguationModel, words: str, limit: int = 20) -> list[str]:
        lexicon = None if model.outside is not None else model.state.priors.lexicon
        return [] if lexicon is None else lexicon.search(words, limit)

    def with_lexicon(self, model: DisambiguationModel, paths: Sequence[Path]) -> DisambiguationModel:
        return dataclasses.replace(model, state=states.with_lexicon(model.state, open_or_build(paths)))

    def notable(self, scored: DisambiguationScored) -> Tally:
        made = Tally()
        made.count("mentions", n=scored.n_mentions)
        made.count("without candidates", n=int((np.diff(scored.row_offsets) == 0).sum()))
        return made

    def notes(self, found: Tally) -> list[str]:
        without = found.number("without candidates")
        if not without:
            return []
        return [
            f"{without} of {found.number('mentions')} mentions have no candidates and can only be {self.abstain}: give"
            " candidates with the mentions, or name a lexicon with --lexicon"
        ]

    def list_features(self, model: DisambiguationModel | None) -> list[FeatureInfo]:
        names = pooled_names(tuple(range(len(CHANNELS)))) if model is None else model.state.names
        return [FeatureInfo(named.name, named.group, named.help) for named in names]

    def given(self, document: Document, model: DisambiguationModel) -> tuple[Mention, ...]:
        return tuple(dataclasses.replace(mention, entity=None) for mention in document.gold.mentions)

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        if kind == "vectors":
            check_vectors(path)
        else:
            lexicons.check(path)

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        mentions = [mention for document in documents for mention in document.gold.mentions if document.bag is None]
        if not mentions:
            return Readiness(
                "no",
                "No mention is marked: this system is told where the names are and decides what they mean.",
                "Mark mentions on the page Annotate, or add a table with the columns mention and entity.",
            )
        linked = [mention.entity for mention in mentions if mention.is_linked]
        if linked:
            return Readiness("yes", f"{counted(len(linked), 'linked mention')} of {len(mentions)}.")
        return Readiness(
            "no gold",
            f"{counted(len(mentions), 'mention')}, none linked to an entity: nothing to learn from.",
            "Link mentions on the page Annotate, or add a table with a column entity.",
        )

    def pack(self, model: DisambiguationModel) -> dict[str, Any]:
        return states.pack(model.state)

    def check(self, learner: str, settings: DisambiguationSettings, parts: Mapping[str, Any]) -> None:
        check_parts(parts, structured=search_of(learner, settings).policy != "local")

    def unpack(self, learner: str, settings: DisambiguationSettings, parts: Mapping[str, Any]) -> DisambiguationState:
        return states.unpack(parts, settings)
