"""What the Help and About pages say."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = "What every word means, from corpus to verdict, and where it comes from. ? shows the keys of a page."
ABOUT: Final = "What this is, what it stands on, and where your data are."

START: Final = "Where to begin"
ALL_KEYS: Final = "Keys"
WORDS: Final = "Words"
FIND: Final = "Find a word"
FIND_EXAMPLE: Final = "bias, stage, CoNLL …"
NOTHING: Final = "No entry has these words. The guide in docs/guide says more about each system."

PAPERS: Final = "Papers"
PAPERS_CAPTION: Final = "Each system is built after a paper; docs/theory says where it follows and where it differs."
LICENCES: Final = "Licences of the parts"
LICENCES_CAPTION: Final = "Espalier itself is under the MIT licence. It stands on these packages, as installed here."
WORKSPACE: Final = (
    "Every corpus, run and annotation is in the workspace, on this machine only; nothing is sent to others."
)
