"""Text that anybody may have written, for a page: characters that cannot be seen or that turn text round are made
visible, and what would be Markdown is shown as it is written."""

from __future__ import annotations

import re
from typing import Final

# The joiners U+200C and U+200D are kept, as scripts and emoji need them. components/shared/dom.js has the same list.
_HIDDEN: Final = re.compile(
    "[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e"
    "\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb]"
)
_NAMES: Final = {
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
    "\u200b": "ZWSP",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\ufeff": "BOM",
    "\u00ad": "SHY",
}
_MARKDOWN: Final = re.compile(r"[!-/:-@\[-`{-~]")
"""ASCII punctuation, all of which a backslash turns into plain characters."""


def visible(text: str) -> str:
    """Text for a table or a plain line, with placeholders for invisible and reordering characters."""
    return _HIDDEN.sub(lambda found: f"⟨{_NAMES.get(found[0]) or f'U+{ord(found[0]):04X}'}⟩", text)


def literal(text: str) -> str:
    """The same for a place that renders Markdown: captions, warnings, labels, and the words of a progress bar."""
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text))
