"""Explains the score of an option relative to another: the classifier's log-odds, feature by feature.

A linear classifier's log-odds of one option against another are a sum over features, so the contributions are exact.
Whatever follows from the scores alone (the runner-up structure, what would flip a decision) is in what_if/runner_up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.learners.linear.onoff import Classifier
from engine.tasks.explanation import Contribution, Explanation
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.scoring import as_rows, entity_rows, pair_rows, sentences_of, types_seen
from engine.tasks.joint.settings import SYSTEMS
from engine.tasks.joint.state import JointModel


@dataclass(frozen=True)
class JointExplanation(Explanation):
    """`score` is the log-odds of the option against its rival, `base` the log-odds before any feature, which reflect
    how common the two are."""

    option: str
    rival: str


def explain(scored: JointScored, model: JointModel, part: int, rival: int | None = None) -> JointExplanation:
    """Why this part of a one-document corpus scores higher or lower than another of the same mention or pair: by
    default the best other one."""
    numbering, space = scored.numbering, scored.space
    options = numbering.rivals(part)
    against = _best_other(scored, part) if rival is None else rival
    if model.outside is not None:
        return _bare(scored, part, against)
    if against not in options or against == part:
        raise ValueError(f"part {against} is not a rival of part {part}")
    is_pair = part >= numbering.n_type_parts
    names = space.labels if is_pair else space.types
    option, other = part - options.start, against - options.start
    classifier, features = _features(scored, model, part)
    weights = classifier.sharpness * (classifier.weights[option] - classifier.weights[other])
    base = classifier.sharpness * float(classifier.intercepts[option] - classifier.intercepts[other])
    group = "pair" if is_pair else "entity"
    shares = [Contribution(name, group, 1.0, float(weights[column])) for column, name in features]
    return JointExplanation(
        score=sum((share.adds or 0.0 for share in shares), base),
        base=base,
        contributions=tuple(sorted(shares, key=lambda share: -abs(share.adds or 0.0))),
        option=names[option],
        rival=names[other],
    )


def _bare(scored: JointScored, part: int, against: int) -> JointExplanation:
    """The lead of a part over another in imported scores; its own score if the lead is not finite."""
    numbering, space = scored.numbering, scored.space
    names = space.labels if part >= numbering.n_type_parts else space.types
    scores, first = numbering.joined(scored.type_score, scored.label_score), numbering.rivals(part).start
    lead = float(scores[part] - scores[against]) if against != part else 0.0
    lead = lead if np.isfinite(lead) else float(scores[part])
    return JointExplanation(lead, lead, (), names[part - first], names[against - first])


def _best_other(scored: JointScored, part: int) -> int:
    options = scored.numbering.rivals(part)
    scores = scored.numbering.joined(scored.type_score, scored.label_score)[options.start : options.stop]
    scores[part - options.start] = -np.inf
    return options.start + int(scores.argmax())


def _features(scored: JointScored, model: JointModel, part: int) -> tuple[Classifier, list[tuple[int, str]]]:
    """The classifier that scored the part, and the columns and names of the part's features."""
    state, system, numbering = model.state, SYSTEMS[model.learner], scored.numbering
    sentences = sentences_of(scored.documents, [scored.spans(0)], state.gazetteers)
    if part < numbering.n_type_parts:
        classifier, vocabulary = state.entities, state.entity_names
        row = entity_rows(scored.documents, sentences, system)[part // numbering.n_types]
    else:
        classifier, vocabulary = state.relations, state.pair_names
        seen = types_seen(scored.documents, system, state.space, scored.type_score, scored.sizes)
        row = pair_rows(sentences, seen)[(part - numbering.n_type_parts) // numbering.n_labels]
    columns = as_rows(vocabulary, [row]).columns.tolist()
    return classifier, [(column, vocabulary.names[column]) for column in columns]
