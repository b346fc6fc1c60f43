"""Features of one mention from the mentions beside it: "Linden , Ala." and members of an enumeration."""

from __future__ import annotations

from collections import Counter
from typing import Final

from engine.features.joint.sentence import TELLING, Sentence

_CLOSE: Final = frozenset({"", ",", "(", "'s", "and", "of", "in", "at"})
"""Words between two mentions that make the list entries of one tell something about the other."""
_JOINING: Final = frozenset({",", "and", "or", "&"})


def next_mentions(s: Sentence, i: int) -> list[str]:
    """The list entry of the mention right after or before, one word apart at most."""
    out = []
    for name, (other, words) in zip(("then", "after"), _both(s, i), strict=True):
        between = " ".join(words)
        if other is not None and between in _CLOSE:
            kind = next((k for k in s.kinds[other] if k.startswith("is ")), "?")
            out.append(f"{name} {between} {kind}")
    return out


def series(s: Sentence, i: int) -> list[str]:
    """The commonest list entry of the mentions that commas and "and" join to this one: they share a type."""
    members = [member for side in (0, 1) for member in _joined(s, i, side)]
    entries = Counter(k for member in members for k in s.kinds[member] if k.startswith(TELLING))
    return [f"series {entries.most_common(1)[0][0]}"] if len(members) > 1 and entries else []


def _joined(s: Sentence, i: int, side: int) -> list[int]:
    """The mentions joined to this one on one side, nearest first."""
    out: list[int] = []
    while True:
        other, words = _both(s, out[-1] if out else i)[side]
        if other is None or not 0 < len(words) <= 2 or not _JOINING.issuperset(words):
            return out
        out.append(other)


def _both(s: Sentence, i: int) -> tuple[tuple[int | None, tuple[str, ...]], tuple[int | None, tuple[str, ...]]]:
    """The mentions after and before, each with the words between it and this one."""
    at = s.rank[i]
    after = s.in_order[at + 1] if at + 1 < len(s.in_order) else None
    before = s.in_order[at - 1] if at else None
    right = () if after is None else s.low[s.spans[i][1] : s.spans[after][0]]
    left = () if before is None else s.low[s.spans[before][1] : s.spans[i][0]]
    return (after, right), (before, left)
