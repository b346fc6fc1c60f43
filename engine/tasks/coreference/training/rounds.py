"""Passes over the training documents, each evaluated on dev; the best becomes the model, with its best bias."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from engine.arrays import Array, Floats
from engine.corpora import data_hash
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.coreference.templates import Templates
from engine.learners.base import Saved
from engine.learners.laso.learner import ArcScorer, LatentTrees, Pass, Seen, score_arcs
from engine.learners.training import prefixed, under
from engine.metrics.coreference import FIELDS, count_clusters, report
from engine.structures.clusters import clusters_of
from engine.tasks.base import Model, Resources, TrainingRound
from engine.tasks.coreference.curve import breaks
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import CoreferenceModel, Prepared, prepare, scored_document
from engine.tasks.coreference.settings import CoreferenceSettings, policy_of
from engine.tasks.coreference.state import CoreferenceState, cluster_templates, read_gender
from engine.tasks.training.checkpoint import from_json_part, json_part
from engine.tasks.training.reusing import prepared
from engine.workers.crews import ALONE, Crew

CoreferenceRound: TypeAlias = TrainingRound[CoreferenceSettings, CoreferenceState]
Scores: TypeAlias = dict[str, float]


def rounds(
    train: Sequence[Document],
    dev: Sequence[Document],
    learner: str,
    settings: CoreferenceSettings,
    resources: Resources,
    *,
    resume: Saved | None = None,
    crew: Crew = ALONE,
) -> Iterator[CoreferenceRound]:
    """One round per pass."""
    policy = policy_of(learner, settings)
    if not any(document.gold.clusters for document in train):
        raise InputError("the training documents have no clusters to learn from")
    templates = Templates.read(settings.templates)
    gender = read_gender(resources.lexicon)
    made_of = (
        "coreference",
        (settings.features, settings.mentions, settings.language, settings.window, settings.templates),
        resources.lexicon,
    )

    def ready_of(documents: Sequence[Document]) -> list[Prepared]:
        return prepared(
            documents, made_of, lambda: [prepare(document, settings, templates, gender) for document in documents]
        )

    ready, judge = ready_of(train), _Judge(ready_of(dev), settings)
    start = CoreferenceState(np.zeros(0), templates, has_singletons(train), gender)
    names, digest = [document.id for document in train], data_hash(train)
    clusters = cluster_templates(settings, templates)
    trees = LatentTrees(policy, settings.decided(), clusters)
    best = _Best() if resume is None else _Best.from_parts(under("best_", resume))
    history: list[dict[str, Any]] = [] if resume is None else from_json_part(resume["history"])
    learnt = None if resume is None else under("trees_", resume)
    for one in trees.rounds([item.arcs for item in ready], resume=learnt, crew=crew):
        # Rounded as in the model file, so that a model predicts the same before and after saving.
        weights = one.scorer.weights.astype(np.float32).astype(np.float64)
        history.append(_history(one, names))
        state = replace(start, weights=weights, history=list(history))
        scored = judge.scored_by(state)
        # The round's scores are those of this pass, so that the curve shows only learning; the model of the last round
        # is the best pass at the bias chosen for it.
        scores = judge.scores(scored)
        bias, chosen = 0.0, scores
        if scores and settings.keep == "best" and scores["conll"] > best.score:
            best = _Best(scores["conll"], weights)
        if one.is_last:
            if best.score > 0.0:
                state = replace(state, weights=best.weights)
                scored = judge.scored_by(state)
            if settings.tune and judge.dev:
                bias = judge.best_bias(scored)
            chosen = judge.scores(scored, bias)
        model = Model("coreference", learner, settings, state, bias, chosen, digest)
        yield replace(_round(one, model, scores, history[-1]), to_parts=partial(_saved, one, best, list(history)))


def _round(one: Pass, model: CoreferenceModel, scores: Scores, history: Mapping[str, Any]) -> CoreferenceRound:
    return TrainingRound(
        index=one.index + 1,
        total=model.settings.n_rounds,
        objective=one.objective,
        scores=scores,
        build=lambda: model,
        details=history,
    )


@dataclass(frozen=True, eq=False)
class _Best:
    """The pass that did best on dev so far."""

    score: float = 0.0
    weights: Floats = field(default_factory=lambda: np.zeros(0))

    def to_parts(self) -> dict[str, Array]:
        return {"score": np.array(self.score), **ArcScorer(self.weights).to_parts()}

    @staticmethod
    def from_parts(parts: Saved) -> _Best:
        return _Best(float(parts["score"]), ArcScorer.from_parts(parts).weights)


def _saved(one: Pass, best: _Best, history: Sequence[Mapping[str, Any]]) -> Saved:
    """The state from which training continues after this pass."""
    parts = {**prefixed("trees_", one.to_parts()), **prefixed("best_", best.to_parts())}
    return {**parts, "history": json_part(history)}


def has_singletons(documents: Sequence[Document]) -> bool:
    """Whether the annotation marks mentions that nothing else refers to."""
    return any(len(cluster) == 1 for document in documents for cluster in document.gold.clusters)


@dataclass(frozen=True, eq=False)
class _Judge:
    """Evaluates the weights of a pass on the development documents."""

    dev: Sequence[Prepared]
    settings: CoreferenceSettings

    def scored_by(self, state: CoreferenceState) -> list[CoreferenceScored]:
        steps = state.steps(self.settings)
        return [
            replace(
                scored_document(one.reading.document, one, score_arcs(state.weights, one.arcs), self.settings),
                singletons=state.singletons,
                steps=steps,
            )
            for one in self.dev
        ]

    def scores(self, scored: Sequence[CoreferenceScored], bias: float = 0.0) -> Scores:
        """The CoNLL average and the F1 of its three metrics; empty without documents."""
        if not self.dev:
            return {}
        total = np.zeros(len(FIELDS))
        for ready, one in zip(self.dev, scored, strict=True):
            total += count_clusters(_key(ready), _response(ready, one.at(bias)))
        scores = report(total)
        return {"conll": scores["conll"], **{name: scores[name]["f1"] for name in ("muc", "b3", "ceafe", "lea")}}

    def best_bias(self, scored: Sequence[CoreferenceScored]) -> float:
        """The root bias with the best mean over itself and its neighbours on a small grid, since a single peak may be
        luck."""
        spread = np.concatenate([breaks(one)[0] for one in scored])
        spread = spread[np.isfinite(spread)]
        unit = float(np.median(np.abs(spread))) if len(spread) else 1.0
        grid = np.arange(-4, 5) * (unit / 8)
        scores = np.array([self.scores(scored, float(bias))["conll"] for bias in grid])
        padded = np.concatenate([scores[:1], scores, scores[-1:]])
        smooth = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
        # Ties go to the bias nearest to 0.
        best = max(range(len(grid)), key=lambda at: (round(float(smooth[at]), 6), -abs(float(grid[at]))))
        return float(grid[best])


def _key(one: Prepared) -> list[list[Any]]:
    """The gold clusters with their mentions as word spans, like the extracted mentions."""
    document = one.reading.document
    gold = document.gold
    return [[document.token_range(*gold.mentions[mention].span) for mention in group] for group in gold.clusters]


def _response(one: Prepared, scored: CoreferenceScored) -> list[list[Any]]:
    groups = [group for group in clusters_of(best_tree(scored).heads) if len(group) > 1 or scored.singletons]
    return [[one.reading.spans[mention - 1] for mention in group] for group in groups]


def _history(one: Pass, names: Sequence[str]) -> dict[str, Any]:
    """A record of one pass, for the replay and the statistics of tree shapes."""
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
