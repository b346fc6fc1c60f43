"""Joint entities and relations: local classifiers whose decisions are made consistent by a linear program.

Roth and Yih (CoNLL 2004), "A linear programming formulation for global inference in natural language tasks".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

from engine.data.document import Document, Layer, Mention
from engine.data.pins import Pin
from engine.features.joint.entities import ENTITY_TEMPLATES, role_features
from engine.features.joint.pairs import PAIR_TEMPLATES, typed_features
from engine.learners.base import Saved
from engine.metrics import joint as metrics
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import Statistic, f1
from engine.metrics.tally import Tally
from engine.tasks.base import DocumentPins, LearnerInfo, Report, Resources, Task, TrainingRound
from engine.tasks.capabilities import Against, ListedPart, Weighed
from engine.tasks.explanation import FeatureInfo
from engine.tasks.joint import curve, deciding, errors, evaluation, explain, scoring, state, trace, training
from engine.tasks.joint.constraints import language
from engine.tasks.joint.exchange import listing, outside
from engine.tasks.joint.explain import JointExplanation
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.settings import LEARNERS, SYSTEMS, JointSettings
from engine.tasks.joint.state import JointModel, JointState
from engine.tasks.joint.state.schema import check_parts
from engine.tasks.joint.trace import JointTrace
from engine.tasks.joint.what_if.forced import forced_tally, forced_told
from engine.tasks.joint.what_if.ledger import LedgerTable, ledger_tally
from engine.tasks.outside.brought import OutsideState
from engine.tasks.readiness import NO_TEXT, Readiness, counted, has_texts
from engine.tuning.curve import Curve
from engine.workers.hiring import crew_of


class Joint(Task[JointSettings, JointState, JointScored, JointTrace]):
    """Types of given mentions and relations between them, decided together."""

    name: ClassVar[str] = "joint"
    title: ClassVar[str] = "Joint entities and relations"
    sentence: ClassVar[str] = "Decides types of mentions and relations between them, made to agree by constraints."
    abstain: ClassVar[str] = "no relation"
    unit: ClassVar[str] = "relations"
    default_learner: ClassVar[str] = "lp"
    rival: ClassVar[str] = "basic"
    decides: ClassVar[tuple[DecisionKind, ...]] = ("type", "relation")
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "forced by a constraint",
        "scored lower",
    )
    main_score: ClassVar[tuple[str, ...]] = ("relations", "micro", "f1")
    main_name: ClassVar[str] = "relation F1"
    reads: ClassVar[tuple[str, ...]] = ("gazetteers", "constraints", "jobs", "cluster")
    learners: ClassVar[Mapping[str, LearnerInfo[JointSettings]]] = LEARNERS
    starts_from = "mentions"
    template: ClassVar[str] = (
        "id,text,head,head type,relation,tail,tail type\n"
        "s1,Ada Lovelace works for Acme in London.,Ada Lovelace,Person,works_for,Acme,Company\n"
        "s1,Ada Lovelace works for Acme in London.,Acme,Company,based_in,London,Place\n"
        "s2,Charles Babbage visited Turin.,Charles Babbage,Person,none,Turin,Place\n"
    )
    without: ClassVar[Mapping[str, str]] = {
        "gazetteers": "Without gazetteers, only the built-in lists of names are used.",
        "constraints": "Without a file of constraints, they are learnt from the training data: which types the"
        " arguments of each relation have there.",
    }
    scored_type = JointScored
    exchange = outside.EXCHANGE

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: JointSettings,
        resources: Resources,
        *,
        resume: Saved | None = None,
    ) -> Iterator[TrainingRound[JointSettings, JointState]]:
        with crew_of(resources.jobs, resources.cluster) as crew:
            yield from training.rounds(train, dev, learner, settings, resources, resume=resume, crew=crew)

    def shares_work(self, settings: JointSettings) -> bool:
        return settings.classifier == "logistic" or settings.winnow_shards > 1

    def score_trained(
        self, documents: Sequence[Document], model: JointModel, *, pins: DocumentPins | None = None
    ) -> JointScored:
        """Score the documents. Pins need no special treatment: they can only name existing parts."""
        return scoring.score(documents, model)

    def score_outside(self, documents: Sequence[Document], brought: OutsideState, bias: float) -> JointScored:
        found = super().score_outside(documents, brought, bias)
        constraints = language.from_json(brought.constraints)
        language.check_names(constraints, found.space)
        return replace(found, constraints=constraints, enforced=True)

    def explain(
        self, scored: JointScored, model: JointModel, part: int, *, pins: Sequence[Pin] = (), rival: int | None = None
    ) -> JointExplanation:
        """The classifier's log-odds of a part against the best other one, or against `rival`; pins do not change
        them."""
        return explain.explain(scored, model, part, rival)

    def names_known(self, model: JointModel) -> Mapping[str, frozenset[str]]:
        space = model.state.space
        return {"types": frozenset(space.types), "relations": frozenset(space.relations)}

    def names_wanted(self, document: Document) -> Mapping[str, frozenset[str]]:
        types = frozenset(mention.type for mention in document.gold.mentions if mention.type)
        return {"types": types, "relations": frozenset(relation.type for relation in document.gold.relations)}

    def explain_against(
        self, scored: JointScored, model: JointModel, part: int, others: Collection[int]
    ) -> Against | None:
        rival = next((one for one in others if one in scored.numbering.rivals(part)), None)
        return None if rival is None else Against(explain.explain(scored, model, part, rival), rival)

    def list_features(self, model: JointModel | None) -> list[FeatureInfo]:
        sees = "gold" if model is None else SYSTEMS[model.learner].sees
        listed = [_info("entity", one) for one in ENTITY_TEMPLATES] + [_info("pair", one) for one in PAIR_TEMPLATES]
        listed += [_info("pair", typed_features)] if sees != "nothing" else []
        return listed + ([_info("entity", role_features)] if sees == "gold" else [])

    def pack(self, model: JointModel) -> dict[str, Any]:
        return state.pack(model.state)

    def check(self, learner: str, settings: JointSettings, parts: Mapping[str, Any]) -> None:
        check_parts(parts)

    def unpack(self, learner: str, settings: JointSettings, parts: Mapping[str, Any]) -> JointState:
        return state.unpack(parts)

    def given(self, document: Document, model: JointModel) -> tuple[Mention, ...]:
        if model.settings.spans == "proposed":
            return ()
        return tuple(replace(mention, type=None) for mention in document.gold.mentions)

    def with_constraints(self, model: JointModel, path: Path) -> JointModel:
        brought = model.outside
        if brought is not None:
            tables = tuple(language.to_json(language.read(path)))
            return replace(model, state=cast(Any, replace(brought, constraints=tables)))
        return state.with_constraints(model, language.read(path, model.state.space))

    def constrained(self, scored: JointScored, path: Path) -> JointScored:
        return replace(scored, constraints=language.read(path, scored.space), enforced=True)

    def best(self, scored: JointScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: JointScored, outline: Tally | None = None) -> Curve:
        return curve.curve(scored)

    def trace(self, scored: JointScored, *, pins: Sequence[Pin] = ()) -> JointTrace:
        return trace.trace(scored, pins)

    def list_parts(self, scored: JointScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def weigh(self, scored: JointScored, *, pins: Sequence[Pin] = ()) -> Weighed:
        return listing.weigh(scored, pins)

    def errors(self, scored: JointScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors.errors(scored, predicted)

    def tally(self, gold: Sequence[Document], predicted: Sequence[Layer], scored: JointScored | None = None) -> Tally:
        return evaluation.tally(gold, predicted, scored)

    def report(self, found: Tally) -> Report:
        return evaluation.report(found)

    def counts(
        self, gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
    ) -> list[dict[str, float]]:
        return metrics.counts(gold, predicted)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        columns = ("entities_correct", "entities_correct", "entities_predicted", "entities_gold")
        return {**super().statistics(), "entities_f1": (columns, f1)}

    def extra_tally(self, scored: JointScored) -> Tally:
        return ledger_tally(scored)

    def extra(self) -> LedgerTable:
        return LedgerTable()

    def forced_decisions(self, scored: JointScored, relation: str) -> Report:
        """The classifiers alone and under the constraints, both at the same bias."""
        return forced_told(forced_tally(scored, relation))

    def forced_tally(self, scored: JointScored, relation: str) -> Tally:
        return forced_tally(scored, relation)

    def forced_told(self, found: Tally) -> Report:
        return forced_told(found)

    def check_pin(self, scored: JointScored, pin: Pin) -> None:
        deciding.part_pins(scored, 0, [pin])

    def check_file(self, kind: str, path: Path, documents: Sequence[Document]) -> None:
        if kind == "constraints":
            language.read(path, training.space_of(documents))
        else:
            training.read_gazetteers([path])

    def readiness(self, documents: Sequence[Document]) -> Readiness:
        if not has_texts(documents):
            return NO_TEXT
        texts = [document for document in documents if document.bag is None]
        typed = sum(m.type is not None for document in texts for m in document.gold.mentions)
        relations = sum(len(document.gold.relations) for document in texts)
        if typed and relations:
            return Readiness("yes", f"{counted(typed, 'typed mention')}, {counted(relations, 'relation')}.")
        missing = " and ".join(
            filter(None, ["" if typed else "types of mentions", "" if relations else "relations between them"])
        )
        return Readiness(
            "no gold",
            f"There are no {missing}, so there is nothing to learn from.",
            "Give them on the page Annotate, or add a table with the columns head, head type, relation, tail and tail"
            " type.",
        )


def _info(group: str, template: Callable[..., list[str]]) -> FeatureInfo:
    return FeatureInfo(template.__name__, group, (template.__doc__ or "").split("\n")[0])
