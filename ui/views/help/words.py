"""What the Help and About pages say."""

from __future__ import annotations

from typing import Final

SENTENCE: Final = (
    "What every term means, from corpus to verdict, and where it comes from. Press ? for the keys of a page."
)
ABOUT: Final = "What this is, what it is built on, and where your data are."

START: Final = "Where to begin"
ALL_KEYS: Final = "Keys"
WORDS: Final = "Terms"
FIND: Final = "Find a term"
FIND_EXAMPLE: Final = "bias, stage, CoNLL …"
NOTHING: Final = "No entry matches. The guide in docs/guide has more about each system."

PAPERS: Final = "Papers"
PAPERS_CAPTION: Final = (
    "Each system is based on a paper; docs/theory describes where it follows the paper and where it differs."
)
LICENCES: Final = "Licences of the packages"
LICENCES_CAPTION: Final = "Espalier itself is under the MIT licence. It uses these packages, as installed here."
WORKSPACE: Final = (
    "Every corpus, run and annotation is in the workspace, on this machine only; nothing is sent anywhere else."
)
