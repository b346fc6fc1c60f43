"""What the Document page says: its sentence, captions and help."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "Outlined is gold, filled is predicted; ✓ right, ✗ wrong, ∅ missed. Click a span for details."

CLOSED: Final = "the run's predictions are compared with gold here, so they are shown when you ask for them."

NO_CORPUS: Final = "There is no corpus in this workspace yet."
NO_DOCUMENTS: Final = "This corpus has no documents."
NO_SPANS: Final = "There is nothing to show: these layers mark no spans in this document."
ALL_AGREE: Final = "The two layers agree on every span."
SECOND_RUN: Final = "A after a label: in the filled layer; B: in the second run."
DIFFERENCES_HELP: Final = "Hides everything that all chosen layers agree on."

SUMMARY: Final = "This document"
WHO: Final = ("in both", "filled only", "outlined only")
JUDGED: Final = "Gold against predicted"
TWO_LAYERS: Final = "The two layers"
RELATIONS: Final = "Relations"
LABELS: Final = "Labels of the whole document"
SELECTED: Final = "Selected span"
