"""Features of one mention: the window around it, its words, form, lists and position, and the mentions beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from engine.features.joint.beside import next_mentions, series
from engine.features.joint.lists import lists_of_all, word_classes
from engine.features.joint.sentence import Sentence, phrase_shape, shape
from engine.features.wordlists import LISTS, TRIGGERS


def context_window(s: Sentence, i: int) -> list[str]:
    """Words and tags up to three tokens left and right, with their conjunctions."""
    start, end = s.spans[i]
    out = []
    for offset in (1, 2, 3):
        left, right = start - offset, end - 1 + offset
        out += [f"w-{offset}={s.word(left)}", f"w+{offset}={s.word(right)}"]
        out += [f"t-{offset}={s.tag(left)}", f"t+{offset}={s.tag(right)}"]
        out += [f"near left={s.word(left)}", f"near right={s.word(right)}"]
    out += [
        f"w-2w-1={s.word(start - 2)} {s.word(start - 1)}",
        f"w+1w+2={s.word(end)} {s.word(end + 1)}",
        f"w-1w+1={s.word(start - 1)} {s.word(end)}",
        f"t-2t-1={s.tag(start - 2)} {s.tag(start - 1)}",
        f"t+1t+2={s.tag(end)} {s.tag(end + 1)}",
        f"t-1t+1={s.tag(start - 1)} {s.tag(end)}",
        f"w-2t-1={s.word(start - 2)} {s.tag(start - 1)}",
        f"t+1w+2={s.tag(end)} {s.word(end + 1)}",
        f"w-3w-2w-1={s.word(start - 3)} {s.word(start - 2)} {s.word(start - 1)}",
        f"w+1w+2w+3={s.word(end)} {s.word(end + 1)} {s.word(end + 2)}",
    ]
    for name, entries in LISTS.items():
        if s.word(start - 1) in entries:
            out.append(f"left word in {name}")
        if s.word(end) in entries:
            out.append(f"right word in {name}")
    for name, entries in TRIGGERS.items():
        if any(s.word(start - k) in entries for k in (1, 2, 3)):
            out.append(f"left near {name}")
        if any(s.word(end - 1 + k) in entries for k in (1, 2, 3)):
            out.append(f"right near {name}")
    return out


def phrase_words(s: Sentence, i: int) -> list[str]:
    """The phrase, its words and bigrams, its tags."""
    start, end = s.spans[i]
    low = s.low[start:end]
    out = [f"phrase={' '.join(low)}", f"first={low[0]}", f"last={low[-1]}", f"length={min(end - start, 6)}"]
    out += [f"word={word}" for word in low]
    out += [f"bigram={a} {b}" for a, b in pairwise(low)]
    out += [f"tags={' '.join(s.tags[start:end][:5])}", f"last tag={s.tags[end - 1]}"]
    return out


def phrase_form(s: Sentence, i: int) -> list[str]:
    """Case, affixes and character n-grams."""
    start, end = s.spans[i]
    words = s.words[start:end]
    out = [f"shape={phrase_shape(words)}", f"last shape={shape(words[-1])}"]
    if all(word.isupper() for word in words):
        out.append("all upper")
    if all(word[:1].isupper() for word in words):
        out.append("all capitalised")
    if any(c.isdigit() for word in words for c in word):
        out.append("has digit")
    for role, word in (("first", words[0].lower()), ("last", words[-1].lower())):
        out += [f"{role} suffix={word[-k:]}" for k in (2, 3, 4) if len(word) > k]
        out += [f"{role} prefix={word[:k]}" for k in (2, 3, 4) if len(word) > k]
    for word in words:
        padded = f"^{word.lower()}$"
        out += [f"gram={padded[k : k + 4]}" for k in range(len(padded) - 3)]
    return out


def phrase_lists(s: Sentence, i: int) -> list[str]:
    """Gazetteers that contain the phrase or its words."""
    return [f"phrase {kind}" for kind in s.kinds[i]]


def phrase_place(s: Sentence, i: int) -> list[str]:
    """The position of the phrase in the sentence, and whether the sentence repeats a word of it."""
    start, end = s.spans[i]
    out = [f"sentence of {min(len(s.words) // 5, 8)} fives", f"mentions={min(len(s.spans), 6)}"]
    if start == 0:
        out.append("starts the sentence")
    if end == len(s.words):
        out.append("ends the sentence")
    rest = set(s.low[:start] + s.low[end:])
    if any(len(word) > 3 and word in rest for word in s.low[start:end]):
        out.append("repeated word")
    return out


ENTITY_TEMPLATES: Final[tuple[Callable[[Sentence, int], list[str]], ...]] = (
    context_window,
    phrase_words,
    phrase_form,
    phrase_lists,
    phrase_place,
    word_classes,
    lists_of_all,
    next_mentions,
    series,
)


def entity_features(s: Sentence, i: int) -> list[str]:
    return [name for template in ENTITY_TEMPLATES for name in template(s, i)]


def role_features(roles: Sequence[str]) -> list[str]:
    """What the omniscient entity classifier adds: the gold relations of the mention."""
    return [f"role {role}" for role in roles] or ["role none"]
