"""Part-of-speech tags of English words by rule: lists of closed classes, endings, and the word before.

Deliberately small. It allows plain text to be read if no tagger is installed; spaCy is better and is used if it is
installed. Tags are those of the Penn Treebank, as far as finding mentions needs them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_CLOSED: Final = {
    word: tag
    for tag, words in {
        "DT": "the a an this that these those each every either neither some any no another all both half",
        "PRP": "i you he she it we they me him her us them myself yourself himself herself itself ourselves themselves"
        " one's mine yours hers ours theirs oneself",
        "PRP$": "my your his its our their",
        "WP": "who whom what whoever",
        "WP$": "whose",
        "WDT": "which whichever",
        "WRB": "when where why how whenever wherever",
        "EX": "there",
        "CC": "and or but nor yet plus",
        "IN": "of in on at by for with from about into over after under between through during before against without"
        " within among since until while because although though if unless whether as than like near upon across along"
        " around behind beside beyond despite except inside off onto outside past per toward towards via amid below"
        " above",
        "TO": "to",
        "MD": "can could will would shall should may might must ca wo 'll 'd",
        "VBZ": "is has does 's goes says",
        "VBP": "am are have do 're 've 'm",
        "VBD": "was were had did said went came took made got saw knew thought told found gave felt left became began"
        " kept brought held stood sat ran wrote spoke met paid sent built lost won fell led grew ate bought drove"
        " broke chose",
        "VBN": "been done gone seen taken given known written born",
        "VBG": "being having doing",
        "VB": "be",
        "RB": "not n't very too also only just never always often still already now then here again soon even quite so"
        " almost perhaps maybe rather however instead together away back up down out ago later well far once",
        "JJ": "new old good great small large big little long high young early late last first next own other many much"
        " few more most several such same different important public able bad best better free full left right sure",
        "CD": "one two three four five six seven eight nine ten eleven twelve hundred thousand million billion",
        "UH": "oh yes yeah hello hi hey ok okay wow please thanks",
    }.items()
    for word in words.split()
}
_ENDINGS: Final = (
    ("ing", "VBG"), ("ed", "VBD"), ("ly", "RB"), ("ous", "JJ"), ("ful", "JJ"), ("able", "JJ"), ("ible", "JJ"),
    ("ive", "JJ"), ("less", "JJ"), ("ish", "JJ"), ("ic", "JJ"), ("al", "JJ"), ("est", "JJS"),
)  # fmt: skip
_NOUN_BEFORE: Final = frozenset({"DT", "PRP$", "JJ", "JJS", "POS", "CD", "IN"})
_MARKS: Final = {",": ",", ".": ".", "!": ".", "?": ".", ":": ":", ";": ":", "(": "-LRB-", ")": "-RRB-", "-": ":"}


def tags(words: Sequence[str], starts: frozenset[int]) -> list[str]:
    """A tag for every word; `starts` are the sentence-initial positions, where a capital letter is uninformative."""
    lower = {word for word in words if word.islower()}
    found: list[str] = []
    for i, word in enumerate(words):
        before = found[-1] if found and i not in starts else ""
        found.append(
            _tag(word, before, opens=i in starts, lower=lower, follows=words[i + 1] if i + 1 < len(words) else "")
        )
    return found


def _tag(word: str, before: str, *, opens: bool, lower: set[str], follows: str) -> str:
    small = word.lower()
    if not any(character.isalnum() for character in word):
        return _MARKS.get(word, "POS" if word in ("'", "’") else "``" if word in '"“”«»' else "SYM")
    if small in ("'s", "’s"):
        return "POS" if before.startswith("NN") else "VBZ"
    if re.fullmatch(r"[\d.,:/-]*\d[\d.,:/-]*(?:st|nd|rd|th|s)?", small):
        return "CD"
    if small in _CLOSED and (
        not word[1:].isupper() or len(word) == 1 or (word.isupper() and small in ("it", "he", "we"))
    ):
        return _closed(small, before, follows)
    if word[:1].isupper() and (not opens or small not in lower) and not (opens and _looks_common(small)):
        return "NNPS" if small.endswith("s") and before.startswith("NNP") and len(small) > 5 else "NNP"
    return _open(small, before)


def _closed(small: str, before: str, follows: str) -> str:
    if small in ("her",):
        return "PRP$" if follows[:1].isalpha() and follows.lower() not in _CLOSED else "PRP"
    if small == "that" and before.startswith(("NN", "VB")):
        return "IN"
    return _CLOSED[small]


def _open(small: str, before: str) -> str:
    if before in ("TO", "MD"):
        return "VB"
    if before in ("PRP", "NNP") and small.endswith("s") and not small.endswith("ss"):
        return "VBZ"
    for ending, tag in _ENDINGS:
        if small.endswith(ending) and len(small) > len(ending) + 2:
            if tag.startswith("VB") and before in ("DT", "PRP$"):
                return "NN" if tag == "VBG" else "JJ"
            if tag == "JJ" and before in ("JJ",):
                return "NN"
            return tag
    if before in ("PRP", "WP", "NNP") and before != "NNP":
        return "VBP"
    return "NNS" if small.endswith("s") and not small.endswith(("ss", "us", "is")) else "NN"


def _looks_common(small: str) -> bool:
    """Whether a sentence-initial word looks like an adverb or a participle, which names seldom do."""
    return small.endswith(("ly", "ing", "ed")) and len(small) > 5
