"""The state of a trained joint model: two local classifiers, their features by name, the constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine.arrays import Floats
from engine.features import wordlists
from engine.features.joint.sentence import Gazetteers
from engine.features.vocabulary import Vocabulary
from engine.learners.linear.onoff import Classifier
from engine.store import modelfile
from engine.tasks.base import Model
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.language import from_json, to_json
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.settings import JointSettings


@dataclass(frozen=True, eq=False)
class JointState:
    """Everything that scoring needs, and the constraints that belong to the model."""

    space: Space
    entity_names: Vocabulary
    pair_names: Vocabulary
    entities: Classifier
    relations: Classifier
    constraints: tuple[Constraint, ...]
    gazetteers: Gazetteers
    phrases: frozenset[str]
    """Mentions seen in training, in lower case, for the span proposer."""


JointModel: TypeAlias = Model[JointSettings, JointState]


def with_constraints(model: JointModel, constraints: Sequence[Constraint]) -> JointModel:
    """The same model with other constraints. It need not be retrained."""
    return replace(model, state=replace(model.state, constraints=tuple(constraints)))


def keep_constraints(path: Path, constraints: Sequence[Constraint]) -> None:
    """Replace the constraints in a model file, so that the model decides with the new ones from now on."""
    modelfile.change_part(path, "constraints", to_json(constraints))


def pack(state: JointState) -> dict[str, Any]:
    return {
        "space": state.space.to_parts(),
        "entity_names": list(state.entity_names.names),
        "pair_names": list(state.pair_names.names),
        "entity_weights": state.entities.weights.astype(np.float32),
        "entity_intercepts": state.entities.intercepts,
        "pair_weights": state.relations.weights.astype(np.float32),
        "pair_intercepts": state.relations.intercepts,
        "sharpness": [state.entities.sharpness, state.relations.sharpness],
        "constraints": to_json(state.constraints),
        "gazetteers": {name: sorted(entries) for name, entries in state.gazetteers.items()},
        "phrases": sorted(state.phrases),
        "wordlists": wordlists.fingerprint(),
    }


def unpack(parts: Mapping[str, Any]) -> JointState:
    wordlists.check(parts["wordlists"])
    sharpness = parts["sharpness"]
    return JointState(
        space=Space.from_parts(parts["space"]),
        entity_names=Vocabulary(parts["entity_names"]),
        pair_names=Vocabulary(parts["pair_names"]),
        entities=_classifier(parts["entity_weights"], parts["entity_intercepts"], sharpness[0]),
        relations=_classifier(parts["pair_weights"], parts["pair_intercepts"], sharpness[1]),
        constraints=from_json(parts["constraints"]),
        gazetteers={name: frozenset(entries) for name, entries in parts["gazetteers"].items()},
        phrases=frozenset(parts["phrases"]),
    )


def _classifier(weights: Floats, intercepts: Floats, sharpness: float) -> Classifier:
    return Classifier(np.asarray(weights, dtype=np.float64), intercepts, float(sharpness))
