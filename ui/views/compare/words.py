"""What the Compare page says: its sentence, the names of its tabs, captions."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "A is the run in the sidebar, B the one chosen here; every difference has an interval and a p-value."
FOUND: Final = "Who found what"
LEARNING: Final = "Learning"
SETTINGS: Final = "Settings"
LEADERBOARD: Final = "Leaderboard"
EVERYWHERE_TAB: Final = "Corpora × systems"
IMPORT: Final = "Import predictions"
REPORT: Final = "Report"

NO_RUN: Final = "There is no run to compare."
NO_GOLD: Final = "This corpus has no gold to score systems against: choose another, or annotate it."
NO_OTHER: Final = "There is only one system for this corpus. Train another, or import predictions below."

SCORES: Final = (
    "Paired bootstrap and permutation over n = {documents} documents; p (Holm) is corrected for the {scores} scores"
    " tested here."
)
ALL_SCORES: Final = "All scores, also per type (differences without intervals)"
UNANSWERED: Final = "{missing} of {documents} have no prediction in B; they count as empty."
FOUND_BOTH: Final = "found by both"
ONLY_A: Final = "only by A"
ONLY_B: Final = "only by B"
NEITHER: Final = "by neither"
WRONG_A: Final = "false alarms only in A"
WRONG_B: Final = "false alarms only in B"
WRONG_BOTH: Final = "false alarms in both"
GROUPS: Final = {
    "both": FOUND_BOTH,
    "only_first": ONLY_A,
    "only_second": ONLY_B,
    "neither": NEITHER,
    "wrong_first": WRONG_A,
    "wrong_second": WRONG_B,
    "wrong_both": WRONG_BOTH,
}
"""The names of the groups of engine.workbench.comparison.Shared."""
STARTS: Final = "Each of these {given}."
UNEQUAL: Final = "The scores of A and B are about different problems, so they cannot be compared."
EVERYWHERE: Final = "{score} in percent, each run at the bias kept in it. Test corpora are not offered here."
BOTH: Final = "{items} of gold, in the order of the corpus"
NO_SETTINGS: Final = "Imported predictions come without settings, so there is nothing to compare here."
NOT_EXPLAINED: Final = "Imported predictions have no model, so the reason for these misses is unknown."
LETTERS: Final = "Systems that share a letter do not differ significantly (pairwise permutation, Holm, 5 %)."
UNREADABLE: Final = "The file could not be read."
IMPORT_HELP: Final = (
    "Answers without scores, in any corpus format; they become a run, which can be A or B. Files with scores are"
    " added on the Train page."
)
REPORT_CAPTION: Final = (
    "Settings, data hashes, the curve, errors by stage and the comparison in one file that works offline."
)
LARGE_REPORT: Final = "For a corpus of this size, create the report on the command line with `espalier report`."
