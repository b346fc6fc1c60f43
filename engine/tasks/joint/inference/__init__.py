"""The ladder of solvers: exact search, then the LP if it is integral, then branch and bound.

The search (structures/typed_pairs) takes every constraint that concerns one pair of mentions into account. If its
answer also satisfies the sentence-wide constraints, it is final, because leaving constraints out can only raise the
best value. Otherwise the search is branched over them (`branching`), and if that takes too many cases, the sentence is
solved as a program (`program`): LP first, MILP if the LP is fractional. Every answer records which rung found it.
"""

from __future__ import annotations

from engine.tasks.joint.inference.decoder import Decisions, Decoder, SentencePath
from engine.tasks.joint.inference.sentences import PartPin, Sentences

__all__ = ["Decisions", "Decoder", "PartPin", "SentencePath", "Sentences"]
