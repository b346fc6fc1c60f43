"""What the toy's page says."""

from __future__ import annotations

from typing import Final

ICON: Final = ":material/toys:"
SENTENCE: Final = "Each word of the document with its score."
KEYS: Final = ((("w",), "next word (in the toy)"),)
