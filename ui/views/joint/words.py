"""What the Joint page says: its sentence, its keys, the signs it uses, and the help beside its widgets."""

from __future__ import annotations

from typing import Final

from ui.components.graph import BROKEN
from ui.tab.pages import Keys
from ui.tab.palette import MISSED, RIGHT, WRONG

ICON: Final = ":material/hub:"
SENTENCE: Final = (
    "Above: what each classifier decides alone. Below: what they decide together. Switch a constraint and watch."
)
KEYS: Final[Keys] = ((("←", "→"), "previous, next mention (in the graph)"),)

ALONE: Final = "▲"
TOGETHER: Final = "▼"
"""The signs of the two decisions in the graph: above the row and below it."""
LEGEND: Final = (
    f"{BROKEN} red, dashed: breaks the constraint it names. {RIGHT} in gold, {WRONG} not in gold."
    f" {MISSED} grey, dotted: in gold, not decided. Click for options."
)
RUNGS: Final = {
    "search": "exact search",
    "lp": "linear program, integral solution",
    "milp": "integer program",
    "stopped": "integer program, stopped before the best output was proven",
    "cbc": "CBC",
}

SCORING: Final = "Scoring the corpus …"
NO_MENTIONS: Final = "No mentions are marked in this text. This system needs given mentions and decides their types."
CLASH: Final = "These contradict each other; switch one off or remove a pin."
CANNOT_HOLD: Final = (
    "Some sentence of this corpus cannot satisfy these constraints, so there are no scores for the whole corpus."
)
NOTHING_BROKEN: Final = "No constraint is violated, before or after."

DECISIONS: Final = "Decisions and LP values"
VIOLATIONS: Final = "Violations"
LEDGER: Final = "Ledger of the corpus"

SVG_HELP: Final = "The graph as an image."
JSON_HELP: Final = "The graph as numbers: probabilities, decisions, LP values, violations, objective."
TOML_HELP: Final = "The constraints as set here, for `--constraints` on the command line."
KEEP_HELP: Final = "Saves switches and weights in the run's model file."
KEEP_DECIDES: Final = " From now on, the run decides with them."
KEEP_COUNTS: Final = " The run decides each variable alone, so they are only used to count violations."
LEDGER_HELP: Final = "Decides the corpus with and without each constraint, and at seven weights of each."
FORCE_HELP: Final = "The forced decision of the paper: which pair is it, if the relation is known to hold?"
FORCE_FIRST: Final = "Choose a relation in “Say that this sentence holds” to run the forced-decision test for it."
FORCED: Final = "Sentences known to contain {relation}: is the chosen pair in gold?"
INTEGRAL: Final = (
    "{integral} of {sentences} linear programs had integral solutions ({share} %); largest gap {gap}. Choose weights"
    " on dev, never on test."
)

ON_SCREEN: Final = "This corpus with the constraints on screen, as on the knob"
BY_ITSELF: Final = "As the run itself decides, {how}"
OWN_CONSTRAINTS: Final = "under its own constraints"
EACH_ALONE: Final = "({learner}: each classifier alone)"

SIGNS_HELP: Final = f"{ALONE} alone, {TOGETHER} together, {RIGHT} gold"
PROBABILITY_HELP: Final = "the classifier's probability"
COST_HELP: Final = "−log p, with the bias"
LP_HELP: Final = "value in the linear program"
FLIPS_HELP: Final = "change of this option's score alone that would flip the decision"
SHARES: Final = "What each feature adds to the log-odds of {chosen} against {rival}, by the classifier alone"
COMMON: Final = "how common it is"
TOO_LARGE: Final = (
    "This corpus is too large to be decided again for this page. Scores under the run's own constraints are on Tune."
)
