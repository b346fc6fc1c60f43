"""What a language has to tell coreference. Adding a language is one file here that defines PACK.

Everything is optional: a language without lists still has distances, strings, speakers and what the corpus learns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules

from engine.data.errors import InputError


@dataclass(frozen=True)
class Pronoun:
    """What a pronoun says of its referent. Empty text is unknown."""

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
    """Whether the head of a noun phrase stands first, as in Arabic."""


def available() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def load(name: str) -> Language:
    if name not in available():
        raise InputError(f"there is no language {name!r}; known are {', '.join(available())}")
    pack: Language = import_module(f"{__name__}.{name}").PACK
    return pack
