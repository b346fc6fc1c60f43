"""The attributes of one mention at a time: what the columns of the engine must agree with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from engine.data.document import Document
from engine.features.coreference.languages import Language
from engine.features.coreference.mentions import TokenSpan
from engine.features.coreference.natures import PERSONS
from engine.features.coreference.syntax import head_of
from tests.features.slow_syntax import PathsToSentence, governors, quotations, turns_of

_SPEAKER_UNKNOWN: Final = frozenset({"-", "_", "", "*", None})


class Reader:
    """One document, prepared for reading many mentions of it."""

    def __init__(
        self,
        document: Document,
        language: Language,
        gender_of: Mapping[str, str],
        given: Mapping[TokenSpan, tuple[str, str]],
    ) -> None:
        self.language = language
        self.gender_of = gender_of
        self.given = given
        self.words = document.words
        self.lower = [language.plain(word) for word in document.words]
        columns = document.columns
        tags = _usable(columns.get("pos")) or _usable(columns.get("upos"))
        self.pos = tags and [language.reduce_tag(tag) for tag in tags]
        self.lemmas = _usable(columns.get("deplemma")) or _usable(columns.get("lemma_all"))
        self.relations = _usable(columns.get("deprel"))
        self.governors = governors(document)
        self.entities = _entity_types(columns.get("ner"))
        speakers = columns.get("speaker")
        self.speakers = (
            ["" if speaker in _SPEAKER_UNKNOWN else str(speaker) for speaker in speakers]
            if speakers is not None
            else [""] * len(self.words)
        )
        self.sentence_of = [0] * len(self.words)
        self.sentences = document.sentences
        for number, (first, last) in enumerate(document.sentences):
            for token in range(first, last):
                self.sentence_of[token] = number
        self.turns = turns_of(self.speakers)
        self.quotes, self.said_by = quotations(self.words, language)
        self.paths = PathsToSentence(document)

    def row(self, start: int, end: int) -> dict[str, str]:
        """All attributes of a mention by name; names that begin with _ are for comparisons only."""
        head = head_of(start, end, self.lower, self.pos, self.governors, self.language)
        row = self._nature(start, end, head)
        row.update(self._wording(start, end, head, row["type"]))
        row.update(self._surroundings(start, end, head))
        row.update(self._discourse(start))
        return row

    def _nature(self, start: int, end: int, head: int) -> dict[str, str]:
        """What kind of thing it is: pronoun, name or noun, of which entity type, gender, number and animacy."""
        first = self.lower[start]
        pronoun = self.language.pronouns.get(first) if end - start == 1 else None
        entity, stated = self.given.get((start, end), ("", ""))
        entity = entity or self.entities.get((start, end), "") or self.entities.get((head,), "")
        type_ = stated or self._type(start, end, head, pronoun is not None)
        if type_ == "C" and not stated and self._is_name(start, end, head, entity):
            type_ = "N"
        if type_ != "P":
            pronoun = None
        elif pronoun is None:
            pronoun = self.language.pronouns.get(first)
        tag = self.pos[head] if self.pos else ""
        if pronoun is not None:
            person, gender, number, animacy = pronoun.person, pronoun.gender, pronoun.number, pronoun.animacy
        else:
            person = "3"
            gender, number, animacy = self._agreement(start, end, head, tag, entity, type_)
        return {
            "type": type_,
            "kind": self._kind(start, end, type_, first if pronoun is None else pronoun.base),
            "pos": tag,
            "gender": gender,
            "number": number,
            "animacy": animacy,
            "agree": f"{gender or '?'} {number or '?'} {animacy or '?'}",
            "entity": entity,
            "_person": person if person in PERSONS else "3",
        }

    def _wording(self, start: int, end: int, head: int, type_: str) -> dict[str, str]:
        """Attributes of its own words."""
        lower, language = self.lower, self.language
        first, modifier = lower[start], lower[head - 1] if head > start else ""
        content = [word for word in lower[start:end] if word not in language.stopwords]
        capitals = [word for word in self.words[start:end] if word[:1].isupper()]
        owned = end - start > 1 and first in language.possessive and first in language.pronouns
        return {
            "form": " ".join(lower[start:end]) if end - start <= 3 else "",
            "head": lower[head],
            "lemma": self._lemma(head),
            "first": first,
            "last": lower[end - 1],
            "length": str(min(end - start, 8)),
            "modifier": "" if modifier in language.stopwords else modifier,
            "suffix": lower[head][-3:],
            "shape": f"{min(len(capitals), 3)}/{min(end - start, 3)}",
            "possessed": language.pronouns[first].base if owned else "",
            "_head": str(head),
            "_string": " ".join(content) or " ".join(lower[start:end]),
            "_first_name": first if type_ == "N" else "",
            "_initials": self._initials(start, end, head, capitals, type_),
        }

    def _initials(self, start: int, end: int, head: int, capitals: Sequence[str], type_: str) -> str:
        """First letters of a name's words: the capital ones or, if there are none, all."""
        if len(capitals) > 1:
            return "".join(word[0] for word in capitals).lower()
        written = "".join(self.words[start:end])
        if type_ == "N" and end - start > 1 and written.lower() == written.upper():
            return "".join(word[0] for word in self.lower[start:end])
        return self.lower[head]

    def _surroundings(self, start: int, end: int, head: int) -> dict[str, str]:
        """The words around it, what governs it, and its place in the sentence."""
        first, last = self.sentences[self.sentence_of[start]]
        before = self.lower[start - 1] if start > first else "<s>"
        after = self.lower[end] if end < last else "</s>"
        around = ""
        if self.pos:
            around = f"{self.pos[start - 1] if start > first else '<s>'} {self.pos[end] if end < last else '</s>'}"
        governor = self.governors[head] if self.governors is not None else -1
        relation, governor_lemma = self._role(head, start, governor, before, after)
        return {
            "before": before,
            "after": after,
            "around": around,
            "relation": relation,
            "governor": governor_lemma,
            "role": f"{relation} {governor_lemma}",
            "path": self.paths.of(start, end),
            "place": f"{min(self.sentence_of[start], 3)} {_bucket(start - first)}",
            "_governor": str(governor),
        }

    def _discourse(self, start: int) -> dict[str, str]:
        """Who says it, and where in the text."""
        quote = self.quotes[start]
        return {
            "quoted": "quoted" if quote else "",
            "_sentence": str(self.sentence_of[start]),
            "_speaker": self.speakers[start],
            "_turn": str(self.turns[start]),
            "_quote": str(quote),
            "_said_by": str(self.said_by.get(quote, -1)),
        }

    def content(self, start: int, end: int) -> set[str]:
        """The distinct content words."""
        stop = self.language.stopwords
        return {word for word in self.lower[start:end] if word not in stop and any(map(str.isalnum, word))}

    def _type(self, start: int, end: int, head: int, is_pronoun: bool) -> str:
        if is_pronoun:
            return "P"
        if self.pos:
            if self.pos[head] in self.language.pronoun_tags and end - start == 1:
                return "P"
            return "N" if self.pos[head] in self.language.name_tags or self.pos[head] == "PROPN" else "C"
        return "N" if self.words[head][:1].isupper() and (end - start > 1 or start == head) else "C"

    def _is_name(self, start: int, end: int, head: int, entity: str) -> bool:
        """Whether a phrase with a common noun as its head is a name: it is marked as one, or it begins with a name and
        ends in a noun that is typical of organisations and places."""
        language = self.language
        marked = (start, end) in self.entities and entity in language.name_entities
        made = end - start > 1 and self.lower[head] in language.name_heads and self.pos is not None
        return marked or (made and self.pos is not None and self.pos[start] in language.name_tags)

    def _kind(self, start: int, end: int, type_: str, base: str) -> str:
        if type_ == "P":
            return base
        language, first = self.language, self.lower[start]
        if type_ == "N":
            return "name" if first not in language.definite else "the name"
        if self.pos and self.pos[start].startswith("V"):
            return "verb"
        if end - start > 1:
            for kind in ("definite", "indefinite", "demonstrative", "possessive"):
                if first in getattr(language, kind):
                    return kind
            if first in language.quantifiers:
                return "quantified"
            if language.head_first and self.pos and "PRP$" in self.pos[start:end]:
                return "possessive"
            if self.pos and self.pos[start] == "CD":
                return "counted"
            if "'s" in self.lower[start:end] or "’s" in self.lower[start:end]:
                return "genitive"
        if language.article and self.lower[start].startswith(language.article):
            return "definite"
        return "bare"

    def _lemma(self, head: int) -> str:
        if self.lemmas:
            return self.lemmas[head].lower()
        word = self.lower[head].removeprefix(self.language.article)
        word = next((word.removesuffix(end) for end in self.language.plural_endings if word.endswith(end)), word)
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-3] + "y" if word.endswith("ies") else word[:-1]
        return word

    def _agreement(self, start: int, end: int, head: int, tag: str, entity: str, type_: str) -> tuple[str, str, str]:
        """Gender, number and animacy of a name or noun, from tags, entity type and lists."""
        language, lower = self.language, self.lower
        person = entity.upper() in ("PER", "PERSON") or (type_ == "N" and not entity and self._is_full_name(start, end))
        listed = self.gender_of.get(" ".join(lower[start:end]), "") if end - start > 1 else ""
        # A title or first name is more informative than a surname, and a head noun more than its modifiers.
        order = [*range(start, end)] if type_ == "N" else [head, *range(start, head)]
        for token in () if listed else order:
            word = lower[token]
            if type_ != "N" and token != head and word not in ("mr.", "mrs.", "male", "female"):
                continue
            listed = language.gender.get(word, "") or (self.gender_of.get(word, "") if token in (start, head) else "")
            if listed:
                break
        number = "plural" if listed == "plural" else self._number(start, end, head, tag, type_)
        gender = listed if listed in ("male", "female", "neutral") else ""
        if person and gender == "neutral":
            gender = ""
        animacy = "animate" if person or gender in ("male", "female") else "inanimate" if gender == "neutral" else ""
        if not gender and lower[head].endswith(language.feminine_endings):
            gender = "female"
        if entity and not person and entity.upper() not in ("ANIMAL",):
            animacy = "inanimate"
            # With grammatical gender, a thing keeps the gender of its word.
            neuter = "" if number == "plural" else "neutral"
            gender = gender if language.feminine_endings else neuter
        return gender, number, animacy

    def _is_full_name(self, start: int, end: int) -> bool:
        """Whether a single word consists of a surname and a given name of one or two characters."""
        word = self.words[start]
        return end - start == 1 and len(word) in (2, 3) and word[0] in self.language.surnames

    def _number(self, start: int, end: int, head: int, tag: str, type_: str) -> str:
        """Singular or plural by tags, endings and the words around the head; "" if nouns need not mark it."""
        language, lower = self.language, self.lower
        coordinated = any(lower[token] in language.coordinators for token in range(start + 1, end - 1))
        plural_tag = tag in language.plural_tags or (not self.pos and lower[head] != self._lemma(head) and type_ == "C")
        if plural_tag or (coordinated and (type_ != "C" or language.number_unmarked)):
            return "plural"
        if not language.number_unmarked:
            return "singular"
        others = [lower[token] for token in range(start, end) if token != head]
        if lower[head].endswith(language.plural_endings) or language.plural_words.intersection(others):
            return "plural"
        return "singular" if type_ == "N" or language.singular_words.intersection(others) else ""

    def _role(self, head: int, start: int, governor: int, before: str, after: str) -> tuple[str, str]:
        if self.relations and self.governors is not None:
            relation = self.relations[head]
            return relation, (
                self.lemmas[governor].lower() if self.lemmas else self.lower[governor]
            ) if governor >= 0 else ""
        # Without a parse, use the neighbours: a verb tends to follow a subject, a preposition to precede an object.
        if after in ("'s", "’s", "'"):
            return "owner", before
        if before in self.language.prepositions:
            return "after preposition", before
        if before == "<s>" or before in ("and", "but", ",", '"', ";"):
            return "S-initial", after
        return "inside", before


