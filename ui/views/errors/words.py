"""What the Errors page says: its sentence, the names of its tabs, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "Where answers were lost, stage by stage. Click a cell, then step through its cases with the arrow keys."
)
CASES: Final = "Cases"
CONFUSIONS: Final = "Confusions"
DOCUMENTS: Final = "Documents"

NO_RUN: Final = "There is no run to show errors for."
NO_GOLD: Final = "This corpus has no gold to score this system against: choose another, or annotate it."
NO_ERRORS: Final = "There are no errors: every answer agrees with gold."
NO_CASES: Final = "There are no cases to show. Clear the cell or the filter."
NO_CONFUSIONS: Final = "Nothing was mistaken for anything else."

NOTHING: Final = "nothing"
WANTED: Final = "(gold: {gold})"
WITHOUT_TYPE: Final = "(no type)"
MORE_TYPES: Final = "{n} more types"
TABLE: Final = (
    "{errors} of {learner} on {documents} documents {at_bias}; {score} {now} %. The stages add up to all errors."
    " Click a number to see only those errors, and again to see all."
)
NONE_AT: Final = "No errors: {stages}. "
CANNOT_OCCUR: Final = "Cannot occur in this system: {stages}."
CASES_OF: Final = "{cases} ({misses} missed, {alarms} false alarms), {order} first"
KINDS: Final = {"all": "all {n}", "miss": "missed {n}", "false alarm": "false alarms {n}"}
KIND_OF: Final = {"miss": "missed", "false alarm": "false alarm"}
ONLY_COUNTED: Final = "Only errors that {score} counts ({n})"
ONLY_COUNTED_HELP: Final = "The others are errors too, but they do not affect the main score."
WITHOUT_DOUBTED: Final = (
    "Without the errors where gold was marked wrong, {score} is {percent} %. Gold itself is not changed."
)
WORTH: Final = "{score} {percent} %{gain} if exactly these were corrected."
SAVE_HELP: Final = "Saves the chosen cell and these conditions under a name."
DOCUMENTS_CAPTION: Final = "{documents} of {all} have errors; bars are in the order of the stages."
CHOOSE_DOCUMENT: Final = "Choose a document to open it."
