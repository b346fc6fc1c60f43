"""The three presets of settings that every learner of every system has.

A preset is a name and a set of changes to the learner's own settings, which are in `LearnerInfo` (base.py). So the
settings that `paper` changes are exactly those in which `default` departs from the paper; docs/theory gives the
reasons.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from engine.data.errors import InputError
from engine.settings import Settings

Preset: TypeAlias = Literal["default", "paper", "quick"]

PRESETS: Final[tuple[Preset, ...]] = get_args(Preset)

SENTENCES: Final[Mapping[Preset, str]] = {
    "default": "What we recommend.",
    "paper": "The algorithm as its paper prints it.",
    "quick": "A first look: less training, lower scores.",
}


@dataclass(frozen=True)
class Change:
    """A setting whose value under a preset differs from the default."""

    name: str
    default: Any
    value: Any


def preset_of(name: str) -> Preset:
    """The preset of this name; InputError if there is none."""
    found = next((preset for preset in PRESETS if preset == name), None)
    if found is None:
        raise InputError(f"there is no preset {name!r}; choose from {', '.join(PRESETS)}")
    return found


def changes(default: Settings, other: Settings) -> list[Change]:
    """The settings that differ between two sets of the same learner, in the order of declaration."""
    names = [spec.name for spec in dataclasses.fields(default)]
    pairs = [Change(name, getattr(default, name), getattr(other, name)) for name in names]
    return [one for one in pairs if one.default != one.value]
