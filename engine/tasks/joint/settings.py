"""Settings of joint, and its five systems, which differ in what their classifiers see and in the use of constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from engine.settings import Settings, setting
from engine.tasks.base import LearnerInfo

_WINNOW: Final = ("classifier", "winnow")


@dataclass(frozen=True, kw_only=True)
class JointSettings(Settings):
    """Options of all five systems."""

    classifier: Literal["logistic", "winnow"] = setting(
        "logistic", "Local classifiers: logistic regression, or Winnow as in the paper."
    )
    spans: Literal["given", "proposed"] = setting(
        "given", "Where mentions come from when predicting: the document's own, or a simple proposer."
    )
    inference: Literal["exact", "lp", "ilp"] = setting(
        "exact",
        "How the best output under the constraints is found: by exact search; lp: by the linear program, or the"
        " integer program if the solution is fractional; ilp: by the integer program. All find the best output; the"
        " programs are for comparison and much slower.",
    )
    negatives: Literal["active", "all"] = setting(
        "active",
        ("The sentences that the relation classifier is trained on: those with a relation, as in the paper, or all."),
    )
    strength: float = setting(
        0.2,
        "Inverse strength of the penalty in logistic regression.",
        low=1e-4,
        high=1e4,
        only=("classifier", "logistic"),
    )
    winnow_rounds: int = setting(
        25, "Passes of Winnow over the training data.", low=1, high=500, formerly=("epochs",), only=_WINNOW
    )
    promotion: float = setting(
        1.1, "Winnow's factor for weights that were too small.", low=1.0001, high=4.0, only=_WINNOW
    )
    demotion: float = setting(
        0.9, "Winnow's factor for weights that were too large.", low=0.05, high=0.9999, only=_WINNOW
    )
    thickness: float = setting(0.1, "Half the width of Winnow's threshold.", low=0.0, high=1.0, only=_WINNOW)
    averaged: bool = setting(
        True, "Winnow: use the average of the weights over all rows instead of the last ones.", only=_WINNOW
    )
    winnow_shards: int = setting(
        1,
        "Winnow: parts of the training data that each pass learns side by side (--jobs, --cluster), before their"
        " weights are averaged. With 1, nothing is averaged: one row after the other.",
        low=1,
        high=1000,
        only=_WINNOW,
    )
    rare: int = setting(2, "A feature must occur in at least this many rows.", low=1, high=100)
    folds: int = setting(
        5, "Parts of the training data for held-out scores: bias, calibration, pipeline.", low=2, high=20
    )
    allowed: float = setting(
        0.25,
        "lp, ilp: the share of a relation's score that is learnt only from pairs whose types the constraints allow.",
        low=0.0,
        high=1.0,
    )
    tune: bool = setting(
        True,
        (
            "Choose the sharpness of probabilities and the bias on no relation on held-out sentences; otherwise"
            " they are 1 and 0."
        ),
    )
    licence: float = setting(
        0.97,
        "Without a constraint file: the share of a relation's cases that its allowed types must cover.",
        low=0.5,
        high=1,
    )


@dataclass(frozen=True)
class JointSystem:
    """The properties in which the five systems differ."""

    sees: Literal["nothing", "predicted types", "gold"]
    """What the relation classifier knows about types; with "gold" the entity classifier knows the gold relations,
    too."""
    constrained: bool
    """Whether decisions must follow the constraints."""
    called: tuple[str, str]
    """The names of its classifiers without constraints and with them."""


SYSTEMS: Final[Mapping[str, JointSystem]] = {
    "basic": JointSystem("nothing", False, ("basic", "lp")),
    "pipeline": JointSystem("predicted types", False, ("pipeline", "pipeline with constraints")),
    "lp": JointSystem("nothing", True, ("basic", "lp")),
    "ilp": JointSystem("nothing", True, ("basic", "ilp")),
    "omniscient": JointSystem("gold", False, ("omniscient", "omniscient with constraints")),
}

_DEFAULTS: Final = JointSettings()

# As in the paper: plain Winnow on all features, an unscaled softmax of its activations, and decisions by the programs.
_PAPER: Final = {"classifier": "winnow", "averaged": False, "thickness": 0.0, "rare": 1, "tune": False, "allowed": 0.0}
_QUICK: Final = {"folds": 2, "winnow_rounds": 8}

LEARNERS: Final[Mapping[str, LearnerInfo[JointSettings]]] = {
    info.name: info
    for info in (
        LearnerInfo(
            "basic",
            "Basic",
            "Each classifier decides alone, so types and relations may contradict each other.",
            _DEFAULTS,
            {},
            _PAPER,
            _QUICK,
        ),
        LearnerInfo(
            "pipeline",
            "Pipeline",
            "The relation classifier uses the predicted types as features.",
            _DEFAULTS,
            {},
            _PAPER,
            _QUICK,
        ),
        LearnerInfo(
            "lp",
            "Linear program",
            "Classifiers decide together under the constraints. Exact search finds the solution of the program;"
            " inference=lp solves the program itself.",
            _DEFAULTS,
            {},
            {**_PAPER, "inference": "lp"},
            _QUICK,
        ),
        LearnerInfo(
            "ilp",
            "Integer program",
            "The same decision as the linear program, under the paper's other name: exact search, or the integer "
            "program itself with inference=ilp.",
            _DEFAULTS,
            {},
            {**_PAPER, "inference": "ilp"},
            _QUICK,
        ),
        LearnerInfo(
            "omniscient",
            "Omniscient",
            "Each classifier sees the other's gold labels: an upper bound.",
            _DEFAULTS,
            {},
            _PAPER,
            _QUICK,
        ),
    )
}
