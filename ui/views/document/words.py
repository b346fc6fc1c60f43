"""What the Document page says: its sentence, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Outline is gold, fill is predicted; ✓ right, ✗ wrong, ∅ missed. Click a span to see it."

CLOSED: Final = "what the run says of it is judged against gold here, so it is shown when you ask for it."

NO_CORPUS: Final = "There is no corpus in this workspace yet."
NO_DOCUMENTS: Final = "This corpus has no documents."
NO_SPANS: Final = "There is nothing to draw: these layers mark no spans in this document."
ALL_AGREE: Final = "The two layers agree on every span."
SECOND_RUN: Final = "Behind a label, A: the fill has it; B: the second run has it."
DIFFERENCES_HELP: Final = "Hide what all chosen layers agree on."

SUMMARY: Final = "This document"
JUDGED: Final = "Gold against predicted"
TWO_LAYERS: Final = "The two layers"
RELATIONS: Final = "Relations"
LABELS: Final = "Labels of the whole document"
SELECTED: Final = "Selected span"
