"""Constraints as data: rules that relate types and relations. One file per kind of constraint.

`space` numbers the types and labels, `base` is the interface of a kind, `language` reads and writes TOML, `together`
evaluates several constraints at once.
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
