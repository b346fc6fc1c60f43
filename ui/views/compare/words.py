"""What the Compare page says: its sentence, the names of its tabs, captions."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "A is the run in the sidebar, B the one chosen here; every difference has its interval and p-value."
FOUND: Final = "Who found what"
LEARNING: Final = "Learning"
SETTINGS: Final = "Settings"
LEADERBOARD: Final = "Leaderboard"
EVERYWHERE_TAB: Final = "Corpora × systems"
IMPORT: Final = "Import predictions"
REPORT: Final = "Report"

NO_RUN: Final = "There is no run to compare."
NO_GOLD: Final = "This corpus has no gold that systems could be judged by: choose another, or make some."
NO_OTHER: Final = "There is only one system for this corpus. Train another, or import predictions below."

SCORES: Final = (
    "Paired bootstrap and permutation over n = {documents} documents; p (Holm) is corrected for the {scores} scores"
    " tested here."
)
ALL_SCORES: Final = "All scores, per type too (differences without intervals)"
UNANSWERED: Final = "{missing} of {documents} have no prediction in B; they count as empty."
FOUND_BOTH: Final = "found by both"
ONLY_A: Final = "only by A"
ONLY_B: Final = "only by B"
NEITHER: Final = "by neither"
WRONG_A: Final = "only A says wrongly"
WRONG_B: Final = "only B says wrongly"
WRONG_BOTH: Final = "both say wrongly"
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
UNEQUAL: Final = "The scores of A and B are about different problems, so neither can be called better."
EVERYWHERE: Final = "{score} in percent, each run at the bias that is kept in it. Test corpora are not offered here."
BOTH: Final = "{items} of gold, in the order of the corpus"
NOT_EXPLAINED: Final = "Imported predictions have no model, so nothing can say why they missed these."
LETTERS: Final = "Systems that share a letter do not differ significantly (pairwise permutation, Holm, 5 %)."
UNREADABLE: Final = "The file could not be read."
IMPORT_HELP: Final = (
    "Answers without scores, in any format of corpora; they become a run, which can stand on either side. A file with"
    " scores is added on the page Train."
)
REPORT_CAPTION: Final = (
    "Settings, data hashes, curve, errors by stage and the comparison in one file that needs no network."
)
LARGE_REPORT: Final = "The report of a corpus of this size is made on the command line, by `espalier report`."
