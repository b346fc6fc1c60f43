"""Every miss and false alarm has exactly one stage to blame.

The stages stand in the order in which a decision passes them; the first that lost the right answer is to
blame. A false alarm on a span that gold links otherwise and the miss of that gold link are two errors with the same
stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Stage: TypeAlias = Literal[
    "gold marked wrong",
    "mention not proposed",
    "candidate missing",
    "declined by the bias",
    "forced by a constraint",
    "pruned by search",
    "scored lower",
]

STAGES: Final[tuple[Stage, ...]] = (
    "gold marked wrong",
    "mention not proposed",
    "candidate missing",
    "declined by the bias",
    "forced by a constraint",
    "pruned by search",
    "scored lower",
)

Kind: TypeAlias = Literal["miss", "false alarm"]


@dataclass(frozen=True)
class Error:
    """One wrong decision of one document, and why."""

    document: str
    kind: Kind
    stage: Stage
    type: str
    start: int
    end: int
    gold: str
    predicted: str
    confidence: float
    attributes: Mapping[str, Any] = field(default_factory=dict)
