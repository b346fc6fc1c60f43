"""The meaning of the numeric codes of comparisons and cluster facts, for readers of an arc's features.

The kernels of `comparisons` and of the learner use small codes; this module translates them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.features.coreference.attributes import ANIMACIES, GENDERS, NUMBERS

_STEPS: Final = ("0", "1", "2", "3", "4", "5–7", "8–11", "12–19", "20–39", "40–79", "80 or more", "not before it")
_GRADES: Final = ("0", "1", "2", "3", "4–5", "6–9", "10–19", "20–49", "50–99", "100 or more")
_AGREEMENT: Final = ("unknown", "agree", "clash")
_HEADS: Final = ("differ", "same lemma", "same")
_WORDS: Final = ("none shared", "some shared", "all of the anaphor's", "all of the antecedent's", "the same")
_SPEAKER: Final = ("unknown", "same turn", "same speaker", "the turn before", "another")
_PERSONS: Final = ("–", "1st", "2nd", "3rd")


def compared(name: str, value: int) -> str:
    """The value of a comparison of two mentions."""
    return _look_up(_COMPARISONS, name, value)


def fact(name: str, value: int) -> str:
    """A fact about a cluster."""
    return _look_up(_FACTS, name, value)


def shape(packed: int) -> str:
    """The packed shape of a cluster as letters, oldest first: R, then types, with dots where mentions are left out."""
    longer, number = packed % 2, packed // 2
    letters = []
    while number:
        letters.append("PNC"[number % 4 - 1])
        number //= 4
    return "R" + ("…" if longer else "") + "".join(letters)


def _look_up(key: dict[str, Sequence[str] | Callable[[int], str]], name: str, value: int) -> str:
    words = key[name]
    return words(value) if callable(words) else words[value]


def _match(value: int) -> str:
    string, rest = divmod(value, 15)
    heads, words = divmod(rest, 5)
    return "same string" if string else f"heads {_HEADS[heads]}, words {_WORDS[words]}"


def _three_agreements(value: int) -> str:
    gender, rest = divmod(value, 9)
    number, animacy = divmod(rest, 3)
    pairs = (("gender", gender), ("number", number), ("animacy", animacy))
    known = [f"{name} {_AGREEMENT[code]}" for name, code in pairs if code]
    return ", ".join(known) or "unknown"


def _persons(value: int) -> str:
    persons, speaker = divmod(value, 5)
    return f"{_PERSONS[persons // 4]} and {_PERSONS[persons % 4]} person, speaker {_SPEAKER[speaker]}"


def _set_of(names: Sequence[str]) -> Callable[[int], str]:
    """A function from bits to the names that they stand for."""

    def say(bits: int) -> str:
        return " and ".join(name for at, name in enumerate(names) if bits >> at & 1) or "none"

    return say


_COMPARISONS: Final[dict[str, Sequence[str] | Callable[[int], str]]] = {
    "sentences": _STEPS,
    "mentions": _STEPS,
    "near": ("0", "1", "2", "3–5", "6 or more"),
    "tokens": _STEPS,
    "string": ("differs", "same"),
    "heads": _HEADS,
    "words": _WORDS,
    "match": _match,
    "names": ("no match", "first name", "last name", "initials"),
    "modifiers": ("none", "same", "only the anaphor's", "only the antecedent's", "differ"),
    "nesting": ("apart", "anaphor inside", "overlapping"),
    "speaker": _SPEAKER,
    "gender": _AGREEMENT,
    "number": _AGREEMENT,
    "animacy": _AGREEMENT,
    "agreement": _three_agreements,
    "entity": ("unknown", "same type", "other type"),
    "quotes": ("both outside", "same quotation", "other quotation", "anaphor inside", "antecedent inside"),
    "said": ("no", "antecedent says it", "anaphor says it"),
    "rank": ("0", "1", "2", "3", "4–7", "8 or more"),
    "same_head_rank": ("0", "1", "2 or more"),
    "subject_rank": ("0", "1", "2", "3 or more"),
    "arguments": ("no", "of the same word", "anaphor's word is the antecedent", "antecedent's word is the anaphor"),
    "persons": _persons,
}

_FACTS: Final[dict[str, Sequence[str] | Callable[[int], str]]] = {
    "size": _GRADES,
    "shape": shape,
    "start": lambda value: f"about {_GRADES[value]} pairs of mentions in",
    "recent": _GRADES,
    "gap": _GRADES,
    "genders": _set_of(GENDERS[1:]),
    "numbers": _set_of(NUMBERS[1:]),
    "animacies": _set_of(ANIMACIES[1:]),
    "matches": _set_of(("string", "head", "name", "words")),
    "clashes": _set_of(("agreement", "nesting", "speaker", "entity type")),
    "matching": ("0", "1", "2", "3", "4 or more"),
    "types": _set_of(("pronoun", "name", "common noun")),
    "busy": ("0", "1", "2", "3", "4", "5 or more"),
    "names": _set_of(("one that matches", "another")),
    "share": ("none", "up to a quarter", "up to a half", "up to three quarters", "all or nearly"),
}
