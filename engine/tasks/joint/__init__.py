"""Joint entities and relations under constraints."""

from __future__ import annotations

from engine.tasks.joint.task import JointTask

__all__ = ["JointTask"]
