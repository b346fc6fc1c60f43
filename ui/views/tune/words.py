"""What the Tune page says: its sentence, the names of its tabs, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "Drag the knob: precision and recall of the whole corpus answer at once. Keep the bias you want, or lock it."
)
CURVES: Final = "Curves"
FLIPS: Final = "What flips"
SCORES: Final = "All scores"
GUARD: Final = "Keep, lock, reveal test"

NO_RUN: Final = "Nothing has been trained yet, so there is nothing to tune."
NO_CORPUS: Final = "There is no corpus to tune on."
NO_GOLD: Final = "This corpus has no gold that this system could be counted against; choose another in the sidebar."

NO_BAND: Final = "This system's curve keeps no counts per document, so there is no band."
EXACT: Final = "every operating point"
GRID: Final = "a grid of operating points (search is approximate)"
STEPS: Final = (
    "{steps} steps: {kind}. Solid line: current bias; dotted: highest F. n = {documents} documents, {gold} gold items."
)
AREA: Final = "Area under the curve of this run: {area}. A dot is where a run stands."

OUT_OF_REACH: Final = "No operating point reaches {wish} % {what}."
NOT_MOVED: Final = "The cursor is at this bias. Move it, and the decisions that flip are listed here."
FLIPPED: Final = "{decisions} flip between bias {start} and {bias}."
REPORT: Final = "Every score of this run on this corpus at bias {bias}, as the command “evaluate” prints them."

KEEP_HELP: Final = "predict, export and the app use it from now on"
LOCK_HELP: Final = "the setting is chosen; test may be revealed"
NO_TEST: Final = "There is no other corpus with gold that could serve as test."
