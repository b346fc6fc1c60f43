"""Linking: which stretches of a text name an entity of the knowledge base, and which one.

All n-grams in the lexicon are candidate mentions with their entities; no two chosen mentions overlap; whatever is not
chosen is Nil, and the Nil bias trades precision for recall. Yang and Chang, S-MART (ACL 2015).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.learners.base import Saved
from engine.lexicon import build as lexicons
from engine.lexicon.build import open_or_build
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.linking import queries
from engine.metrics.significance import Statistic
from engine.metrics.tally import Tally
from engine.tasks.base import DocumentPins, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.explanation import Explanation, FeatureInfo
from engine.tasks.linking import curve, deciding, errors, evaluation, explain, scoring, state, trace, training
from engine.tasks.linking.evaluation import IR_COLUMNS
from engine.tasks.linking.exchange import listing, outside
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.settings import LEARNERS, LinkingPerceptron, LinkingSettings
from engine.tasks.linking.state import LinkingState
from engine.tasks.linking.state.schema import check_parts
from engine.tasks.linking.trace import LinkingTrace
from engine.tasks.readiness import NO_TEXT, Readiness, counted, has_texts
from engine.tuning.curve import Curve
from engine.workers.hiring import crew_of


class Linking(Task[LinkingSettings, LinkingState, LinkingScored, LinkingTrace]):
    name: ClassVar[str] = "linking"
    title: ClassVar[str] = "Entity linking"
    sentence: ClassVar[str] = "Finds names in short texts and links each to its entity, no two of them overlapping."
    abstain: ClassVar[str] = "Nil"
    default_learner: ClassVar[str] = "s-mart"
    rival: ClassVar[str] = "perceptron"
    learners: ClassVar[Mapping[str, LearnerInfo[LinkingSettings]]] = LEARNERS
    decides: ClassVar[tuple[DecisionKind, ...]] = ("link",)
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "forced by a constraint",
        "scored lower",
    )
    template: ClassVar[str] = (
        "id,text,mention,entity\n"
        "t1,Messi back in Barcelona for the night!,Messi,Lionel Messi\n"
        "t1,Messi back in Barcelona for the night!,Barcelona,Barcelona\n"
        "t2,who else loves the new Jaguar,Jaguar,Jaguar Cars\n"
        "t3,nothing to link here,,\n"
    )
    without: ClassVar[Mapping[str, str]] = {
        "lexicon": "Linking needs a lexicon: choose or upload one, or let it be made from the training data."
    }
    reads: ClassVar[tuple[str, ...]] = ("lexicon", "jobs", "cluster")
    gathers: ClassVar[tuple[str, ...]] = ("lexicon",)
    scored_type = LinkingScored
    exchange = outside.EXCHANGE

    # Left of the waist.

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: LinkingSettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[TrainingRound[LinkingSettings, LinkingState]]:
        if not resources.lexicon:
            raise InputError(
                "linking needs a lexicon: name a built one, or a folder or files of surfaces, with --lexicon"
            )
        if self.fits(train) != "yes":
            raise InputError("no training document has a linked mention")
        with crew_of(resources.jobs, resources.cluster) as crew:
            plan = training.Plan(self.name, learner, settings, self._keep, crew)
            yield from training.rounds(plan, train, dev, open_or_build(resources.lexicon), resume=resume)

    def shares_work(self, settings: LinkingSettings) -> bool:
        return not isinstance(settings, LinkingPerceptron) or settings.shards > 1

    def _keep(self, model: Model[LinkingSettings, LinkingState], scored: LinkingScored) -> None:
        self._kept.get(scored.documents, model, lambda: scored)

    def score_trained(
        self,
        documents: Sequence[Document],
        model: Model[LinkingSettings, LinkingState],
        *,
        pins: DocumentPins | None = None,
    ) -> LinkingScored:
        return scoring.score(documents, model, pins=pins)

    def explain(
        self,
        scored: LinkingScored,
        model: Model[LinkingSettings, LinkingState],
        part: int,
        *,
        pins: Sequence[Pin] = (),
    ) -> Explanation:
        if model.outside is not None:
            return Explanation.bare(float(scored.score[part]))
        return explain.explain(scored, model, part)

    def list_features(self, model: Model[LinkingSettings, LinkingState] | None) -> list[FeatureInfo]:
        return explain.features(None if model is None else model.state)

    def find_entities(self, model: Model[LinkingSettings, LinkingState], words: str, limit: int = 20) -> list[str]:
        return [] if model.outside is not None else model.state.knowledge.inventory.lexicon.search(words, limit)

    def pack(self, model: Model[LinkingSettings, LinkingState]) -> dict[str, Any]:
        return state.pack(model.state)

    def check(self, learner: str, settings: LinkingSettings, parts: Mapping[str, Any]) -> None:
        check_parts(parts)

    def unpack(self, learner: str, settings: LinkingSettings, parts: Mapping[str, Any]) -> LinkingState:
        return state.unpack(parts)

    def opens(self, parts: Mapping[str, Any]) -> tuple[str, ...]:
        return state.opens(parts)

    # Right of the waist.

    def best(self, scored: LinkingScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: LinkingScored, outline: Tally | None = None) -> Curve:
        return curve.curve(scored)

    def trace(self, scored: LinkingScored, *, pins: Sequence[Pin] = ()) -> LinkingTrace:
        return trace.trace(scored, pins)

    def list_parts(self, scored: LinkingScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def weigh(self, scored: LinkingScored, *, pins: Sequence[Pin] = ()) -> Weighed:
        return listing.weigh(scored, pins)

    def best_outputs(self, scored: LinkingScored, k: int, *, pins: Sequence[Pin] = ()) -> list[tuple[float, Layer]]:
        return listing.best_outputs(scored, k, pins)

    def errors(self, scored: LinkingScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors.errors(scored, predicted)

    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: LinkingScored | None = None) -> Tally:
        known = None if scored is None or not scored.entities.has_base else scored.entities
        return evaluation.tally(gold, predicted, None if known is None else known.is_listed)

    def report(self, found: Tally) -> Report:
        return evaluation.report(found)

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        return evaluation.counts(gold, predicted, asked)

    def asked(self, gold: Sequence[Document]) -> frozenset[str]:
        return queries(gold)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        present = {f"ir_{name}": (IR_COLUMNS, function) for name, (_, function) in super().statistics().items()}
        return {**super().statistics(), **present}

    def judged(self, gold: Sequence[Document]) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        """Of texts annotated without offsets only the entities are known, not their positions."""
        if self.fits(gold) == "yes" or not any(document.gold.labels for document in gold):
            return self.statistics()
        return {name: one for name, one in self.statistics().items() if one[0] == IR_COLUMNS}

    def rank_entities(self, scored: LinkingScored, span: tuple[int, int]) -> list[tuple[str, float]]:
        return deciding.rank_entities(scored, span)

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        lexicons.check(path)

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        if not has_texts(documents):
            return NO_TEXT
        linked = [m.entity for document in documents for m in document.gold.mentions if m.is_linked]
        if not linked:
            return Readiness(
                "no gold",
                "No mention is linked to an entity, so there is nothing to learn from or to be scored against.",
                "Link mentions on the page Annotate, or add a table with the columns mention and entity.",
            )
        return Readiness("yes", f"{counted(len(linked), 'linked mention')} of {len(set(linked))} different entities.")
