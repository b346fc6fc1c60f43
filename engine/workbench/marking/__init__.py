"""Mentions by rule, over a whole corpus: the same words everywhere, the names of a dictionary, a regular expression.

What would be marked is planned first, so that it can be looked at; then it is one action, which one undo takes back.
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
