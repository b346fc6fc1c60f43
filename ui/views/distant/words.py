"""What the Distant page says: its sentence, the names of its tabs, and the captions of its figures."""

from __future__ import annotations

from typing import Final

from ui.tab.pages import Keys

ICON: Final = ":material/inventory_2:"
SENTENCE: Final = (
    "One pair of names, every sentence that mentions both, and which relations hold. Click a name to see why."
)
KEYS: Final[Keys] = ()

LIVE_BETA: Final = "Live beta"
RANKING: Final = "Ranking"
GRID: Final = "(FP, FN) grid"
AGREEMENT: Final = "Agreement"
OBJECTIVE: Final = "Objective"
SENTENCES: Final = "All sentences"

CLASH: Final = "These pins contradict each other; the page decides without any pin until you remove one of them."
NO_TEXT: Final = "This corpus has features instead of text."
SIGNS: Final = "✓ right, ✗ wrong, ∅ missed."
NO_SIGNS: Final = "There is no gold here that could say what is right."
LABELS: Final = "A relation holds if at least one sentence states it; the whole bag was decided exactly ({method})."
OVER_NIL: Final = "Score of each relation relative to nil"
NIL_STANDS: Final = "nil's own score and the bias"
NO_OTHER_WAY: Final = "The pins leave no alternative for this sentence."
NO_CHANGE: Final = "The pins do not allow it to change."

GONE: Final = (
    "The corpus that this run was trained on is no longer in the workspace, so nothing can be trained or searched."
)
OUTSIDE: Final = "These scores come from another program, so there is no training to repeat or to search here."
NOT_JUDGED: Final = "This corpus has no gold relations, so trained models cannot be compared on it."
NOT_RANKED: Final = "This corpus has no bags with gold relations, so there is no ranking to evaluate."
BETA_HELP: Final = (
    "Training optimises F with this weight on precision; 0.5 is F1. The model is trained again in the background."
)
POINTS: Final = (
    "Orange: models trained for different weights. Dotted: the model on screen with its nil bias moved. Points above"
    " the dotted line show what training for the weight gains."
)
SHORT_OF: Final = "The training for this weight is not finished: {note}."

GRID_CAPTION: Final = (
    "Every output of the training bags has counts (FP, FN). The stronger the colour, the worse for the model an"
    " output with these counts can be: loss plus score, at most. The star is the worst output itself, known to within"
    " {gap}. The paper's hill climbing on this surface took {steps} steps and ended at FP {fp}, FN {fn}. ({betas}.)"
)
WORST: Final = "worst output"
TWO_PRICES: Final = "two prices"
PER_LABEL: Final = "one price per label (the paper's)"
AGREEMENT_CAPTION: Final = (
    "Finding the worst labelling is split in two: the loss depends only on counts, the bags only on scores. Prices"
    " make them agree. The dual bounds the answer from above, the primal from below; where they meet, it is"
    " certified. The F loss is not a concave function of its counts, so the dual alone stays above the answer. The"
    " last steps on the left bound it count by count instead, and show how good the answer was all along."
)
NO_OBJECTIVE: Final = (
    "This run stored no objective; only max-margin learners do. Move beta, or train mm-f or mm-hamming."
)
OBJECTIVE_CAPTION: Final = (
    "Within a CCCP round, cutting planes bring primal and dual together; between rounds, the mention labels are"
    " completed again. The objective after each round never rises."
)
CERTIFIED_HELP: Final = "Share of the searches for the worst labelling whose dual met the primal."
RELABELLED_HELP: Final = "Mentions whose label changed when gold was completed again after the round."
INTEGRAL_HELP: Final = "Share of the bags' linear programs so far whose solutions were integral."
DOUBT_HELP: Final = "The share of its value by which the search after the round may have missed the worst labelling."
TOO_LARGE: Final = "This corpus is too large to be ranked or trained on here. Its curve is on Tune."
