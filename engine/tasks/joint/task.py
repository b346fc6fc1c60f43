"""Joint entities and relations: local classifiers that a linear program makes agree.

Roth and Yih (CoNLL 2004), "A linear programming formulation for global inference in natural language tasks".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from engine.data.document import Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.joint.entities import ENTITY_TEMPLATES, role_features
from engine.features.joint.pairs import PAIR_TEMPLATES, typed_features
from engine.metrics import joint as metrics
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import Statistic, f1
from engine.settings import Settings
from engine.structures.program import Conflict
from engine.structures.typed_pairs import pair_index
from engine.tasks.base import DocumentPins, FeatureInfo, LearnerInfo, Model, Report, Resources, Task, TrainingRound
from engine.tasks.joint import constraints as language
from engine.tasks.joint import model as joint_model
from engine.tasks.joint.compile import Ints, Violation, violations
from engine.tasks.joint.curve import curve_of
from engine.tasks.joint.errors import errors_of
from engine.tasks.joint.inference import Decisions, Decoder, Scored
from engine.tasks.joint.ledger import forced, ledger, ledger_row
from engine.tasks.joint.model import JointSettings, State
from engine.tasks.joint.trace import JointTrace, sentence_pins, trace
from engine.tasks.joint.training import Progress, Trainer
from engine.tuning.curve import Curve

_DEFAULTS = JointSettings()


class JointTask(Task):
    """Types of given mentions and relations between them, decided together."""

    name: ClassVar[str] = "joint"
    title: ClassVar[str] = "Joint entities and relations"
    sentence: ClassVar[str] = "Types of mentions and relations between them, made to agree by constraints."
    abstain: ClassVar[str] = "no relation"
    unit: ClassVar[str] = "relations"
    default_learner: ClassVar[str] = "lp"
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
    learners: ClassVar[Mapping[str, LearnerInfo]] = {
        info.name: info
        for info in (
            LearnerInfo("basic", "Basic", "Each classifier alone: types and relations may contradict.", _DEFAULTS),
            LearnerInfo("pipeline", "Pipeline", "Relations see the predicted types as features.", _DEFAULTS),
            LearnerInfo("lp", "Linear program", "Classifiers decide together under the constraints.", _DEFAULTS),
            LearnerInfo("ilp", "Integer program", "As the linear program, always solved to integers.", _DEFAULTS),
            LearnerInfo(
                "omniscient", "Omniscient", "Each classifier sees the other's gold labels: an upper bound.", _DEFAULTS
            ),
        )
    }

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        assert isinstance(settings, JointSettings)
        trainer = Trainer(learner, settings, resources, train)
        shown: tuple[State, float] | None = None
        scores: dict[str, float] = {}
        for index, progress in enumerate(trainer.steps(), 1):
            model = self._model(learner, settings, progress)
            if dev and (shown is None or shown != (progress.state, progress.bias)):
                report = self.evaluate(dev, self.predict(dev, model))
                scores = {"relations": report["relations"]["micro"]["f1"], "entities": report["entity_accuracy"]}
                shown = (progress.state, progress.bias)
            details = {} if progress.curve is None else {"held_out": progress.curve.at(progress.bias).to_json()}
            yield TrainingRound(index, trainer.n_steps, progress.objective, scores, partial(_given, model), details)

    def _model(self, learner: str, settings: JointSettings, progress: Progress) -> Model:
        return Model(self.name, learner, settings, progress.state, progress.bias)

    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        mentions, scored = joint_model.score(documents, model)
        decisions = self.decide(documents, mentions, scored, model, bias=bias, pins=pins)
        return layers(mentions, scored, decisions, model.state)

    def decide(
        self,
        documents: Sequence[Document],
        mentions: Sequence[Sequence[Mention]],
        scored: Scored,
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> Decisions:
        """Decode scores that are already there: what a switch, a weight or a pin costs."""
        wanted = {
            s: sentence_pins(document, mentions[s], model.state.space, (pins or {})[document.id])
            for s, document in enumerate(documents)
            if document.id in (pins or {})
        }
        try:
            return joint_model.decoder(model).decode(scored, model.bias if bias is None else bias, wanted)
        except Conflict as clash:
            raise InputError(str(clash)) from clash

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        report = metrics.evaluate(gold, predicted)
        if model is not None:
            found = self.violations(gold, predicted, model)
            legal = sum(not any(v.hard for v in chosen) for chosen in found)
            report["legal"] = legal / len(found) if found else 1.0
        return report

    def violations(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model
    ) -> list[list[Violation]]:
        """Where predicted layers break the model's constraints."""
        state: State = model.state
        out = []
        for document, layer in zip(documents, predicted, strict=True):
            types, labels = as_output(layer, state)
            groups = joint_model.same_groups(document, layer.mentions)
            out.append(violations(state.constraints, state.space, types, labels, groups))
        return out

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        return metrics.counts(gold, predicted)

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        columns = ("entities_correct", "entities_correct", "entities_predicted", "entities_gold")
        return {**super().statistics(), "entities_f1": (columns, f1)}

    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        mentions, scored = joint_model.score(documents, model)
        gold = [joint_model.gold_labels(d, m, model.state.space)[1] for d, m in zip(documents, mentions, strict=True)]
        labels = np.concatenate(gold) if gold else np.zeros(0, dtype=np.int64)
        n_gold = np.array([len(document.gold.relations) for document in documents], dtype=np.int64)
        try:
            return curve_of(joint_model.decoder(model), scored, labels, n_gold)
        except Conflict as clash:
            raise InputError(str(clash)) from clash

    def forced_decisions(
        self, documents: Sequence[Document], model: Model, relation: str, *, bias: float | None = None
    ) -> Report:
        """The classifiers alone and under the constraints, both at the same bias (Roth and Yih 2004, section 4)."""
        relations = model.state.space.labels[1:]
        if relation not in relations:
            raise InputError(f"the model knows no relation {relation!r}; it has {', '.join(relations)}")
        mentions, scored = joint_model.score(documents, model)
        gold = [joint_model.gold_labels(d, m, model.state.space)[1] for d, m in zip(documents, mentions, strict=True)]
        labels, at = np.concatenate(gold), model.bias if bias is None else bias
        tests = {name: forced(way, scored, labels, relation, at) for name, way in joint_model.systems(model).items()}
        return {
            "relation": relation,
            "sentences": next(iter(tests.values())).sentences,
            "systems": {name: {"right": test.right, "accuracy": test.accuracy} for name, test in tests.items()},
        }

    def with_constraints(self, model: Model, path: Path) -> Model:
        read = language.read(path)
        space = model.state.space
        language.check_names(read, space.types, space.labels[1:], path)
        return joint_model.with_constraints(model, read)

    def trace(
        self, document: Document, model: Model, *, bias: float | None = None, pins: Sequence[Pin] = ()
    ) -> JointTrace:
        mentions, scored = joint_model.score([document], model)
        return trace(document, mentions[0], scored, model, model.bias if bias is None else bias, pins)

    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        mentions, scored = joint_model.score(documents, model)
        return errors_of(
            documents, predicted, mentions, scored, model.state.space, model.bias if bias is None else bias
        )

    def extra_tables(
        self, documents: Sequence[Document], model: Model, *, bias: float
    ) -> dict[str, list[dict[str, Any]]]:
        """The constraint ledger: what each constraint changes, repairs and breaks, whether it is on or off now."""
        state: State = model.state
        mentions, scored = joint_model.score(documents, model)
        gold = [joint_model.gold_labels(d, m, state.space) for d, m in zip(documents, mentions, strict=True)]
        types, labels = (np.concatenate([pair[side] for pair in gold]) for side in (0, 1))
        decoder = Decoder(state.space, state.constraints)
        return {"constraint ledger": [ledger_row(row) for row in ledger(decoder, scored, types, labels, bias)]}

    def given(self, document: Document, model: Model) -> tuple[Mention, ...]:
        assert isinstance(model.settings, JointSettings)
        if model.settings.spans == "proposed":
            return ()
        return tuple(replace(mention, type=None) for mention in document.gold.mentions)

    def check_pin(self, document: Document, model: Model, pin: Pin) -> None:
        state: State = model.state
        mentions = joint_model.mentions_of(document, state, model.settings)  # type: ignore[arg-type]
        sentence_pins(document, mentions, state.space, [pin])

    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        out = []
        for group, chosen in (("entity", ENTITY_TEMPLATES), ("pair", PAIR_TEMPLATES)):
            for template in chosen:
                out.append(FeatureInfo(template.__name__, group, (template.__doc__ or "").split("\n")[0]))
        typed, role = typed_features, role_features
        if model is None or model.learner in ("pipeline", "omniscient"):
            out.append(FeatureInfo(typed.__name__, "pair", (typed.__doc__ or "").split("\n")[0]))
        if model is None or model.learner == "omniscient":
            out.append(FeatureInfo(role.__name__, "entity", (role.__doc__ or "").split("\n")[0]))
        return out

    def pack(self, model: Model) -> dict[str, Any]:
        return joint_model.pack(model.state)

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> State:
        return joint_model.unpack(parts)

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        texts = [document for document in documents if document.bag is None and document.text]
        typed = any(m.type is not None for document in texts for m in document.gold.mentions)
        if typed and any(document.gold.relations for document in texts):
            return "yes"
        return "no gold" if any(document.tokens for document in texts) else "no"


