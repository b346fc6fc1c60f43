"""Constraints as data: what types and relations have to do with each other. One file per kind.

`space` numbers the types and labels they speak of, `base` says what a kind has to know of itself, `language` reads and
writes TOML, `together` asks several at once.
"""

from __future__ import annotations

from engine.tasks.joint.constraints.arguments import Arguments
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.count import Count
from engine.tasks.joint.constraints.exclusive import Exclusive
from engine.tasks.joint.constraints.implication import Implication
from engine.tasks.joint.constraints.same_type import SameType
from engine.tasks.joint.constraints.symmetric import Symmetric

__all__ = ["Arguments", "Constraint", "Count", "Exclusive", "Implication", "SameType", "Symmetric"]
