"""The names of scores, as every page writes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ui.tab.hidden import visible

_WRITTEN: Final = {
    "f1": "F1",
    "fbeta": "F-beta",
    "muc": "MUC",
    "b3": "B³",
    "ceafm": "CEAFm",
    "ceafe": "CEAFe",
    "blanc": "BLANC",
    "lea": "LEA",
    "conll": "CoNLL",
    "nil": "NIL",
    "ir": "per text (IR)",
    "inventory": "within the knowledge base",
}
"""Words in the names of scores that are not written as they are said."""


def score_name(path: Sequence[str], joint: str = " ") -> str:
    """The name of a score of a report by its path, as every page writes it. Labels of the data stay as they are."""
    named = ["", *path]
    said = [
        one if above.startswith("by_") else " ".join(_WRITTEN.get(word, word) for word in one.split("_"))
        for above, one in pairwise(named)
    ]
    return visible(joint.join(said))
