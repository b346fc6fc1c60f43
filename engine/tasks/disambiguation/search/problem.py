"""A scored corpus under pins and at its bias, in the form that the compiled search takes.

If candidates have scores of their own, the search has nothing to compute: its memory is filled with them in advance,
and there are no trees to add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from engine.arrays import Flags, Floats
from engine.data.document import NIL
from engine.learners.sgtb.blocks import Block, Decoded, Policy, Search
from engine.learners.sgtb.cache import Cache
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.pools import Trees
from engine.structures.beam import NIL_ROW
from engine.tasks.disambiguation.scored import NEVER, DisambiguationScored
from engine.tasks.disambiguation.search.steps import TreeSteps


@dataclass(frozen=True, eq=False)
class Problem:
    """What may be chosen, and how it is scored."""

    scored: DisambiguationScored
    allowed: Flags
    """Rows that may be taken."""
    declined: Flags
    """Mentions that may be declined whatever the bias: pinned to NIL, or without candidates."""
    settled: Flags
    """Mentions with a pin, which no bias allows to be declined."""
    outside: Mapping[int, str] = field(default_factory=dict)
    """Mentions pinned to an entity that is not a candidate. The search declines them, as it has no score for them."""

    @property
    def declinable(self) -> Flags:
        """Mentions that may be declined: all that are not pinned, unless the bias rules it out."""
        return self.declined if self.scored.bias <= NEVER else self.declined | ~self.settled

    @cached_property
    def steps(self) -> TreeSteps:
        scored = self.scored
        return scored.steps or TreeSteps.without_columns(len(scored), scored.n_mentions, scored.n_rows)

    @property
    def choices(self) -> Choices:
        scored = self.scored
        return self.steps.choices(
            scored.mention_offsets,
            scored.row_offsets,
            gold=scored.gold,
            allowed=self.allowed,
            nil_allowed=self.declinable,
        )

    @property
    def trees(self) -> Trees:
        return self.steps.trees

    @property
    def how(self) -> Search:
        """How to search. Policies differ only in training, but independent decisions need no beam."""
        alone = self.scored.steps is None
        policy: Policy = "local" if alone else "gold-path"
        return Search(policy, self.scored.width, self.steps.backward, self.steps.look_ahead)

    @property
    def nil(self) -> Floats:
        """Log-odds of declining each mention."""
        return self.scored.nil + self.scored.bias

    def at(self, bias: float) -> Problem:
        return replace(self, scored=self.scored.at(bias))

    def with_width(self, width: int) -> Problem:
        return replace(self, scored=replace(self.scored, width=width))

    def held_to(self, rows: Mapping[int, int]) -> Problem:
        """The same with these mentions held to these rows (NIL_ROW: declined)."""
        allowed, declined, settled = self.allowed.copy(), self.declinable.copy(), self.settled.copy()
        for m, row in rows.items():
            allowed[self.scored.row_offsets[m] : self.scored.row_offsets[m + 1]] = False
            declined[m] = row == NIL_ROW
            settled[m] = True
            if row != NIL_ROW:
                allowed[row] = True
        return replace(self, allowed=allowed, declined=declined, settled=settled)

    def entity(self, mention: int, row: int) -> str:
        """What a row of a mention is called."""
        return self.outside.get(mention, NIL) if row == NIL_ROW else self.scored.title(row)

    def block(self) -> Block:
        """The documents with a memory for computed scores, which can be used again at every bias."""
        choices, scored, wide = self.choices, self.scored, self.scored.width + 1
        # A document is searched from both ends, possibly in rounds, and each direction also scores the other's results.
        passes = 4 * max(self.steps.look_ahead, 1)
        block = Block(choices)
        starts = scored.mention_offsets
        mentions = int(np.diff(starts).max(initial=0))
        rows = int(np.diff(scored.row_offsets[starts]).max(initial=0))
        # Room for everything that a search of the largest document may need, since a memory stops growing at some size.
        room = max(passes * wide * (rows + mentions) // 8, (passes + 1) * wide * mentions, scored.n_mentions)
        if room > len(choices.codes):
            block.cache = Cache(choices.n_pooled, room)
        if scored.score is not None:
            block.remember(scored.score)
        return block

    def decode(self, block: Block | None = None) -> Decoded:
        """The best sequence of every document. A block that has decoded these documents before remembers their
        scores."""
        block = block or self.block()
        block.choices = self.choices
        return block.decode(self.trees, 0, self.how, self.nil)