def _usable(column: Sequence[object] | None) -> list[str] | None:
    if column is None or all(value in ("-", "_", None, "*") for value in column):
        return None
    return [str(value) for value in column]


def _entity_types(column: Sequence[object] | None) -> dict[tuple[int, ...], str]:
    """Entity type by span and by each token in it."""
    types: dict[tuple[int, ...], str] = {}
    if column is None:
        return types
    start, label = -1, ""
    for token, bits in enumerate(column):
        if not isinstance(bits, str):
            continue
        if bits.startswith("("):
            start, label = token, bits.strip("()*")
        if start >= 0:
            types[(token,)] = label
        if bits.endswith(")") and start >= 0:
            types[start, token + 1] = label
            start = -1
    return types


def _bucket(n: int) -> str:
    return str(n) if n < 3 else "3-5" if n < 6 else "6-11" if n < 12 else "12+"


def seen(rows: list[dict[str, str]]) -> list[str]:
    strings: set[str] = set()
    heads: dict[str, int] = defaultdict(int)
    out = []
    for row in rows:
        if row["type"] == "P":
            out.append("")
            continue
        out.append("words" if row["_string"] in strings else "head" if heads[row["lemma"]] else "new")
        strings.add(row["_string"])
        heads[row["lemma"]] += 1
    return out


def nested(spans: Sequence[TokenSpan]) -> list[str]:
    """Whether each mention is nested. Spans are in order, so those around a mention are among the ones before it."""
    out = [""] * len(spans)
    open_: list[int] = []
    for position, (start, end) in enumerate(spans):
        open_ = [other for other in open_ if spans[other][1] > start]
        if any(spans[other][1] >= end for other in open_):
            out[position] = "inside"
            for other in open_:
                out[other] = out[other] or "around"
        open_.append(position)
    return out
