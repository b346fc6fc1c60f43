"""What the Errors page says: its sentence, the names of its tabs, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Where answers were lost, stage by stage. Click a cell, then walk its cases with the arrow keys."
CASES: Final = "Cases"
CONFUSIONS: Final = "Confusions"
DOCUMENTS: Final = "Documents"

NO_RUN: Final = "There is no run whose errors could be shown."
NO_GOLD: Final = "This corpus has no gold that this system could be judged by; choose another in the sidebar."
NO_ERRORS: Final = "There are no errors: every answer agrees with gold."
NO_CASES: Final = "No case to show. Clear the cell or the filter."
NO_CONFUSIONS: Final = "Nothing was mistaken for anything else."

WITHOUT_TYPE: Final = "(no type)"
TABLE: Final = (
    "{errors} of {learner} on {documents} documents at bias {bias}; {score} {now} %. The stages add up to all errors."
    " Click a number to see just those, and again to see all."
)
CANNOT_OCCUR: Final = " Cannot occur in this system: {stages}."
WITHOUT_DOUBTED: Final = "Against gold without what was marked wrong, {score} is {percent} %. Both golds are kept."
WORTH: Final = "{score} {percent} %{gain} if exactly these were corrected."
SAVE_HELP: Final = "Cell and attributes together."
FIRST_LISTED: Final = "; the first {n} are listed"
DOCUMENTS_CAPTION: Final = "{documents} of {all} have errors; bars in the order of the stages."
CHOOSE_DOCUMENT: Final = "Choose a document to open it."
