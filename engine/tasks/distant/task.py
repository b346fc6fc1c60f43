"""Distant relations: which relations hold between two entities, from all sentences that mention both.

Training takes the desired balance of precision and recall as a number, beta (Haffari, Nagesh and Ramakrishnan 2015).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from engine.data.document import Document, Layer
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin.cccp import MaxMargin
from engine.metrics.differences import DecisionKind
from engine.metrics.distant import Ranking
from engine.metrics.errors import Error, Stage
from engine.metrics.tally import Tally
from engine.tasks.base import DocumentPins, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.capabilities import Against, ListedPart, Weighed
from engine.tasks.distant import curve, deciding, errors, evaluation, explain, scoring, state, trace, training
from engine.tasks.distant.exchange import listing, outside
from engine.tasks.distant.ranking import RankingTable, ranked_tally
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.settings import F_LOSS, LEARNERS, DistantSettings, beta_of
from engine.tasks.distant.state import DistantState
from engine.tasks.distant.state.schema import check_parts
from engine.tasks.distant.trace import DistantTrace
from engine.tasks.distant.training import LossTrace
from engine.tasks.explanation import Explanation, FeatureInfo
from engine.tasks.readiness import Readiness, counted
from engine.tuning.curve import Curve
from engine.workers.hiring import crew_of

DistantModel: TypeAlias = Model[DistantSettings, DistantState]
Rounds: TypeAlias = Iterator[TrainingRound[DistantSettings, DistantState]]


class Distant(Task[DistantSettings, DistantState, DistantScored, DistantTrace]):
    name: ClassVar[str] = "distant"
    title: ClassVar[str] = "Distant relations"
    sentence: ClassVar[str] = "Finds the relations between two entities, learnt from a table of facts and plain text."
    abstain: ClassVar[str] = "nil relation"
    unit: ClassVar[str] = "relations"
    default_learner: ClassVar[str] = F_LOSS
    rival: ClassVar[str | None] = "hoffmann"
    learners: ClassVar[Mapping[str, LearnerInfo[DistantSettings]]] = LEARNERS
    decides: ClassVar[tuple[DecisionKind, ...]] = ("relation", "label")
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "forced by a constraint",
        "scored lower",
    )
    reads: ClassVar[tuple[str, ...]] = ("jobs", "cluster")
    confidence: ClassVar[Literal["probability", "margin"]] = "margin"
    starts_from = "pair"
    template: ClassVar[str] = (
        "text,head,relation,tail\n"
        "Ada Lovelace was born in London.,Ada Lovelace,born_in,London\n"
        "Ada Lovelace left London for Kent.,Ada Lovelace,born_in,London\n"
        "Charles Babbage spoke in Turin.,Charles Babbage,none,Turin\n"
    )
    scored_type = DistantScored
    exchange = outside.EXCHANGE

    # Left of the waist.

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: DistantSettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Rounds:
        with crew_of(resources.jobs, resources.cluster) as crew:
            yield from training.rounds(training.Plan(self.name, learner, settings, crew), train, dev, resume=resume)

    def shares_work(self, settings: DistantSettings) -> bool:
        if isinstance(settings, Hoffmann):
            return settings.shards > 1
        return isinstance(settings, MaxMargin) and settings.inference == "exact"

    def learns_from(self, train: Sequence[Document], settings: DistantSettings) -> Sequence[Document]:
        return training.training_bags(train, settings)

    def beta_of(self, model: DistantModel) -> float:
        return beta_of(model.settings)

    def retrain(self, train: Sequence[Document], dev: Sequence[Document], model: DistantModel, beta: float) -> Rounds:
        return training.retrain(train, dev, model, beta)

    def loss_trace(self, train: Sequence[Document], model: DistantModel, beta: float | None = None) -> LossTrace:
        """The F loss on the training bags under this model."""
        return training.loss_trace(train, model, beta)

    def score_trained(
        self, documents: Sequence[Document], model: DistantModel, *, pins: DocumentPins | None = None
    ) -> DistantScored:
        return scoring.score(documents, model)

    def explain(
        self, scored: DistantScored, model: DistantModel, part: int, *, pins: Sequence[Pin] = ()
    ) -> Explanation:
        if model.outside is not None:
            return Explanation.bare(float(scored.bag()[1][part]))
        return explain.explain(scored, model, part)

    def names_known(self, model: DistantModel) -> Mapping[str, frozenset[str]]:
        return {"relations": frozenset(model.state.relations)}

    def names_wanted(self, document: Document) -> Mapping[str, frozenset[str]]:
        return {"relations": frozenset(document.gold.labels)}

    def explain_against(
        self, scored: DistantScored, model: DistantModel, part: int, others: Collection[int]
    ) -> Against | None:
        return None if model.outside is not None else explain.explain_against(scored, model, part, others)

    def list_features(self, model: DistantModel | None) -> list[FeatureInfo]:
        return explain.features(None if model is None else model.state)

    def pack(self, model: DistantModel) -> dict[str, Any]:
        return state.pack(model.state)

    def check(self, learner: str, settings: DistantSettings, parts: Mapping[str, Any]) -> None:
        check_parts(parts)

    def unpack(self, learner: str, settings: DistantSettings, parts: Mapping[str, Any]) -> DistantState:
        return state.unpack(parts)

    # Right of the waist.

    def best(self, scored: DistantScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: DistantScored, outline: Tally | None = None) -> Curve:
        return curve.curve(scored)

    def ranking(self, scored: DistantScored) -> Ranking:
        return curve.ranking(scored)

    def trace(self, scored: DistantScored, *, pins: Sequence[Pin] = ()) -> DistantTrace:
        return trace.trace(scored, pins)

    def list_parts(self, scored: DistantScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def weigh(self, scored: DistantScored, *, pins: Sequence[Pin] = ()) -> Weighed:
        return listing.weigh(scored, pins)

    def errors(self, scored: DistantScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors.errors(scored, predicted)

    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: DistantScored | None = None) -> Tally:
        return evaluation.tally(gold, predicted, scored)

    def report(self, found: Tally) -> Report:
        return evaluation.report(found)

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        return evaluation.counts(gold, predicted)

    def check_pin(self, scored: DistantScored, pin: Pin) -> None:
        deciding.part_pins(scored, [pin])

    def extra_tally(self, scored: DistantScored) -> Tally:
        return ranked_tally(*curve.ranked_pairs(scored))

    def extra(self) -> RankingTable:
        return RankingTable()

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        if not documents or any(document.bag is None for document in documents):
            return Readiness(
                "no",
                "It needs pairs of entities, each with the sentences that mention both.",
                "Add a table with the columns text, head, tail and relation: rows of the same pair become one bag; or"
                " make bags of linked sentences and a list of facts with the command `bags`.",
            )
        labelled = sum(bool(document.gold.labels) for document in documents)
        if labelled:
            return Readiness("yes", f"{counted(len(documents), 'pair')}, {labelled} of them with a relation.")
        return Readiness(
            "no gold",
            f"{counted(len(documents), 'pair')}, none with a relation: nothing to learn from.",
            "Give relations on the page Annotate, or add a table with a column relation.",
        )
