"""Descriptions of all systems."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from engine.service.requests.pins import KINDS
from engine.tasks.capabilities import ListsParts, RanksOutputs
from engine.tasks.registry import get, names


def described(served: Collection[str]) -> list[dict[str, Any]]:
    """What each system decides, what declining means for it, what can be pinned, and what can be requested."""
    return [_described(name, name in served) for name in names()]


def _described(name: str, is_served: bool) -> dict[str, Any]:
    task = get(name)
    able = (("parts", ListsParts), ("explanation", ListsParts), ("k_best", RanksOutputs))
    return {
        "name": task.name,
        "title": task.title,
        "about": task.sentence,
        "declining": task.abstain,
        "decides": list(task.decides),
        "pins": [kind for kind, (decision, _) in KINDS.items() if decision in task.decides],
        "with": [extra for extra, capability in able if isinstance(task, capability)],
        "served": is_served,
    }
