"""Relations of entity pairs from distantly supervised bags."""

from __future__ import annotations

from engine.tasks.distant.task import Distant

__all__ = ["Distant"]
