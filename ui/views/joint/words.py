"""What the Joint page says: its sentence, its keys, the signs it uses, and the help beside its widgets."""

from __future__ import annotations

from typing import Final

from ui.components.graph import BROKEN
from ui.shell.pages import Keys
from ui.shell.palette import MISSED, RIGHT, WRONG

ICON: Final = ":material/hub:"
SENTENCE: Final = (
    "Above: what each classifier says alone. Below: what they decide together. Switch a constraint and watch."
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
    "lp": "linear program, integral by itself",
    "milp": "integer program",
    "cbc": "CBC",
}

SCORING: Final = "Scoring the corpus …"
NO_MENTIONS: Final = "No mentions are marked in this text: the system is told where they are and decides what they are."
CLASH: Final = "These cannot hold together; switch one off or take a pin out."
CANNOT_HOLD: Final = "Some sentence of this corpus cannot keep these constraints: there are no scores of the whole."
NOTHING_BROKEN: Final = "Nothing is broken, before or after."

DECISIONS: Final = "Decisions and LP values"
VIOLATIONS: Final = "Violations"
LEDGER: Final = "Ledger of the corpus"

SVG_HELP: Final = "The graph as a drawing."
JSON_HELP: Final = "The graph as numbers: probabilities, decisions, LP values, violations, objective."
TOML_HELP: Final = "The constraints as they stand here, for `--constraints` of the command line."
KEEP_HELP: Final = "Switches and weights go into the run's model file."
KEEP_DECIDES: Final = " It decides with them from now on."
KEEP_COUNTS: Final = " It decides alone: they count violations only."
LEDGER_HELP: Final = "Decides the corpus with and without every constraint, and at seven weights of each."
FORCE_HELP: Final = "The forced decision of the paper: which pair is it, if the relation is known to hold?"
FORCE_FIRST: Final = "Choose a relation in “Say that this sentence holds” for the forced-decision test of it."
FORCED: Final = "Sentences known to hold {relation}: is the pair that is named one of gold's?"
INTEGRAL: Final = (
    "{integral} of {sentences} linear programs were integral by themselves ({share} %); largest gap {gap}."
    " Choose weights on dev, never on test."
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
    "This corpus is too large to be decided again for this page: scores under the run's own constraints are on Tune."
)
