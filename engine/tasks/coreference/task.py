"""The coreference task: train, predict, evaluate, curve, trace, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from engine.corpora import data_hash
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.coreference.plain_text import can_tag
from engine.features.coreference.templates import explain_template
from engine.learners.laso.arrays import TABLE, ClusterTemplates
from engine.learners.laso.learner import Pass, Seen, passes, search
from engine.metrics.coreference import FIELDS, count_clusters, report
from engine.metrics.coreference_statistics import b3, ceafe, conll, lea, muc
from engine.metrics.differences import DecisionKind
from engine.metrics.errors import Error, Stage
from engine.metrics.significance import Statistic
from engine.settings import Settings
from engine.structures.base import Infeasible
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
from engine.tasks.coreference import curves
from engine.tasks.coreference.blame import find_errors
from engine.tasks.coreference.prepare import (
    Prepared,
    State,
    Templates,
    cluster_templates,
    clusters_of,
    has_singletons,
    key_of,
    prepare,
    read_gender,
)
from engine.tasks.coreference.settings import LEARNERS, CoreferenceSettings
from engine.tasks.coreference.shelf import Shelf
from engine.tasks.coreference.trace import ArcFeature, CoreferenceTrace, Tree, predicted_tree
from engine.tuning.curve import Curve


class Coreference(Task):
    """Which mentions of a document stand for the same thing."""

    name: ClassVar[str] = "coreference"
    title: ClassVar[str] = "Coreference"
    sentence: ClassVar[str] = "Group the mentions of a document that stand for the same thing, through a latent tree."
    abstain: ClassVar[str] = "root"
    unit: ClassVar[str] = "links to antecedents (MUC)"
    default_learner: ClassVar[str] = "delayed-laso"
    learners: ClassVar[Mapping[str, LearnerInfo]] = LEARNERS
    main_score: ClassVar[tuple[str, ...]] = ("conll",)
    main_name: ClassVar[str] = "CoNLL average"
    decides: ClassVar[tuple[DecisionKind, ...]] = ("coreference",)
    stages: ClassVar[tuple[Stage, ...]] = (
        "gold marked wrong",
        "mention not proposed",
        "candidate missing",
        "declined by the bias",
        "pruned by search",
        "scored lower",
    )

    def rounds(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        learner: str,
        settings: Settings,
        resources: Resources,
    ) -> Iterator[TrainingRound]:
        settings = _own(settings)
        if learner == "baseline" and settings.features != "local":
            raise InputError("the baseline decodes exactly and takes local features only: --set features=local")
        if not any(document.gold.clusters for document in train):
            raise InputError("the training documents have no clusters to learn from")
        templates = Templates.read(settings.templates)
        gender = read_gender(resources.lexicon)
        singletons = has_singletons(train)
        ready = [prepare(document, settings, templates, gender) for document in train]
        ready_dev = [prepare(document, settings, templates, gender) for document in dev]
        cluster = cluster_templates(settings, templates)
        history: list[dict[str, Any]] = []
        names = [document.id for document in train]
        digest = data_hash(train)
        best_score, best_weights = 0.0, np.zeros(0)
        for one in passes([item.arcs for item in ready], learner, settings.decided(), cluster):  # type: ignore[arg-type]
            # Rounded as the model file will hold them, so that a model predicts the same before and after saving.
            weights = one.averaged().astype(np.float32).astype(np.float64)
            history.append(_history(one, names))
            state = State(weights, templates, singletons, gender, list(history))
            last = one.index == settings.iterations - 1
            # The round's scores are those of this pass, so that the curve shows learning and nothing else; the model of
            # the last round is the best pass at the bias chosen for it.
            scores = _dev_scores(ready_dev, state, cluster, settings, 0.0)
            bias, chosen = 0.0, scores
            if ready_dev and settings.keep == "best" and scores["conll"] > best_score:
                best_score, best_weights = scores["conll"], weights
            if last and best_score > 0.0:
                state = replace(state, weights=best_weights)
            if last and settings.tune and ready_dev:
                bias = _best_bias(ready_dev, state, cluster, settings)
            if last:
                chosen = _dev_scores(ready_dev, state, cluster, settings, bias)
            model = Model(self.name, learner, settings, state, bias, chosen, digest)
            yield TrainingRound(
                index=one.index + 1,
                total=settings.iterations,
                objective=one.objective,
                scores=scores,
                build=lambda model=model: model,  # type: ignore[misc]
                details=history[-1],
            )

    def predict(
        self,
        documents: Sequence[Document],
        model: Model,
        *,
        bias: float | None = None,
        pins: DocumentPins | None = None,
    ) -> list[Layer]:
        return [
            self._layer(document, model, self._tree(document, model, bias, (pins or {}).get(document.id, ())))
            for document in documents
        ]

    def evaluate(self, gold: Sequence[Document], predicted: Sequence[Layer], model: Model | None = None) -> Report:
        total = np.zeros(len(FIELDS))
        for document, layer in zip(gold, predicted, strict=True):
            total += count_clusters(key_of(document.gold), key_of(layer))
        return report(total)

    def counts(self, gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
        rows = []
        for document, layer in zip(gold, predicted, strict=True):
            counts = dict(zip(FIELDS, count_clusters(key_of(document.gold), key_of(layer)).tolist(), strict=True))
            links = {
                "correct": counts["muc_correct"],
                "found": counts["muc_correct"],
                "predicted": counts["muc_response"],
                "gold": counts["muc_key"],
            }
            rows.append(links | counts)
        return rows

    def statistics(self) -> Mapping[str, tuple[tuple[str, ...], Statistic]]:
        return {one.__name__: (FIELDS, one) for one in (muc, b3, ceafe, lea, conll)}

    def curve(self, documents: Sequence[Document], model: Model) -> Curve:
        settings, state = _own(model.settings), model.state
        ready = [self._ready(document, model) for document in documents]
        if settings.features == "local":
            return curves.exact_curve(ready, state)
        templates = cluster_templates(settings, state.templates)
        return curves.grid_curve(ready, state, templates, settings.beam, own=model.bias)

    def trace(
        self, document: Document, model: Model, *, bias: float | None = None, pins: Sequence[Pin] = ()
    ) -> CoreferenceTrace:
        return self._tree(document, model, bias, pins).trace

    def explain(
        self,
        document: Document,
        model: Model,
        head: int,
        dependent: int,
        *,
        bias: float | None = None,
        pins: Sequence[Pin] = (),
    ) -> list[ArcFeature]:
        """The features of one arc with their weights; mentions count from 1, head 0 is the root."""
        return self._tree(document, model, bias, pins).explain(head, dependent)

    def errors(
        self, documents: Sequence[Document], predicted: Sequence[Layer], model: Model, *, bias: float | None = None
    ) -> list[Error]:
        bias = model.bias if bias is None else bias
        found: list[Error] = []
        for document, layer in zip(documents, predicted, strict=True):
            tree = self._tree(document, model, bias, ())
            unbiased = self._tree(document, model, 0.0, ()) if bias else tree
            found += find_errors(document, layer, tree, unbiased)
        return found

    def given(self, document: Document, model: Model) -> tuple[Mention, ...]:
        settings = _own(model.settings)
        return document.gold.mentions if settings.mentions == "gold" else ()

    def features(self, model: Model | None = None) -> list[FeatureInfo]:
        templates = model.state.templates if model is not None else Templates()
        groups = {
            "is it new (arc from the root)": templates.root,
            "two mentions": templates.pair,
            "cluster (non-local)": templates.cluster
            if model is None or _own(model.settings).features == "nonlocal"
            else (),
        }
        return [FeatureInfo(name, group, explain_template(name)) for group, names in groups.items() for name in names]

    def pack(self, model: Model) -> dict[str, Any]:
        state: State = model.state
        used = np.flatnonzero(state.weights).astype(np.int32)
        return {
            "numbers": used,
            "weights": state.weights[used].astype(np.float32),
            "templates": state.templates.to_json(),
            "singletons": state.singletons,
            "gender": dict(state.gender),
            "history": list(state.history),
        }

    def unpack(self, learner: str, settings: Settings, parts: Mapping[str, Any]) -> State:
        weights = np.zeros(TABLE)
        weights[parts["numbers"]] = parts["weights"].astype(np.float64)
        return State(
            weights,
            Templates.from_json(parts["templates"]),
            bool(parts["singletons"]),
            parts["gender"],
            parts["history"],
        )

    def fits(self, documents: Sequence[Document]) -> Literal["yes", "no gold", "no"]:
        if not any(document.text.strip() and document.bag is None for document in documents):
            return "no"
        if any(document.gold.clusters for document in documents):
            return "yes"
        return "no gold" if any(document.tokens for document in documents) or can_tag() else "no"

    def __init__(self) -> None:
        self._recent: list[tuple[Document, State, float, tuple[Pin, ...], Tree]] = []
        self._shelf = Shelf()

    def _ready(self, document: Document, model: Model, pins: Sequence[Pin] = ()) -> Prepared:
        """The document with its arcs scored; pins may add mentions, so what is pinned is not kept."""
        settings, state = _own(model.settings), model.state

        def make() -> Prepared:
            return prepare(document, settings, state.templates, state.gender, pins=pins, weights=state.weights)

        return make() if pins else self._shelf.get(document, state, settings, make)

    def _tree(self, document: Document, model: Model, bias: float | None, pins: Sequence[Pin]) -> Tree:
        """The tree of a document. A view asks for the same one again and again, so the last few are kept."""
        at, fixed = model.bias if bias is None else bias, tuple(pins)
        for known, state, value, held, tree in self._recent:
            if known is document and state is model.state and value == at and held == fixed:
                return tree
        tree = self._search(document, model, at, fixed)
        self._recent = [(document, model.state, at, fixed, tree), *self._recent[:3]]
        return tree

    def _search(self, document: Document, model: Model, bias: float, pins: Sequence[Pin]) -> Tree:
        settings, state = _own(model.settings), model.state
        ready = self._ready(document, model, pins)
        tree, found = predicted_tree(
            ready,
            state,
            cluster_templates(settings, state.templates),
            beam=settings.beam,
            bias=bias,
        )
        if found.total == -np.inf:
            raise Infeasible(f"the pins of document {document.id!r} leave some mention no place")
        return tree

    def _layer(self, document: Document, model: Model, tree: Tree) -> Layer:
        prepared = tree.prepared
        clusters = [
            cluster
            for cluster in clusters_of(np.array(tree.heads, dtype=np.int32))
            if len(cluster) > 1 or model.state.singletons
        ]
        kept = sorted(mention for cluster in clusters for mention in cluster)
        position = {mention: number for number, mention in enumerate(kept)}
        return Layer(
            mentions=tuple(Mention(*prepared.chars(mention)) for mention in kept),
            clusters=tuple(tuple(position[mention] for mention in cluster) for cluster in clusters),
        )


def _own(settings: Settings) -> CoreferenceSettings:
    if not isinstance(settings, CoreferenceSettings):
        raise TypeError(f"coreference is trained with CoreferenceSettings, not {type(settings).__name__}")
    return settings


def _response(one: Prepared, state: State, cluster: ClusterTemplates, beam: int, bias: float) -> list[list[Any]]:
    found = search(state.weights, one.arcs, cluster, beam=beam, bias=bias)
    groups = [group for group in clusters_of(found.heads) if len(group) > 1 or state.singletons]
    return [[one.spans[mention - 1] for mention in group] for group in groups]


def _dev_scores(
    dev: Sequence[Prepared], state: State, cluster: ClusterTemplates, settings: CoreferenceSettings, bias: float
) -> dict[str, float]:
    if not dev:
        return {}
    total = np.zeros(len(FIELDS))
    for one in dev:
        gold = one.document.gold
        key = [[one.document.token_range(*gold.mentions[mention].span) for mention in group] for group in gold.clusters]
        total += count_clusters(key, _response(one, state, cluster, settings.beam, bias))
    scores = report(total)
    return {"conll": scores["conll"], **{name: scores[name]["f1"] for name in ("muc", "b3", "ceafe", "lea")}}


def _best_bias(
    dev: Sequence[Prepared], state: State, cluster: ClusterTemplates, settings: CoreferenceSettings
) -> float:
    """The root bias with the best mean over itself and its neighbours on a small grid: one peak alone is luck."""
    spread = np.concatenate([curves.breaks(one, state)[0] for one in dev])
    spread = spread[np.isfinite(spread)]
    unit = float(np.median(np.abs(spread))) if len(spread) else 1.0
    grid = np.arange(-4, 5) * (unit / 8)
    scores = np.array([_dev_scores(dev, state, cluster, settings, float(bias))["conll"] for bias in grid])
    padded = np.concatenate([scores[:1], scores, scores[-1:]])
    smooth = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    # Ties go to the bias nearest to none at all.
    best = max(range(len(grid)), key=lambda at: (round(smooth[at], 6), -abs(grid[at])))
    return float(grid[best])


def _history(one: Pass, names: Sequence[str]) -> dict[str, Any]:
    """What one pass did, for the replay and the statistics of tree shapes."""
    mentions = sum(item.mentions for item in one.seen)
    arcs = sum(item.arcs for item in one.seen)
    return {
        "iteration": one.index + 1,
        "loss": one.objective,
        "read": sum(item.read for item in one.seen) / mentions if mentions else 0.0,
        "updates": sum(len(item.updates) for item in one.seen),
        "arc_distance": sum(item.distance * item.arcs for item in one.seen) / arcs if arcs else 0.0,
        "arcs_per_mention": arcs / mentions if mentions else 0.0,
        "depth": float(np.mean([item.deepest for item in one.seen])) if one.seen else 0.0,
        "documents": [_document_history(item, names) for item in one.seen],
    }


def _document_history(item: Seen, names: Sequence[str]) -> dict[str, Any]:
    return {
        "id": names[item.document],
        "mentions": item.mentions,
        "read": item.read,
        "updates": list(item.updates),
        "loss": item.loss,
        "arc_distance": round(item.distance, 3),
        "depth": item.deepest,
    }
