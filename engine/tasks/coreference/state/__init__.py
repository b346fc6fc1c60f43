"""The state of a trained coreference model, and how it is written to a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.features.coreference.arcs.comparisons import MATCH_HEAD, MATCH_NAME
from engine.features.coreference.arcs.features import Weighed, weighed
from engine.features.coreference.mention_columns import NAME
from engine.features.coreference.templates import Templates, compile_templates
from engine.learners.laso.arrays import TABLE, ClusterTemplates, Rules
from engine.tasks.coreference.scored import ClusterScorer
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state.gender import read_gender

__all__ = ["RULES", "CoreferenceState", "cluster_templates", "pack", "read_gender", "unpack"]

RULES: Final = Rules(alike=MATCH_HEAD, named=NAME, same=MATCH_HEAD | MATCH_NAME)
"""What a cluster summarises about its mentions: how many have the anaphor's head, and whether one of its names has that
head or another one."""


@dataclass(frozen=True, eq=False)
class CoreferenceState:
    """The weights of hashed features, and everything else that scoring needs."""

    weights: Floats = field(repr=False)
    templates: Templates
    singletons: bool
    """Whether clusters of one mention are part of the output, as in the training data."""
    gender: Mapping[str, str] = field(default_factory=dict, repr=False)
    history: Sequence[Mapping[str, Any]] = field(default_factory=list, repr=False)
    """A record of each training pass, for the replay and the statistics of tree shapes."""

    @cached_property
    def weighed(self) -> Weighed:
        """The weights in the form in which arcs are scored."""
        return weighed(self.weights)

    def steps(self, settings: CoreferenceSettings) -> ClusterScorer | None:
        """The scorer of the steps; a model with local features has none."""
        templates = cluster_templates(settings, self.templates)
        return ClusterScorer(templates, self.weights) if templates.used else None


def cluster_templates(settings: CoreferenceSettings, templates: Templates) -> ClusterTemplates:
    """The non-local templates in the form that the search reads; none with local features."""
    if settings.features == "local":
        return ClusterTemplates()
    compiled = compile_templates(templates.cluster)
    return ClusterTemplates(compiled.sources, compiled.columns, compiled.seeds, RULES)


def pack(state: CoreferenceState) -> dict[str, Any]:
    used = np.flatnonzero(state.weights).astype(np.int32)
    return {
        "numbers": used,
        "weights": state.weights[used].astype(np.float32),
        "templates": state.templates.to_json(),
        "singletons": state.singletons,
        "gender": dict(state.gender),
        "history": list(state.history),
    }


def unpack(parts: Mapping[str, Any]) -> CoreferenceState:
    weights = np.zeros(TABLE)
    weights[parts["numbers"]] = parts["weights"].astype(np.float64)
    return CoreferenceState(
        weights,
        Templates.from_json(parts["templates"]),
        bool(parts["singletons"]),
        parts["gender"],
        parts["history"],
    )
