"""What kind of thing a mention names, by rules over its words: pronoun, name or noun; gender, number, animacy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from engine.features.coreference.languages import Language
from engine.features.coreference.words import Words

TokenSpan = tuple[int, int]

PERSONS: Final = ("", "1", "2", "3")
_SEXES: Final = ("male", "female")
_TELLING: Final = frozenset({"mr.", "mrs.", "male", "female"})
"""Words before the head of a common noun that tell its gender."""


class Nature(NamedTuple):
    """The rules' answers about one mention; "" is unknown."""

    type: str
    kind: str
    gender: str
    number: str
    animacy: str
    entity: str
    person: str


class Natures:
    """The rules, applied to the mentions of one document."""

    def __init__(
        self,
        read: Words,
        gender_of: Mapping[str, str],
        given: Mapping[TokenSpan, tuple[str, str]],
        lemma: Sequence[str],
    ) -> None:
        self.language: Language = read.language
        self.gender_of, self.given, self.lemma = gender_of, given, lemma
        self.words, self.lower, self.tags, self.entities = read.written, read.lower, read.told_tags, read.entities
        language = read.language
        # The number of such words before each token, so that a span is asked for them by two look-ups.
        self._joining = _counted([word in language.coordinators for word in read.lower])
        self._owning = _counted([word in ("'s", "’s") for word in read.lower])
        self._of_words: dict[tuple[str, str, str, str, bool], Nature] = {}

    def of(self, start: int, end: int, head: int) -> Nature:
        entity, stated = self.given.get((start, end), ("", "")) if self.given else ("", "")
        marked = self.entities.spans.get((start, end), "")
        entity = entity or marked or self.entities.around.get(head, "")
        is_marked = bool(marked) or (start, end) in self.entities.spans
        if end - start > 1 or stated:
            return self._nature(start, end, head, entity, stated, is_marked)
        # A word by itself is the same thing wherever it stands.
        key = (self.words[start], self.tags[start] if self.tags else "", self.lemma[start], entity, is_marked)
        known = self._of_words.get(key)
        if known is None:
            known = self._of_words[key] = self._nature(start, end, head, entity, stated, is_marked)
        return known

    def _nature(self, start: int, end: int, head: int, entity: str, stated: str, marked: bool) -> Nature:
        language = self.language
        first = self.lower[start]
        pronoun = language.pronouns.get(first) if end - start == 1 else None
        type_ = stated or self._type(start, end, head, pronoun is not None)
        if type_ == "C" and not stated and self._is_name(start, end, head, entity, marked):
            type_ = "N"
        if type_ != "P":
            pronoun = None
        elif pronoun is None:
            pronoun = language.pronouns.get(first)
        kind = self._kind(start, end, type_, first if pronoun is None else pronoun.base)
        if pronoun is None:
            return Nature(type_, kind, *self._agreement(start, end, head, entity, type_), entity, "3")
        person = pronoun.person if pronoun.person in PERSONS else "3"
        return Nature(type_, kind, pronoun.gender, pronoun.number, pronoun.animacy, entity, person)

    def _type(self, start: int, end: int, head: int, is_pronoun: bool) -> str:
        if is_pronoun:
            return "P"
        if self.tags:
            tag = self.tags[head]
            if end - start == 1 and tag in self.language.pronoun_tags:
                return "P"
            return "N" if tag in self.language.name_tags or tag == "PROPN" else "C"
        return "N" if self.words[head][:1].isupper() else "C"

    def _is_name(self, start: int, end: int, head: int, entity: str, marked: bool) -> bool:
        """Whether a phrase with a common noun as its head is a name: it is marked as one, or it begins with a name and
        ends in a noun that is typical of organisations and places."""
        language = self.language
        if marked and entity in language.name_entities:
            return True
        made = end - start > 1 and self.lower[head] in language.name_heads
        return made and self.tags is not None and self.tags[start] in language.name_tags

    def _kind(self, start: int, end: int, type_: str, base: str) -> str:
        if type_ == "P":
            return base
        language, first, tags = self.language, self.lower[start], self.tags
        if type_ == "N":
            return "name" if first not in language.definite else "the name"
        if tags and tags[start].startswith("V"):
            return "verb"
        if end - start > 1:
            for kind, words in (
                ("definite", language.definite),
                ("indefinite", language.indefinite),
                ("demonstrative", language.demonstrative),
                ("possessive", language.possessive),
                ("quantified", language.quantifiers),
            ):
                if first in words:
                    return kind
            if language.head_first and tags and "PRP$" in tags[start:end]:
                return "possessive"
            if tags and tags[start] == "CD":
                return "counted"
            if self._owning[end] > self._owning[start]:
                return "genitive"
        if language.article and first.startswith(language.article):
            return "definite"
        return "bare"

    def _agreement(self, start: int, end: int, head: int, entity: str, type_: str) -> tuple[str, str, str]:
        """Gender, number and animacy of a name or noun, from tags, entity type and lists."""
        language = self.language
        person = entity.upper() in ("PER", "PERSON") or (type_ == "N" and not entity and self._is_full_name(start, end))
        listed = self._listed(start, end, head, type_)
        number = "plural" if listed == "plural" else self._number(start, end, head, type_)
        gender = listed if listed in ("male", "female", "neutral") else ""
        if person and gender == "neutral":
            gender = ""
        animacy = "animate" if person or gender in _SEXES else "inanimate" if gender == "neutral" else ""
        if not gender and self.lower[head].endswith(language.feminine_endings):
            gender = "female"
        if entity and not person and entity.upper() not in ("ANIMAL",):
            animacy = "inanimate"
            # With grammatical gender, a thing keeps the gender of its word.
            neuter = "" if number == "plural" else "neutral"
            gender = gender if language.feminine_endings else neuter
        return gender, number, animacy

    def _listed(self, start: int, end: int, head: int, type_: str) -> str:
        """What the lists say: of the whole name, else of the first of its words that is listed. A title or first name
        is more informative than a surname, and a head noun more than its modifiers."""
        lower, listed, gender_of = self.lower, self.language.gender, self.gender_of
        if gender_of and end - start > 1 and (found := gender_of.get(" ".join(lower[start:end]), "")):
            return found
        name = type_ == "N"
        for token in range(start, end) if name else (head, *range(start, head)):
            word = lower[token]
            if not name and token != head and word not in _TELLING:
                continue
            found = listed.get(word, "") or (gender_of.get(word, "") if token in (start, head) else "")
            if found:
                return found
        return ""

    def _is_full_name(self, start: int, end: int) -> bool:
        """Whether a single word consists of a surname and a given name of one or two characters."""
        word = self.words[start]
        return end - start == 1 and len(word) in (2, 3) and word[0] in self.language.surnames

    def _number(self, start: int, end: int, head: int, type_: str) -> str:
        """Singular or plural by tags, endings and the words around the head; "" if nouns need not mark it."""
        language, lower = self.language, self.lower
        coordinated = self._joining[end - 1] > self._joining[start + 1]
        if self.tags:
            plural = self.tags[head] in language.plural_tags
        else:
            plural = type_ == "C" and lower[head] != self.lemma[head]
        if plural or (coordinated and (type_ != "C" or language.number_unmarked)):
            return "plural"
        if not language.number_unmarked:
            return "singular"
        others = [lower[token] for token in range(start, end) if token != head]
        if lower[head].endswith(language.plural_endings) or language.plural_words.intersection(others):
            return "plural"
        return "singular" if type_ == "N" or language.singular_words.intersection(others) else ""


def _counted(marks: Sequence[bool]) -> list[int]:
    """How many of the tokens before each are marked, the end included."""
    return list(accumulate(marks, initial=0))
