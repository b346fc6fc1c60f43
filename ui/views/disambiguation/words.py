"""What the Disambiguation page says: its sentence, its keys, captions and help."""

from __future__ import annotations

from typing import Final

from ui.tab.pages import Keys

ICON: Final = ":material/alt_route:"
SENTENCE: Final = (
    "Every column decides one mention; each cell is a sequence that the search kept or pruned. Click one to see why."
)
KEYS: Final[Keys] = ((("←", "→"), "previous, next decision (in the beam)"),)

NO_MENTIONS: Final = (
    "No mentions are marked in this text. This system needs given mentions and decides which entities they name."
)
NOT_JUDGED: Final = "These mentions have no gold links, so there is nothing to compare with."

BEAM_JUDGED: Final = "✓ green: right."
BEAM: Final = (
    "Blue: chosen. Dashed: pruned. Bars: share of the beam. ← and → step through the document. With"
    " two directions, sequences are kept by score plus what the other direction found."
)
MENTIONS: Final = "Mentions"
SEQUENCES: Final = "Best sequences"
ADDS: Final = "What each feature adds"
SUPPORT: Final = "Earlier decisions that support it"

WIDTH_HELP: Final = "How many sequences the search keeps on this page. The model does not change."
SIGNS_HELP: Final = "✓ right, ● chosen, ⊘ forbidden by your pin"
