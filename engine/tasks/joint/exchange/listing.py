"""The possible types of one sentence's mentions, and the possible relations of its pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.data.pins import Pin
from engine.structures.typed_pairs import pair_index
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.joint.deciding import decisions
from engine.tasks.joint.scored import JointScored


def list_parts(scored: JointScored, pins: Sequence[Pin] = ()) -> list[ListedPart]:
    """All parts. Scores are the classifiers' log probabilities, before the bias; a pair with type null has no
    relation."""
    decided = decisions(scored, {scored.documents[0].id: pins} if pins else None)
    numbering, space, spans = scored.numbering, scored.space, scored.spans(0)
    listed = []
    for i, (start, end) in enumerate(spans):
        for t, name in enumerate(space.types):
            says = {"entity": i, "start": start, "end": end, "type": name}
            score = float(scored.type_score[i, t])
            listed.append(ListedPart(numbering.node(i, t), says, score, int(decided.types[i]) == t, math.exp(score)))
    for p, (head, tail) in enumerate(pair_index(len(spans))):
        for label, name in enumerate(space.labels):
            says = {"head": int(head), "tail": int(tail), "type": name if label else None}
            score = float(scored.label_score[p, label])
            listed.append(
                ListedPart(numbering.pair(p, label), says, score, int(decided.labels[p]) == label, math.exp(score))
            )
    return listed


def weigh(scored: JointScored, pins: Sequence[Pin] = ()) -> Weighed:
    """The objective of the best output: scores, plus the bias, minus the cost of broken constraints."""
    decided = decisions(scored, {scored.documents[0].id: pins} if pins else None)
    return Weighed(float(decided.objective[0]), True)
