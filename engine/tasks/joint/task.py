"""Joint entities and relations: local classifiers that a linear program makes agree.

Roth and Yih (CoNLL 2004), "A linear programming formulation for global inference in natural language tasks".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from engine.data.document import Document, Layer, Mention
from engine.data.pins import Pin
from engine.features.joint.entities import ENTITY_TEMPLATES, role_features
from engine.features.joint.pairs import PAIR_TEMPLATES, typed_features
from engine.learners.base import Saved
from engine.metrics import joint as metrics
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import Statistic, f1
from engine.tasks.base import DocumentPins, FeatureInfo, LearnerInfo, Report, Resources, Task, TrainingRound
from engine.tasks.capabilities import ListedPart
from engine.tasks.joint import deciding, listing, outside, scoring, state, training
from engine.tasks.joint.constraints import language
from engine.tasks.joint.curve import curve
from engine.tasks.joint.errors import errors
from engine.tasks.joint.explain import JointExplanation, explain
from engine.tasks.joint.schema import check_parts
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.settings import LEARNERS, SYSTEMS, JointSettings
from engine.tasks.joint.state import JointModel, JointState
from engine.tasks.joint.trace import JointTrace, trace
from engine.tasks.joint.what_if.forced import forced_by_system, forced_report
from engine.tasks.joint.what_if.ledger import integrality, integrality_report, ledger, ledger_row
from engine.tasks.outside_run import is_outside, outside_state, score_run
from engine.tuning.curve import Curve


class Joint(Task[JointSettings, JointState, JointScored, JointTrace]):
    """Types of given mentions and relations between them, decided together."""

    name: ClassVar[str] = "joint"
    title: ClassVar[str] = "Joint entities and relations"
    sentence: ClassVar[str] = "Types of mentions and relations between them, made to agree by constraints."
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
    reads: ClassVar[tuple[str, ...]] = ("gazetteers", "constraints")
    learners: ClassVar[Mapping[str, LearnerInfo[JointSettings]]] = LEARNERS
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
        return training.rounds(train, dev, learner, settings, resources, resume=resume)

    def score(
        self, documents: Sequence[Document], model: JointModel, *, pins: DocumentPins | None = None
    ) -> JointScored:
        """Pins name mentions, types and relations that are among the parts anyway."""
        known = outside_state(model)
        if known is None:
            return scoring.score(documents, model)
        found = cast(JointScored, score_run(self, documents, model))
        constraints = language.from_json(known.constraints)
        language.check_names(constraints, found.space)
        return replace(found, constraints=constraints, enforced=True)

    def explain(
        self, scored: JointScored, model: JointModel, part: int, *, pins: Sequence[Pin] = (), rival: int | None = None
    ) -> JointExplanation:
        """The classifier's log-odds of a part against the best other one, or against `rival`; pins change nothing
        about them."""
        return explain(scored, model, part, rival)

    def features(self, model: JointModel | None = None) -> list[FeatureInfo]:
        if model is not None and is_outside(model):
            return []
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
        known = outside_state(model)
        if known is not None:
            state_under: Any = replace(known, constraints=tuple(language.to_json(language.read(path))))
            return replace(model, state=state_under)
        return state.with_constraints(model, language.read(path, model.state.space))

    def constrained(self, scored: JointScored, path: Path) -> JointScored:
        return replace(scored, constraints=language.read(path, scored.space), enforced=True)

    def decide(self, scored: JointScored, *, pins: DocumentPins | None = None) -> list[Layer]:
        return deciding.decide(scored, pins)

    def curve(self, scored: JointScored) -> Curve:
        return curve(scored)

    def trace(self, scored: JointScored, *, pins: Sequence[Pin] = ()) -> JointTrace:
        return trace(scored, pins)

    def list_parts(self, scored: JointScored, *, pins: Sequence[Pin] = ()) -> list[ListedPart]:
        return listing.list_parts(scored, pins)

    def errors(self, scored: JointScored, predicted: Sequence[Layer]) -> list[Error]:
        return errors(scored, predicted)

    def evaluate(
        self, gold: Sequence[Document], predicted: Sequence[Layer], scored: JointScored | None = None
    ) -> Report:
        report = metrics.evaluate(gold, predicted)
        if scored is not None:
            found = deciding.layer_violations(gold, predicted, scored)
            legal = sum(not any(violation.hard for violation in own) for own in found)
            report["legal"] = legal / len(found) if found else 1.0
            if scored.enforced and scored.inference != "exact":
                report["programs"] = integrality_report(integrality(scored))
        return report

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        return metrics.counts(gold, predicted)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        columns = ("entities_correct", "entities_correct", "entities_predicted", "entities_gold")
        return {**super().statistics(), "entities_f1": (columns, f1)}

    def extra_tables(self, scored: JointScored) -> dict[str, list[dict[str, Any]]]:
        """The constraint ledger: what each constraint changes, repairs and breaks, whether it is on or off now."""
        return {"constraint ledger": [ledger_row(row) for row in ledger(scored)]}

    def forced_decisions(self, scored: JointScored, relation: str) -> Report:
        """The classifiers alone and under the constraints, both at the same bias."""
        return forced_report(forced_by_system(scored, relation))

    def check_pin(self, scored: JointScored, pin: Pin) -> None:
        deciding.part_pins(scored, 0, [pin])

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        texts = [document for document in documents if document.bag is None and document.text]
        typed = any(m.type is not None for document in texts for m in document.gold.mentions)
        if typed and any(document.gold.relations for document in texts):
            return "yes"
        return "no gold" if any(document.tokens for document in texts) else "no"


def _info(group: str, template: Callable[..., list[str]]) -> FeatureInfo:
    return FeatureInfo(template.__name__, group, (template.__doc__ or "").split("\n")[0])
