"""Three ways to be trained that every learner of every system knows.

A preset is a name and what it changes of the learner's own settings; `LearnerInfo` (base.py) holds the changes. What
`default` does differently from the paper is therefore exactly what `paper` changes; docs/theory says why.
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
    """A setting that a preset sets otherwise than the default does."""

    name: str
    default: Any
    value: Any


def preset_of(name: str) -> Preset:
    """The preset of this name; InputError where there is none."""
    found = next((preset for preset in PRESETS if preset == name), None)
    if found is None:
        raise InputError(f"there is no preset {name!r}; choose from {', '.join(PRESETS)}")
    return found


def changes(default: Settings, other: Settings) -> list[Change]:
    """The settings in which two of one learner differ, in their order."""
    names = [spec.name for spec in dataclasses.fields(default)]
    pairs = [Change(name, getattr(default, name), getattr(other, name)) for name in names]
    return [one for one in pairs if one.default != one.value]
