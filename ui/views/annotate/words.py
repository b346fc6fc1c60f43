"""What the Annotate page says: its sentence, the names of its tabs, captions, help and messages."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "Mark text and press Enter; click a mention to change it; ? shows every key. Each edit is saved at once."
)
QUEUE: Final = "Queue"
BULK: Final = "Bulk"
HISTORY: Final = "History"
PEOPLE: Final = "People"
VERSIONS: Final = "Versions and scores"

NO_DOCUMENT: Final = "There is no document to annotate."

# Who works on what
LAYERS: Final = {"shared": "shared gold", "own": "my own layer, blind", "seeing": "my own layer, others visible"}
LAYER_HELP: Final = (
    "Your own layer starts empty (in a bag: with its pair). Blind, you see nobody else's annotation; otherwise the"
    " decisions of others stand in the text as suggestions."
)
LEAST_HELP: Final = "Suggestions of the run in the sidebar that the model is less sure of are hidden."
WHO_HELP: Final = (
    "Whose edits these are: choose, or write your name and press Enter. A login decides, where one is set up."
)

# The queue
UNAIDED: Final = "Without a run that fits this corpus, documents come in their own order or by diversity."
NO_SECOND_RUN: Final = "Disagreement needs a second run of the same system; train one first."
NOT_DONE: Final = "{left} of {documents} are not done."
NEXT_KEY: Final = " q in the editor marks a document as done and opens the next."
NONE_LEFT: Final = " Nothing is left in this queue."

# Bulk answers
NO_BULK: Final = "Bulk answers need a run that fits this corpus."
FOUND: Final = "{suggestions} in {documents}. The answer is one action: Ctrl+Z in the editor takes all of it back."

# People
TOO_FEW: Final = (
    "Agreement appears when two annotators have worked on their own layers ({names}). Choose “my own layer” above."
)
NOBODY: Final = "nobody has yet"
CHOOSE_TWO: Final = "Choose two or more: agreement is between people."
NOTHING_SHARED: Final = "No document has been annotated by all of them yet ({names})."
PEOPLE_HELP: Final = "Compared on the documents that all of them have worked on. At first: the two with most in common."
AGREEMENT: Final = "Agreement of {names}, mean over pairs: 1 is full; for kappa and alpha 0 is chance."
OPEN: Final = "{disagreements} in {documents}; {here} in this one."

# Versions
FROZEN: Final = (
    "A frozen version never changes: its scores stay comparable and its exports are the same bytes each time."
)
NOT_FROZEN: Final = "This version was not made."
NO_SCORES: Final = "Scores need a run that fits this corpus; choose or train one."
RETRAIN_HELP: Final = "Gold is taken as it stands now, with every correction."
NOT_LEARNT_FROM: Final = (
    "The corpus on screen is not among them: its corrections change the score, but nothing is learnt from them."
)
NOT_FINISHED: Final = "The new run did not finish."
BEFORE_AND_AFTER: Final = "All scores before (A) and after (B)"
