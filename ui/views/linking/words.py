"""What the Linking page says: its sentence, its keys, and the help beside its widgets."""

from __future__ import annotations

from typing import Final

from ui.tab.pages import Keys

ICON: Final = ":material/link:"
SENTENCE: Final = (
    "Every possible name, above the words, with the entities it may mean. Click one to see why; drag the knob."
)
KEYS: Final[Keys] = (
    (("←", "↑", "↓", "→"), "next candidate in that direction (in the lattice)"),
    (("p",), "pin the candidate"),
    (("f",), "forbid the candidate"),
    (("u",), "free the candidate of its pin"),
)

TABLES: Final = "Best outputs and candidates"
FEATURES: Final = "Features"
LEARNERS: Final = "Learners compared"

FORBIDDEN: Final = "you forbade it"
GUESSED: Final = "guessed title, not in the knowledge base"
NOT_JUDGED: Final = "Nobody has annotated this text, so it is not known which links are right."
NOT_EXPLAINED: Final = "These scores come without feature contributions; these are the feature values behind this one."
NO_GOLD: Final = "This corpus has no gold to compare learners on."

CHOSEN_HELP: Final = "● chosen"
PROBABILITY_HELP: Final = "probability"
FLIP_HELP: Final = "change of its score alone that flips the decision"

F1_AT_EVERY_BIAS: Final = (
    "F1 at every abstain bias. The biases of different learners have different scales, so points are placed by how"
    " much is linked: 100 is as many links as gold has ({gold}), and a higher bias links less. ● is the bias chosen"
    " for the run, ○ is bias 0."
)
SCORES: Final = (
    "In percent, at the bias chosen for each run. Best F1 is the highest on this very corpus, so it is optimistic."
    " Strict: the boundaries must match too; inventory: only gold links to entities in the run's knowledge base."
)
TESTS: Final = (
    " Differences from the run on screen have a paired bootstrap interval and a permutation p over n = {documents}"
    " documents; p (Holm) is corrected for {differences}."
)
