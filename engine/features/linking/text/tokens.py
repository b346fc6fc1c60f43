"""The tokens of one text for linking: words, lower-case words, and which of them can begin or end a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine.data.document import Document
from engine.lexicon.surfaces import URL, fold, tokenise

_URL: Final = re.compile(URL)
_WORD: Final = re.compile(r"\w")
# Yankees-Rays, US-backed: each side may be a name. Not T-Mobile, STS-135 or a score.
_HYPHEN: Final = re.compile(r"(?<=\w\w)-(?=[^\W\d_]\w)")
# A name does not extend across these.
_BREAKS: Final = frozenset('!?;:"|/()[]{}@#…*<>=~^,“”')
_CLITICS: Final = frozenset(("'s", "'t", "'re", "'ve", "'ll", "'d", "'m"))


@dataclass(frozen=True)
class Tokens:
    """Tokens of one document; `bounds` may start or end a name, `breaks` may not lie inside one."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: tuple[str, ...]
    lower: tuple[str, ...]
    bounds: tuple[bool, ...]
    breaks: tuple[bool, ...]
    signs: tuple[str, ...]
    """'#' or '@' if the token directly follows one, '$' before a stock symbol, else ''."""

    def __len__(self) -> int:
        return len(self.words)

    def piece(self, first: int, last: int) -> str:
        return self.text[self.starts[first] : self.ends[last - 1]]


def read_tokens(document: Document) -> Tokens:
    """The document's own tokens if it has any, else ours."""
    text = document.text
    spans = list(document.tokens) or [part for span in tokenise(text) for part in _parts(text, *span)]
    words = tuple(text[start:end] for start, end in spans)
    facts = [_facts(word) for word in words]
    signs = tuple(
        text[start - 1] if start and text[start - 1] in "#@$" and _WORD.match(text[start:end]) else ""
        for start, end in spans
    )
    return Tokens(
        text=text,
        starts=tuple(start for start, _ in spans),
        ends=tuple(end for _, end in spans),
        words=words,
        lower=tuple(lower for lower, _, _ in facts),
        bounds=tuple(bounds for _, bounds, _ in facts),
        breaks=tuple(breaks for _, _, breaks in facts),
        signs=signs,
    )


@lru_cache(maxsize=1 << 15)
def _facts(word: str) -> tuple[str, bool, bool]:
    """The word in lower case, whether it may begin or end a name, and whether no name extends across it."""
    lower = fold(word.lower().replace("’", "'"))
    is_url = bool(_URL.match(word))
    return lower, bool(_WORD.match(word)) and not is_url and lower not in _CLITICS, is_url or word in _BREAKS


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The token, or its words and hyphens if it is hyphenated."""
    if "-" not in text[start:end] or _URL.match(text, start):
        return [(start, end)]
    parts, at = [], start
    for hyphen in _HYPHEN.finditer(text, start, end):
        parts += [(at, hyphen.start()), hyphen.span()]
        at = hyphen.end()
    return [*parts, (at, end)]
