"""The coreference task: which mentions of a document stand for the same thing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from engine.data.document import Document, Layer, Mention
from engine.data.pins import Pin
from engine.features.coreference.templates import Templates, explain_template
from engine.learners.base import Saved
from engine.metrics.coreference import FIELDS
from engine.metrics.coreference_statistics import b3, ceafe, conll, lea, muc
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import Statistic
from engine.metrics.tally import Tally
from engine.tasks.base import DocumentPins, LearnerInfo, Report, Resources, Task
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.coreference import curve, deciding, errors, evaluation, explain, scoring, state, trace, training
from engine.tasks.coreference.exchange import listing, outside
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import CoreferenceModel
from engine.tasks.coreference.settings import LEARNERS, CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState
from engine.tasks.coreference.state.schema import check_parts
from engine.tasks.coreference.trace import CoreferenceTrace
from engine.tasks.explanation import Explanation, FeatureInfo
from engine.tasks.kept import Latest
from engine.tasks.readiness import NO_TEXT, Readiness, counted, has_texts
from engine.tuning.curve import Curve
from engine.workers.hiring import crew_of


class Coreference(Task[CoreferenceSettings, CoreferenceState, CoreferenceScored, CoreferenceTrace]):
    """Which mentions of a document stand for the same thing."""

    name: ClassVar[str] = "coreference"
    title: ClassVar[str] = "Coreference"
    sentence: ClassVar[str] = "Groups the mentions of a document that stand for the same thing, through a latent tree."
    abstain: ClassVar[str] = "root"
    unit: ClassVar[str] = "links to antecedents (MUC)"
    default_learner: ClassVar[str] = "delayed-laso"
    rival: ClassVar[str] = "baseline"
    learners: ClassVar[Mapping[str, LearnerInfo[CoreferenceSettings]]] = LEARNERS
    main_score: ClassVar[tuple[str, ...]] = ("conll",)
    main_name: ClassVar[str] = "CoNLL average"
    curve_names: ClassVar[tuple[str, str, str]] = ("MUC P", "MUC R", "MUC F")
    main_on_curve: ClassVar[bool] = False
    confidence: ClassVar[Literal["probability", "margin"]] = "margin"
    decides: ClassVar[tuple[DecisionKind, ...]] = ("coreference",)
    reads: ClassVar[tuple[str, ...]] = ("lexicon", "jobs", "cluster")
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "pruned by search",
        "scored lower",
    )
    template: ClassVar[str] = (
        "id,text,mention,chain\n"
        "d1,Ada wrote to her brother. She missed him.,Ada,1\n"
        "d1,Ada wrote to her brother. She missed him.,her,1\n"
        "d1,Ada wrote to her brother. She missed him.,her brother,2\n"
        "d1,Ada wrote to her brother. She missed him.,She,1\n"
        "d1,Ada wrote to her brother. She missed him.,him,2\n"
    )
    without: ClassVar[Mapping[str, str]] = {
        "lexicon": "Without a list of words and their gender, the built-in one is used."
    }
    scored_type = CoreferenceScored
    exchange = outside.EXCHANGE

    def __init__(self) -> None:
        super().__init__()
        self._described: Latest[explain.Described] = Latest()

    def forget(self) -> None:
        super().forget()
        self._described.clear()

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: CoreferenceSettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[training.CoreferenceRound]:
        with crew_of(resources.jobs, resources.cluster) as crew:
            yield from training.rounds(train, dev, learner, settings, resources, resume=resume, crew=crew)

    def shares_work(self, settings: CoreferenceSettings) -> bool:
        return settings.shards > 1

    def score_trained(
        self, documents: Sequence[Document], model: CoreferenceModel, *, pins: DocumentPins | None = None
    ) -> CoreferenceScored:
        return scoring.score(documents, model, pins)

    def explain(
        self,
        scored: CoreferenceScored,
        model: CoreferenceModel,
        part: int,
        *,
        pins: Sequence[Pin] = (),
        trace: CoreferenceTrace | None = None,
    ) -> Explanation:
        """Why an arc of one document has its score, given the decided clusters, which are taken from `trace` if it is
        given."""
        if model.outside is not None:
            return Explanation.bare(float(scored.score[part]))
        if trace is None:
            heads = deciding.best_tree(scored, pins).heads
        else:
            heads = np.array([arc.head for arc in trace.predicted], dtype=np.int32)
        key = (scored.document, model.settings, model.state, scored.start.tobytes(), scored.end.tobytes())
        described = self._described.get(key, lambda: explain.describe_again(scored, model))
        return explain.explain(scored, model, part, heads, described)

    def list_features(self, model: CoreferenceModel | None) -> list[FeatureInfo]:
        templates = model.state.templates if model is not None else Templates()
        groups = {
            "is it new (arc from the root)": templates.root,
            "two mentions": templates.pair,
            "cluster (non-local)": templates.cluster if model is None or model.settings.features == "nonlocal" else (),
        }
        return [FeatureInfo(name, group, explain_template(name)) for group, names in groups.items() for name in names]

    def pack(self, model: CoreferenceModel) -> dict[str, Any]:
        return state.pack(model.state)

    def check(self, learner: str, settings: CoreferenceSettings, parts: Mapping[str, Any]) -> None:
        check_parts(parts)

    def unpack(self, learner: str, settings: CoreferenceSettings, parts: Mapping[str, Any]) -> CoreferenceState:
        return state.unpack(parts)

    def given(self, document: Document, model: CoreferenceModel) -> tuple[Mention, ...]:
        return document.gold.mentions if model.settings.mentions == "gold" else ()

    def best(self, scored: CoreferenceScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: CoreferenceScored, outline: Tally | None = None) -> Curve:
        return curve.curve(scored, outline)

    def outline(self, scored: CoreferenceScored) -> Tally | None:
        return None if scored.steps is None else curve.outline(scored)

    def trace(self, scored: CoreferenceScored, *, pins: Sequence[Pin] = ()) -> CoreferenceTrace:
        return trace.trace(scored, pins)

    def list_parts(self, scored: CoreferenceScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def weigh(self, scored: CoreferenceScored, *, pins: Sequence[Pin] = ()) -> Weighed:
        return listing.weigh(scored, pins)

    def errors(self, scored: CoreferenceScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors.errors(scored, predicted)

    def tally(
        self, gold: Sequence[Document], predicted: Sequence[Layer], scored: CoreferenceScored | None = None
    ) -> Tally:
        return evaluation.tally(gold, predicted)

    def report(self, found: Tally) -> Report:
        return evaluation.report(found)

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        return evaluation.counts(gold, predicted)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        return {one.__name__: (FIELDS, one) for one in (muc, b3, ceafe, lea, conll)}

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        state.read_gender([path])

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        if not has_texts(documents):
            return NO_TEXT
        chains = sum(len(document.gold.clusters) for document in documents)
        if chains:
            return Readiness("yes", f"{counted(chains, 'chain')} of mentions.")
        missing = "No chain says which mentions stand for the same thing, so there is nothing to learn from."
        remedy = (
            "Draw chains on the page Annotate, or add a CoNLL-2012 file, or a table with the columns mention and chain."
        )
        return Readiness("no gold", missing, remedy)
