"""Compares titles with mentions: which words of the title the mention covers, and what is left over.

"Boston Red Sox" for the mention "Boston" leaves the pattern "* red sox"; "Greece national football team" for
"Greek" leaves "~ national football team". Patterns carry over to entities that training never saw.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

WORD: Final = re.compile(r"[^\W_]+")
_BRACKET: Final = re.compile(r"\s*\(([^()]*)\)\s*$")
# A shared stem of four letters joins "Greek" to "Greece" and "Croatian" to "Croatia".
_STEM: Final = 4
# Five join "cricketer" in a title's bracket to "cricket" in the document, and still distinguish most topics.
_TOPIC: Final = 5

FUNCTION_WORDS: Final = frozenset(
    "a about after all also an and any are as at be been before but by can could did do does for from had has have he"
    " her him his how i if in into is it its just more most no not of on one only or other our out over said says she"
    " so some such than that the their them then there these they this to under up was we were what when which who"
    " will with would you your".split()
)


@dataclass(frozen=True)
class Title:
    """A title taken apart: "Athens, Ohio" has the suffix "ohio", "Mercury (planet)" the bracket "planet"."""

    text: str
    base: str
    bracket: str
    suffix: str
    words: tuple[str, ...]
    all_words: tuple[str, ...]

    @property
    def tail(self) -> str:
        """The last word, which often names the kind: team, county, airport, party."""
        return self.words[-1] if self.words else ""


def normalise(text: str) -> str:
    return " ".join(text.lower().split())


@lru_cache(maxsize=1 << 18)
def take_apart(title: str) -> Title:
    lower = normalise(title)
    match = _BRACKET.search(lower)
    bracket = match.group(1) if match else ""
    base = lower[: match.start()] if match else lower
    head, comma, suffix = base.partition(", ")
    return Title(
        text=lower,
        base=head if comma else base,
        bracket=bracket,
        suffix=suffix,
        words=tuple(WORD.findall(base)),
        all_words=tuple(WORD.findall(lower)),
    )


def pattern(title: Title, mention_words: tuple[str, ...]) -> str:
    """The title with the mention's words replaced: * for the same word, ~ for the same stem."""
    exact = set(mention_words)
    stems = {word[:_STEM] for word in mention_words if len(word) >= _STEM}
    out: list[str] = []
    for word in title.words:
        mark = "*" if word in exact else "~" if len(word) >= _STEM and word[:_STEM] in stems else word
        if not (out and mark == out[-1] and mark in "*~"):
            out.append(mark)
    if title.suffix:
        # "*, Ohio": the pattern records that there is a place, not which one.
        out = [*out[: 1 if out else 0], ","]
    if title.bracket:
        out.append(f"({title.bracket})")
    return " ".join(out)


def coarse(shape: str) -> str:
    """What kind of pattern it is: the mention itself, the mention with more words, none of its words, ..."""
    kind = "*" if "*" in shape else "~" if "~" in shape else "-"
    return (
        kind + ("," if "," in shape else "") + ("(" if "(" in shape else "") + ("+" if len(shape.split()) > 1 else "")
    )


def topics(words: Iterable[str]) -> frozenset[str]:
    """Stems of a document's words, for `fit`."""
    return frozenset(word[:_TOPIC] for word in words)


def fit(title: Title, mention_words: tuple[str, ...], spoken: Collection[str]) -> str:
    """A key for what the title adds to the mention, and whether the document mentions it.

    It consists of the form of the pattern, the last word if the mention lacks it, and whether the document has all (a),
    some (s) or none (n) of the stems of the other words that are left. "England cricket team" for "England" in a
    document about cricket gives the same as a rugby team in one about rugby, so what holds for one sport carries over
    to another.
    """
    own = {word[:_STEM] for word in mention_words}
    left = [word for word in title.words if word[:_STEM] not in own]
    last = ""
    if title.suffix:
        # Other columns cover the place that a comma part names.
        left = []
    elif left and left[-1] == title.tail:
        last = left.pop()
    left += WORD.findall(title.bracket)
    found = sum(word[:_TOPIC] in spoken for word in left)
    spoken_of = "" if not left else "n" if not found else "a" if found == len(left) else "s"
    return f"{coarse(pattern(title, mention_words))}\t{last}\t{spoken_of}"


SIMILARITIES: Final = (
    ("same text", "The mention is the whole title."),
    ("same base", "The mention is the title without its bracket and comma part."),
    ("mention in title", "Share of the mention's words that the title has."),
    ("title in mention", "Share of the title's words that the mention has."),
    ("letters", "Dice overlap of letter pairs."),
    ("prefix", "Share of the mention that the title starts with."),
    ("acronym", "The mention is made of the initials of the title."),
    ("bracket", "The title has a bracket."),
    ("comma", "The title has a comma part."),
    ("title words", "Number of words in the title."),
)


@lru_cache(maxsize=1 << 18)
def similarity(mention: str, text: str) -> tuple[float, ...]:
    """The values of SIMILARITIES for a normalised mention and a title."""
    title = take_apart(text)
    words = tuple(WORD.findall(mention))
    shared = len(set(words) & set(title.words))
    common = 0
    for a, b in zip(mention, title.base, strict=False):
        if a != b:
            break
        common += 1
    letters = "".join(words)
    initials = "".join(word[0] for word in title.words)
    return (
        float(mention == title.text),
        float(mention == title.base),
        shared / max(1, len(set(words))),
        shared / max(1, len(set(title.words))),
        _dice(mention, title.base),
        common / max(1, len(mention)),
        float(len(letters) > 1 and letters == initials),
        float(bool(title.bracket)),
        float(bool(title.suffix)),
        float(len(title.words)),
    )


def _dice(a: str, b: str) -> float:
    left = {a[i : i + 2] for i in range(len(a) - 1)}
    right = {b[i : i + 2] for i in range(len(b) - 1)}
    return 2 * len(left & right) / max(1, len(left) + len(right))