def _given(model: Model) -> Model:
    return model


def layers(mentions: Sequence[Sequence[Mention]], scored: Scored, decisions: Decisions, state: State) -> list[Layer]:
    """Decisions as layers; scores are the classifiers' probabilities of what was decided."""
    out = []
    nodes, pairs = scored.corpus.node_starts, scored.corpus.pair_starts
    for s, chosen in enumerate(mentions):
        a, p = nodes[s], pairs[s]
        typed = tuple(
            Mention(
                mention.start,
                mention.end,
                type=state.space.types[decisions.types[a + i]],
                score=float(np.exp(scored.corpus.types[a + i, decisions.types[a + i]])),
            )
            for i, mention in enumerate(chosen)
        )
        relations = tuple(
            Relation(
                int(i),
                int(j),
                state.space.labels[decisions.labels[p + k]],
                score=float(np.exp(scored.corpus.labels[p + k, decisions.labels[p + k]])),
            )
            for k, (i, j) in enumerate(pair_index(len(chosen)))
            if decisions.labels[p + k]
        )
        out.append(Layer(mentions=typed, relations=relations))
    return out


def as_output(layer: Layer, state: State) -> tuple[Ints, Ints]:
    """A layer as types and labels; what the model does not know counts as its first type, or as none."""
    document = Document("layer", " " * max((m.end for m in layer.mentions), default=0), layers={"gold": layer})
    types, labels = joint_model.gold_labels(document, layer.mentions, state.space)
    return np.maximum(types, 0), labels
