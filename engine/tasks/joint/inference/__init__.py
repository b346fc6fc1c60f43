"""The solver ladder: exact search, then the LP where it is integral, then branch and bound.

The search (structures/typed_pairs) sees every constraint that concerns one pair of mentions. If its answer also keeps
the sentence-wide constraints it is the answer: leaving constraints out can only raise the best value. Otherwise the
search is branched over them (`branching`), and only where that takes too many cases does the sentence go to the program
(`program`): LP first, MILP when the LP is fractional. Every answer says which rung gave it.
"""

from __future__ import annotations

from engine.tasks.joint.inference.decoder import Decisions, Decoder, SentencePath
from engine.tasks.joint.inference.sentences import PartPin, Sentences

__all__ = ["Decisions", "Decoder", "PartPin", "SentencePath", "Sentences"]
