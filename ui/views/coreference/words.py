"""What the Coreference page says: its sentence, its keys, and the captions of its parts."""

from __future__ import annotations

from typing import Final

from ui.tab.pages import Keys

ICON: Final = ":material/account_tree:"
SENTENCE: Final = (
    "Mentions with the same number are one entity; an arc leads to the antecedent. Click one to see why; move or pin"
    " it."
)
KEYS: Final[Keys] = (
    (("↑", "↓"), "previous, next mention (in the tree)"),
    (("←",), "to its antecedent (in the tree)"),
)

GRID: Final = "Entity grid"
SHAPES: Final = "Tree shapes"
REPLAY: Final = "Training replay"
COMPARED: Final = "Policies compared"

NONE_GIVEN: Final = (
    "This run needs given mentions, and this document has none. Choose a run that finds its own mentions, or mark some."
)
NONE_FOUND: Final = "Nothing in this document looks like a mention: it has no noun phrase, name or pronoun."
NOT_PROPOSED: Final = (
    "Gold has a mention here that was not proposed: no phrase of the parse, name or pronoun covers exactly these"
    " words, so the system could not decide about it."
)

TREE: Final = "dot: new entity · ↑ ↓ ← move"
TREE_JUDGED: Final = "dot: new entity · → 4: entity 4 in gold · ✓ ✗ right, wrong · ↑ ↓ ← move"
NO_ENTITY: Final = "No mention here is in an entity; choose “all” to see every mention."
WHY: Final = "Features of this arc and their weights: ↓ the mention, ↑ its antecedent"
PIN_HELP: Final = "Fixes this decision and decodes the rest again; the model does not change."
LOST_BY_BEAM: Final = "The latent tree scores higher than the one found: the beam lost it."
DOUBTFUL: Final = "Most doubtful links"
GRID_HELP: Final = "The largest entities, sentence by sentence: S subject, O object, X elsewhere, – absent."
NO_GRID: Final = "There is no entity to show."

NO_HISTORY: Final = "This model does not record how it was trained."
NOT_TRAINED_ON: Final = "The run was not trained on this document."
SHAPES_HELP: Final = (
    "Latent trees of the training documents. Long arcs are hard to learn from, which is the paper's argument against"
    " LaSO; early update reads only up to the first error. Below: this run."
)
REPLAY_HELP: Final = (
    "Each row is an iteration, and each mark a mention at which the search was wrong and an update was made or noted"
    " (for the baseline: once, at the end); the bar shows how much was read."
)
NO_GOLD: Final = "This corpus has no gold clusters to compare runs on."
COMPARED_HELP: Final = (
    "A line shows every pass on the run's dev corpus at abstain bias 0. The table shows the model that was kept,"
    " usually from the best pass, on the corpus on screen and at the abstain bias chosen for it, so its score is not"
    " the peak of the line."
)
VERSUS_HELP: Final = (
    "Difference from this run: mean difference of the CoNLL averages of single documents; p: Wilcoxon signed-rank"
    " over {documents}."
)

FINER_SETTINGS: Final = ("beam", "agenda", "history", "augment", "window")
POLICY_SETTINGS: Final = ("features", "mentions", *FINER_SETTINGS)
"""Settings that distinguish policies of the same learner; the finer ones are named only if they differ."""
