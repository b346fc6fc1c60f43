"""Marks mentions by rule in a whole corpus: the same words everywhere, the names of a dictionary, a regular expression.

The marks are planned first, so that they can be reviewed; then they are added as one action, which one undo reverts.
"""

from engine.workbench.marking.planning import Planned, mark_all, plan
from engine.workbench.marking.rules import Entry, Mark, Rule, dictionary, pattern, read_dictionary, same_words

__all__ = [
    "Entry",
    "Mark",
    "Planned",
    "Rule",
    "dictionary",
    "mark_all",
    "pattern",
    "plan",
    "read_dictionary",
    "same_words",
]
