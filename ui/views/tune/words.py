"""What the Tune page says: its sentence, the names of its tabs, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "Drag the knob to see precision and recall of the whole corpus at once. Keep the bias you want, or lock it."
)
CALIBRATION_TAB: Final = "Calibration"
FLIPS: Final = "What flips"
SCORES: Final = "All scores"
GUARD: Final = "Keep, lock, reveal test"

NO_RUN: Final = "Nothing has been trained yet, so there is nothing to tune."
NO_CORPUS: Final = "There is no corpus to tune on."
NO_GOLD: Final = "This corpus has no gold to score this system against: choose another, or annotate it."
NO_SCORES: Final = "This run has answers that came without scores, so there is nothing to tune: choose another run."

NO_BAND: Final = " This system's curve has no counts per document, so there is no band."
BAND_HELP: Final = "Where the curve would lie in 90 of 100 corpora like this one, estimated by resampling documents."
RIVALS_HELP: Final = (
    "The biases of different learners have different scales. By the number of answers, or by recall, runs are"
    " comparable."
)
RIVAL: Final = "highest F1 {f} %, kept {at_bias}"
NO_OTHER_SCORE: Final = "none"
SCORE_HELP: Final = "Any score of the report, computed at some biases in the window; it can also be a “Go for” target."
MARGINS: Final = (
    "This system ranks answers by their margin, which is not a probability, so there is nothing to calibrate."
)
NO_PROBABILITIES: Final = "No answer at this bias has a probability."
CALIBRATION: Final = (
    "{n} answers with a probability. On average, the stated probability and the share of right answers differ by"
    " {error} points; on the diagonal they are equal."
)
FLIPS_TOLD: Final = "{come} appear, {go} disappear."
EXACT: Final = "every operating point"
GRID: Final = "a grid of operating points (search is approximate)"
STEPS: Final = (
    "{steps} steps: {kind}. Dashed: the kept bias; dot: highest F. Arrow keys and wheel move by one step, with Shift"
    " by ten; + and −, or Ctrl with the wheel, zoom; Enter jumps to the “Go for” target, Esc goes back. n = {documents}"
    " documents, {gold} gold items; area under precision by recall {area} %."
)

NOT_MOVED: Final = "The cursor is at this bias. Move it to list the decisions that flip."
FLIPPED: Final = "{decisions} flip between bias {start} and {bias}."
REPORT: Final = "Every score of this run on this corpus {at_bias}, as the command “evaluate” prints them."

KEEP_HELP: Final = "predict, export and the app will use it from now on"
LOCK_HELP: Final = "the setting is chosen; test may be revealed"
NO_TEST: Final = "There is no other corpus with gold that could serve as a test corpus."
FIRST_FLIPS: Final = "The first {n} in the order of the corpus:"
FIND_FLIPS: Final = "Find what flips"
FIND_FLIPS_HELP: Final = (
    "Decides every document of this large corpus at both biases, in the background; you can continue working."
)
FINDING_FLIPS: Final = "Finding what flips"
