"""Scores of predicted types and relations, constraint violations, and statistics of the linear programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics import joint as metrics
from engine.metrics.tally import Tally
from engine.tasks.base import Report
from engine.tasks.joint.deciding import layer_violations
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.what_if.ledger import Integrality, integrality, integrality_report


def tally(gold: Sequence[Document], predicted: Sequence[Layer], scored: JointScored | None = None) -> Tally:
    """What these sentences contribute to the scores; the constraints are those of the scored corpus."""
    made = metrics.tally(gold, predicted)
    if scored is None:
        return made
    found = layer_violations(gold, predicted, scored)
    made.count("judged", n=len(found))
    made.count("legal", n=sum(not any(violation.hard for violation in own) for own in found))
    made.facts = {"constrained": True, "programs": scored.enforced and scored.inference != "exact"}
    if made.facts["programs"]:
        solved = integrality(scored)
        made.count("solved", n=solved.sentences)
        made.count("integral", n=solved.integral)
        made.extend("gaps", np.array([solved.largest_gap]))
    return made


def report(found: Tally) -> Report:
    """All scores."""
    told = metrics.report(found)
    if found.facts.get("constrained"):
        judged = found.number("judged")
        told["legal"] = found.number("legal") / judged if judged else 1.0
    if found.facts.get("programs"):
        gap = float(np.max(found.column("gaps"), initial=0.0))
        told["programs"] = integrality_report(Integrality(found.number("solved"), found.number("integral"), gap))
    return told
