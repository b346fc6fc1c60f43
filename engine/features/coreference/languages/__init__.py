"""Language packs for coreference. To add a language, add one file here that defines PACK.

Everything is optional: a language without lists still has distances, strings, speakers and whatever is learnt from the
corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from engine.data.errors import InputError


def same(text: str) -> str:
    return text


@dataclass(frozen=True)
class Pronoun:
    """What a pronoun tells about its referent. Empty text is unknown."""

    base: str
    person: str = "3"
    number: str = ""
    gender: str = ""
    animacy: str = ""


@dataclass(frozen=True)
class Language:
    """Word lists and labels of one language; all words in lower case."""

    name: str
    pronouns: Mapping[str, Pronoun]
    definite: frozenset[str] = frozenset()
    indefinite: frozenset[str] = frozenset()
    demonstrative: frozenset[str] = frozenset()
    possessive: frozenset[str] = frozenset()
    quantifiers: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    """Words that end the core of a noun phrase when there is no parse: prepositions, relatives."""
    stopwords: frozenset[str] = frozenset()
    gender: Mapping[str, str] = field(default_factory=dict)
    """Word or first name -> male, female, neutral, plural."""
    speech_verbs: frozenset[str] = frozenset()
    empty_subject: frozenset[str] = frozenset()
    """Pronouns that may refer to nothing ("it rains"), and the words around that show it."""
    empty_verbs: frozenset[str] = frozenset()
    empty_adjectives: frozenset[str] = frozenset()
    noun_phrases: frozenset[str] = frozenset({"NP"})
    name_tags: frozenset[str] = frozenset({"NNP", "NNPS"})
    pronoun_tags: frozenset[str] = frozenset({"PRP", "PRP$"})
    noun_tags: frozenset[str] = frozenset({"NN", "NNS", "NNP", "NNPS"})
    plural_tags: frozenset[str] = frozenset({"NNS", "NNPS"})
    head_first: bool = False
    """Whether the head of a noun phrase comes first, as in Arabic."""
    modifier_tags: frozenset[str] = frozenset({"JJ", "JJR", "JJS", "ADJ", "CD", "NUM"})
    """Tags of words that may come between a determiner and its noun."""
    determiner_tags: frozenset[str] = frozenset({"DT", "DET"})
    coordinators: frozenset[str] = frozenset({"and"})
    number_unmarked: bool = False
    """Whether a noun without number marking may be singular or plural, as in Chinese."""
    plural_endings: tuple[str, ...] = ()
    plural_words: frozenset[str] = frozenset()
    """Words of a noun phrase that make it plural, and words that make it singular: these, several, one."""
    singular_words: frozenset[str] = frozenset()
    feminine_endings: tuple[str, ...] = ()
    """Endings of feminine nouns in languages with grammatical gender, which does not imply animacy."""
    article: str = ""
    """A definite article that is written as part of the noun."""
    name_entities: frozenset[str] = frozenset()
    """Entity types whose mentions are names, whatever the tag of their head."""
    name_heads: frozenset[str] = frozenset()
    """Nouns that end a name whose first word is one: Peking University."""
    surnames: frozenset[str] = frozenset()
    """Surnames that come first in a name written without spaces."""
    reduce_tag: Callable[[str], str] = same
    """A treebank's tag in the short form that the other fields use."""
    plain: Callable[[str], str] = str.lower
    """A word in the form used in lists: without signs that writers may omit."""


def available() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(__path__)))


@cache
def load(name: str) -> Language:
    if name not in available():
        raise InputError(f"there is no language {name!r}; known are {', '.join(available())}")
    pack: Language = import_module(f"{__name__}.{name}").PACK
    return pack
