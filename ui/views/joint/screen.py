"""The state of the Joint page: the corpus and the sentence under the constraints in the address.

Every system can be shown under constraints, since its classifiers do not change.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.tasks.joint.constraints import Constraint
from engine.tasks.joint.constraints.language import to_json
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.settings import JointSettings
from engine.tasks.joint.state import JointState
from engine.tasks.joint.trace import JointTrace
from ui.shell import cache, first_time
from ui.tab import session
from ui.views.joint import address, words
from ui.views.see.frame import Frame

JointFrame: TypeAlias = Frame[JointSettings, JointState, JointScored, JointTrace]


@dataclass(frozen=True)
class Screen:
    """The page's choices, and the decisions under them."""

    frame: JointFrame
    by_itself: JointScored
    """The corpus as the run decides it."""
    corpus: JointScored
    """The corpus under the current constraints."""
    sentence: JointScored
    """The document under the current constraints, including the requested relation, if any."""
    forced: str | None
    """The requested relation."""
    trace: JointTrace

    @property
    def own(self) -> tuple[Constraint, ...]:
        """The run's constraints, whether or not they are applied."""
        return self.by_itself.constraints

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return self.corpus.constraints

    @property
    def key(self) -> tuple[str, ...]:
        """A key that changes whenever the results for the corpus do, apart from the bias."""
        return *cache.version(self.frame.run, self.frame.corpus), json.dumps(to_json(self.constraints))


def look(frame: JointFrame) -> Screen:
    """Decide the document according to the address."""
    large = cache.is_large(frame.corpus)
    with first_time.spinner(words.SCORING, *cache.version(frame.run, frame.corpus)):
        own = frame.task.scored([frame.document] if large else frame.documents, frame.model).at(frame.bias)
    asked = session.get("force")
    forced = asked if asked in own.space.relations else None
    constraints = address.changed(own.constraints, session.get("off"), session.get("weights"))
    corpus = replace(own, constraints=constraints, enforced=True)
    # The visitor's own text is not part of the corpus, whose ledger and curve are unchanged.
    alone = corpus.one(0 if large else frame.position) if frame.own is None else replace(frame.scored, enforced=True)
    sentence = replace(alone, constraints=address.with_forced(constraints, forced))
    trace = frame.task.trace(sentence, pins=frame.pins)
    return Screen(frame, own, corpus, sentence, forced, trace)
