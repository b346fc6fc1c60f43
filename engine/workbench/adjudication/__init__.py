"""Adjudication: from the layers of several annotators to one complete gold layer.

A place is something that can only be answered as a whole: mentions that are alternatives to each other, the chain of a
mention, the relations of a pair, a label. Each annotator's answer for a place is a reading. If all readings agree, they
can be taken over; if they differ, the place becomes a question with all its readings. Chains and relations connect the
mentions of gold, so mentions are settled first.
"""

from engine.workbench.adjudication.corpus import Standing, answer, open_places, shared_work, standings, take_everything
from engine.workbench.adjudication.places import Place, Reading, places
from engine.workbench.adjudication.taking import ready, settle, take_over
from engine.workbench.adjudication.votes import THRESHOLDS, Threshold, weights

__all__ = [
    "THRESHOLDS",
    "Place",
    "Reading",
    "Standing",
    "Threshold",
    "answer",
    "open_places",
    "places",
    "ready",
    "settle",
    "shared_work",
    "standings",
    "take_everything",
    "take_over",
    "weights",
]
