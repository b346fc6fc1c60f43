"""Explanations of scores: the features of a part and what each of them adds to its score."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FeatureInfo:
    """A feature as the app lists it."""

    name: str
    group: str
    help: str


@dataclass(frozen=True)
class Contribution:
    """One feature of a part: its value, as a number or in words, and what it adds to the part's score."""

    name: str
    group: str
    value: float | str
    adds: float | None
    """None if the scorer cannot compute it."""


@dataclass(frozen=True)
class Explanation:
    """Why a part has its score. `base` is the score before any feature is added."""

    score: float
    base: float
    contributions: tuple[Contribution, ...]
    """The largest first."""

    @classmethod
    def bare(cls, score: float) -> Explanation:
        """A score without an explanation, because it was computed elsewhere."""
        return Explanation(score, score, ())
