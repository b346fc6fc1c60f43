"""What the Errors page says: its sentence, the names of its tabs, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Where answers were lost, stage by stage. Click a cell, then walk its cases with the arrow keys."
CASES: Final = "Cases"
CONFUSIONS: Final = "Confusions"
DOCUMENTS: Final = "Documents"

NO_RUN: Final = "There is no run whose errors could be shown."
NO_GOLD: Final = "This corpus has no gold that this system could be judged by: choose another, or make some."
NO_ERRORS: Final = "There are no errors: every answer agrees with gold."
NO_CASES: Final = "No case to show. Clear the cell or the filter."
NO_CONFUSIONS: Final = "Nothing was mistaken for anything else."

NOTHING: Final = "nothing"
WANTED: Final = "(gold: {gold})"
WITHOUT_TYPE: Final = "(no type)"
MORE_TYPES: Final = "{n} more types"
TABLE: Final = (
    "{errors} of {learner} on {documents} documents at bias {bias}; {score} {now} %. The stages add up to all errors."
    " Click a number to see just those, and again to see all."
)
NONE_AT: Final = "No errors: {stages}. "
CANNOT_OCCUR: Final = "Cannot occur in this system: {stages}."
CASES_OF: Final = "{cases} ({misses} missed, {alarms} wrongly said), {order} first"
KINDS: Final = {"all": "all {n}", "miss": "missed {n}", "false alarm": "wrongly said {n}"}
KIND_OF: Final = {"miss": "missed", "false alarm": "wrongly said"}
ONLY_COUNTED: Final = "Only what {score} counts ({n})"
ONLY_COUNTED_HELP: Final = "The others are errors too, but the main score is not about them."
WITHOUT_DOUBTED: Final = "Against gold without what was marked wrong, {score} is {percent} %. Both golds are kept."
WORTH: Final = "{score} {percent} %{gain} if exactly these were corrected."
SAVE_HELP: Final = "Cell and attributes together."
DOCUMENTS_CAPTION: Final = "{documents} of {all} have errors; bars in the order of the stages."
CHOOSE_DOCUMENT: Final = "Choose a document to open it."
