"""From the layers of several annotators to one complete gold.

A place is what can only be answered as a whole: mentions that are alternatives to each other, the chain of a mention,
the relations of a pair, a label. Everybody's account of a place is a reading. Where all read the same, the reading can
be taken over; where they differ, the place is a question with all its readings. Chains and relations are asked about
between the mentions that gold has, so mentions come first.
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
