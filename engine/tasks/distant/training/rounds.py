"""Training on bags: an untrained state with the names found in the training bags, and the rounds of its learner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.distant.rows import FrequentNames
from engine.learners.bags import BagCorpus, LinearBags
from engine.learners.base import Round, Saved
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin.cccp import MarginRound, MaxMargin, Warm
from engine.tasks.base import Model, TrainingRound
from engine.tasks.distant import evaluation
from engine.tasks.distant.deciding import decide
from engine.tasks.distant.scored import usable
from engine.tasks.distant.scoring import BagFeatures, encode, score_encoded
from engine.tasks.distant.settings import F_LOSS, DistantSettings, f_loss_of
from engine.tasks.distant.state import DistantState
from engine.tasks.training.reusing import prepared
from engine.workers.crews import ALONE, Crew

SHOWN: Final = ("precision", "recall", "f1", "fbeta")


@dataclass(frozen=True)
class Plan:
    """What is trained: the task, the name of the learner, its settings."""

    task: str
    learner: str
    settings: DistantSettings
    crew: Crew = ALONE
    """Who works on blocks of the training bags."""


def rounds(
    plan: Plan, train: Sequence[Document], dev: Sequence[Document], *, resume: Saved | None = None
) -> Iterator[TrainingRound[DistantSettings, DistantState]]:
    settings = plan.settings
    made_of = ("distant", settings.bags, settings.least, settings.bag_features, settings.crowding)
    state, corpus = prepared(train, made_of, lambda: untrained(training_bags(train, settings), settings))
    yield from _rounds(plan, state, dev, _steps(corpus, plan, resume))


def retrain(
    train: Sequence[Document], dev: Sequence[Document], model: Model[DistantSettings, DistantState], beta: float
) -> Iterator[TrainingRound[DistantSettings, DistantState]]:
    """Train on the same bags with another weight on precision, starting from the model's own training.

    The planes found for one beta are outputs of the corpus, so they remain valid for another beta once their loss has
    been recomputed.
    """
    plan = Plan(model.task, F_LOSS, replace(f_loss_of(model.settings), beta=beta))
    bags = training_bags(train, plan.settings)
    corpus = encode(bags, model.state, plan.settings).corpus
    yield from _rounds(plan, model.state, dev, _steps(corpus, plan, None, model.state.warm))


def training_bags(documents: Sequence[Document], settings: DistantSettings) -> list[Document]:
    """The bags on which a learner with these settings is trained."""
    bags = [document for document in usable(documents) if document.bag and document.bag.members]
    if settings.bags == "positive":
        bags = [document for document in bags if document.gold.labels]
    if not bags:
        raise InputError("no bag has a relation: there is nothing to learn")
    return bags


def untrained(bags: Sequence[Document], settings: DistantSettings) -> tuple[DistantState, BagCorpus]:
    """A state without weights, with the names found in the bags, and the bags encoded in its columns."""
    relations = tuple(sorted({label for document in bags for label in document.gold.labels}))
    if not relations:
        raise InputError("no bag has a relation: there is nothing to learn")
    features = BagFeatures.of(bags)
    mention_names = FrequentNames.build(features.members, settings.least)
    bag_names = FrequentNames.build(features.bags, settings.least)
    n = len(relations)
    empty = LinearBags(np.zeros((len(mention_names), n), np.float32), np.zeros((len(bag_names), n), np.float32))
    state = DistantState(relations, mention_names, bag_names, empty)
    return state, encode(bags, state, settings, features).corpus


def _rounds(
    plan: Plan, state: DistantState, dev: Sequence[Document], steps: Iterator[_Step]
) -> Iterator[TrainingRound[DistantSettings, DistantState]]:
    settings = plan.settings
    made_of = ("distant", state, settings.bag_features, settings.crowding, settings.inference)
    encoded = prepared(dev, made_of, lambda: encode(usable(dev), state, settings)) if dev else None
    for step in steps:
        trained = replace(state, scorer=step.scorer, warm=step.warm)
        build = partial(Model, plan.task, plan.learner, plan.settings, trained)
        scores: dict[str, float] = {}
        if encoded is not None:
            scored = score_encoded(encoded, build())
            full = evaluation.report(evaluation.tally(dev, decide(scored), scored, ranked=False))
            scores = {name: full[name] for name in SHOWN}
        notes = (step.unsolved,) if step.unsolved else ()
        yield TrainingRound(step.index, step.total, step.objective, scores, build, step.details, step.to_parts, notes)


@dataclass(frozen=True, eq=False)
class _Step:
    """A round of any learner of bags, counted from 1."""

    index: int
    total: int
    objective: float
    scorer: LinearBags
    warm: Warm | None
    details: Mapping[str, Any]
    to_parts: Callable[[], Saved]
    unsolved: str = ""


def _steps(corpus: BagCorpus, plan: Plan, resume: Saved | None, warm: Warm | None = None) -> Iterator[_Step]:
    settings = plan.settings
    if isinstance(settings, Hoffmann):
        return _perceptron(settings.rounds([corpus], resume=resume, crew=plan.crew), settings.n_rounds)
    if isinstance(settings, MaxMargin):
        return _max_margin(settings.rounds([corpus], resume=resume, warm=warm, crew=plan.crew), settings.n_rounds)
    raise TypeError(f"no learner of bags has the settings {type(settings).__name__}")


def _perceptron(made: Iterator[Round[LinearBags]], total: int) -> Iterator[_Step]:
    for one in made:
        details = {"mistakes": int(one.objective)}
        yield _Step(one.index + 1, total, one.objective, one.scorer, None, details, one.to_parts)


def _max_margin(made: Iterator[MarginRound], total: int) -> Iterator[_Step]:
    for one in made:
        yield _Step(
            one.index + 1,
            total,
            one.objective,
            one.scorer,
            one.warm,
            _details(one),
            one.to_parts,
            one.unsolved,
        )


def _details(one: MarginRound) -> dict[str, Any]:
    return {
        "primal": one.primal,
        "dual": one.dual,
        "gap": one.primal - one.dual,
        "objective": one.objective,
        "certified": one.certified,
        "doubt": one.doubt,
        "changed": one.changed,
        "integral": one.integral,
        "planes": [dict(plane) for plane in one.planes],
    }
