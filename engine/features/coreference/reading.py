"""Describes the mentions of a document: words, head, role, gender, number, animacy, speaker; "" is unknown.

Every attribute is a column over all mentions. Most are cut out of columns over the words by the place of a mention's
first word, last word or head; only what depends on several words of a mention is found mention by mention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Ints
from engine.features.coreference.attributes import ANIMACIES, GENDERS, NUMBERS, TYPES, MentionTable
from engine.features.coreference.discourse import quotations
from engine.features.coreference.languages import Language
from engine.features.coreference.mentions import TokenSpan
from engine.features.coreference.natures import PERSONS, Nature, Natures
from engine.features.coreference.syntax import head_of
from engine.features.coreference.texts import Texts
from engine.features.coreference.words import Words

_BEGIN, _END = "<s>", "</s>"
_OWNERS: Final = ("'s", "’s", "'")
_FIRST_WORDS: Final = (_BEGIN, "and", "but", ",", '"', ";")


class _Mentions(NamedTuple):
    """Where the mentions stand in the document, by numbers of tokens."""

    start: Ints
    end: Ints
    head: Ints
    governor: Ints
    """The governor of the head, -1 if there is none."""
    before: Ints
    """The token before, or the first row after all tokens if a sentence begins here ..."""
    after: Ints
    """... and the token after, or the second row if it ends."""
    first: Ints
    """The first token of the sentence."""


def describe(
    read: Words,
    spans: Sequence[TokenSpan],
    *,
    gender_of: Mapping[str, str] | None = None,
    given: Mapping[TokenSpan, tuple[str, str]] | None = None,
) -> MentionTable:
    """The table of a document's mentions, in order. `given` holds (entity type, P/N/C) of spans for which the source
    states them."""
    at = _places(read, spans)
    lower = Texts.of([*read.lower, _BEGIN, _END])
    lemma = _lemmas(read, lower)
    rules = Natures(read, gender_of or {}, given or {}, list(lemma))
    natures = [rules.of(start, end, head) for (start, end), head in zip(spans, at.head.tolist(), strict=True)]
    text, numeric = _nature(natures)
    text |= _words_of(read, at, lower, lemma, numeric["type"] == TYPES.index("N"))
    text |= _surroundings(read, at, lower, lemma)
    text |= _discourse(read, at, numeric)
    text |= _context(at, text["type"], text["_string"], text["lemma"])
    for name in ("entity", "_string", "head", "lemma", "modifier", "_first_name", "_initials", "_speaker"):
        numeric[name.removeprefix("_")] = text[name].numbers
    numeric["subject"] = text["relation"].are(lambda relation: relation.startswith(("nsubj", "S-"))).astype(np.int64)
    numeric |= {"governor": at.governor, "head_token": at.head, "start": at.start, "end": at.end}
    words, offsets = _content(read.language, at, lower)
    shown = {name: column for name, column in text.items() if not name.startswith("_")}
    return MentionTable(tuple(spans), shown, numeric, words, offsets)


def _places(read: Words, spans: Sequence[TokenSpan]) -> _Mentions:
    start, end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    head = [head_of(*span, read.lower, read.told_tags, read.governors, read.language) for span in spans]
    first, last = np.array(read.sentences, dtype=np.int64).reshape(-1, 2)[read.sentence_of[start]].T
    n = len(read.lower)
    governors = np.full(n, -1) if read.governors is None else np.array(read.governors, dtype=np.int64)
    return _Mentions(
        start=np.ascontiguousarray(start),
        end=np.ascontiguousarray(end),
        head=np.array(head, dtype=np.int64),
        governor=governors[head] if head else np.zeros(0, dtype=np.int64),
        before=np.where(start > first, start - 1, n),
        after=np.where(end < last, end, n + 1),
        first=first,
    )


def _lemmas(read: Words, lower: Texts) -> Texts:
    """The lemma of each token, or its singular by its ending."""
    if read.lemmas is not None:
        return Texts.of(read.lemmas).mapped(str.lower)
    return lower.mapped(lambda word: _singular(word, read.language))


def _singular(word: str, language: Language) -> str:
    word = word.removeprefix(language.article)
    word = next((word.removesuffix(end) for end in language.plural_endings if word.endswith(end)), word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-3] + "y" if word.endswith("ies") else word[:-1]
    return word


def _nature(natures: Sequence[Nature]) -> tuple[dict[str, Texts], dict[str, Ints]]:
    """What kind of thing each is: pronoun, name or noun, of which entity type, gender, number and animacy."""
    columns = Nature(*zip(*natures, strict=True)) if natures else Nature(*[()] * len(Nature._fields))  # type: ignore[arg-type]
    text = {name: Texts.of(column) for name, column in columns._asdict().items() if name != "person"}
    numeric = {}
    for name, choices in (
        ("type", TYPES),
        ("gender", GENDERS),
        ("number", NUMBERS),
        ("animacy", ANIMACIES),
        ("person", PERSONS),
    ):
        place = {choice: number for number, choice in enumerate(choices)}
        column = getattr(columns, name)
        numeric[name] = np.fromiter(map(place.__getitem__, column), np.int64, len(column))
    n, m = len(NUMBERS), len(ANIMACIES)

    def agreement(key: int) -> str:
        told = GENDERS[key // (n * m)], NUMBERS[key // m % n], ANIMACIES[key % m]
        return " ".join(one or "?" for one in told)

    text["agree"] = Texts.named((numeric["gender"] * n + numeric["number"]) * m + numeric["animacy"], agreement)
    return text, numeric


def _words_of(read: Words, at: _Mentions, lower: Texts, lemma: Texts, is_name: Flags) -> dict[str, Texts]:
    """Attributes of their own words."""
    language, low, length = read.language, read.lower, at.end - at.start
    stop = lower.are(language.stopwords.__contains__)
    capital = Texts.of(read.written).are(lambda word: word[:1].isupper())
    n_stop, n_capital = _within(stop, at), _within(capital, at)
    modified = (at.head > at.start) & ~stop[at.head - 1]
    spans = list(zip(at.start.tolist(), at.end.tolist(), strict=True))
    head = lower.at(at.head)

    def string(start: int, end: int, stops: int) -> str:
        if end - start == 1:
            return low[start]
        if stops in (0, end - start):
            return " ".join(low[start:end])
        return " ".join([word for word in low[start:end] if word not in language.stopwords])

    def owner(word: str) -> str:
        owns = word in language.possessive and word in language.pronouns
        return language.pronouns[word].base if owns else ""

    return {
        "form": Texts.of([" ".join(low[start:end]) if end - start <= 3 else "" for start, end in spans]),
        "head": head,
        "lemma": lemma.at(at.head),
        "first": lower.at(at.start),
        "last": lower.at(at.end - 1),
        "length": Texts.named(np.minimum(length, 8), str),
        "modifier": lower.at(at.head - 1).where(modified),
        "suffix": head.mapped(lambda word: word[-3:]),
        "shape": Texts.named(np.minimum(n_capital, 3) * 4 + np.minimum(length, 3), lambda key: f"{key // 4}/{key % 4}"),
        "possessed": lower.at(at.start).mapped(owner).where(length > 1),
        "_string": Texts.of([string(*span, stops) for span, stops in zip(spans, n_stop.tolist(), strict=True)]),
        "_first_name": lower.at(at.start).where(is_name),
        "_initials": _initials(read, at, capital, n_capital, is_name),
    }


def _initials(read: Words, at: _Mentions, capital: Flags, n_capital: Ints, is_name: Flags) -> Texts:
    """First letters of a name's words: the capital ones or, if there are none, all; the head of other mentions."""
    found = [read.lower[head] for head in at.head.tolist()]
    several = at.end - at.start > 1
    for row in np.flatnonzero((n_capital > 1) | (is_name & several)).tolist():
        start, end = int(at.start[row]), int(at.end[row])
        words = read.written[start:end]
        if n_capital[row] > 1:
            letters = [word[0] for word, upper in zip(words, capital[start:end].tolist(), strict=True) if upper]
            found[row] = "".join(letters).lower()
        else:
            written = "".join(words)
            if written.lower() == written.upper():
                found[row] = "".join(word[0] for word in read.lower[start:end])
    return Texts.of(found)


def _surroundings(read: Words, at: _Mentions, lower: Texts, lemma: Texts) -> dict[str, Texts]:
    """The words around them, what governs them, and their place in the sentence."""
    before, after = lower.at(at.before), lower.at(at.after)
    nothing = Texts.of([""] * len(at.start))
    pos = around = nothing
    if read.told_tags:
        tags = Texts.of([*read.told_tags, _BEGIN, _END])
        pos, around = tags.at(at.head), tags.at(at.before).joined(tags.at(at.after))
    if read.relations is not None and read.governors is not None:
        relation = Texts.of(read.relations).at(at.head)
        governing = (lemma if read.lemmas is not None else lower).at(at.governor).where(at.governor >= 0)
    else:
        roles = [_role(*around_it, read.language) for around_it in zip(before, after, strict=True)]
        relation, governing = Texts.of([role for role, _ in roles]), Texts.of([word for _, word in roles])
    sentence, distance = np.minimum(read.sentence_of[at.start], 3), at.start - at.first
    for least, beyond in ((3, 6), (6, 12)):
        distance = np.where((distance >= least) & (distance < beyond), least, distance)
    distance = np.minimum(distance, 12)
    return {
        "before": before,
        "after": after,
        "pos": pos,
        "around": around,
        "relation": relation,
        "governor": governing,
        "role": relation.joined(governing),
        "path": Texts.of(read.tree.paths(at.start, at.end)),
        "place": Texts.named(distance * 4 + sentence, lambda key: f"{key % 4} {_DISTANCES.get(key // 4, key // 4)}"),
    }


_DISTANCES: Final = {3: "3-5", 6: "6-11", 12: "12+"}


def _role(before: str, after: str, language: Language) -> tuple[str, str]:
    """Relation and governor without a parse: a verb tends to follow a subject, a preposition to precede an object."""
    if after in _OWNERS:
        return "owner", before
    if before in language.prepositions:
        return "after preposition", before
    if before in _FIRST_WORDS:
        return "S-initial", after
    return "inside", before


def _discourse(read: Words, at: _Mentions, numeric: dict[str, Ints]) -> dict[str, Texts]:
    """Who says them, and where in the text; the numbers are added to `numeric`."""
    speakers = Texts.of(read.speakers)
    quotes, said_by = quotations(read.written, read.language)
    quote = np.array(quotes, dtype=np.int64)[at.start]
    turns = np.cumsum(np.diff(speakers.numbers, prepend=speakers.numbers[:1]) != 0)
    numeric["sentence"] = read.sentence_of[at.start]
    numeric["turn"] = turns[at.start]
    numeric["quote"] = quote
    numeric["said_by"] = np.array([said_by.get(number, -1) for number in quote.tolist()], dtype=np.int64)
    return {
        "_speaker": speakers.at(at.start),
        "quoted": Texts.of(["", "quoted"]).at((quote > 0).astype(np.int64)),
    }


def _context(at: _Mentions, type_: Texts, string: Texts, lemma: Texts) -> dict[str, Texts]:
    """Attributes that depend on other mentions."""
    rows = list(zip(type_, string.numbers.tolist(), lemma.numbers.tolist(), strict=True))
    return {
        "seen": Texts.of(_seen(rows)),
        "again": Texts.of(_seen(rows[::-1])[::-1]),
        "nested": _nested(at),
    }


def _seen(rows: Sequence[tuple[str, int, int]]) -> list[str]:
    """Whether words or head of a mention occurred before it; type, number of the words and number of the head."""
    strings: set[int] = set()
    heads: set[int] = set()
    out = []
    for type_, string, head in rows:
        if type_ == "P":
            out.append("")
            continue
        out.append("words" if string in strings else "head" if head in heads else "new")
        strings.add(string)
        heads.add(head)
    return out


def _nested(at: _Mentions) -> Texts:
    """Whether each mention is inside another, or one that begins in it is. Mentions are in order, so those around a
    mention are among the ones before it."""
    n = len(at.start)
    reach = np.maximum.accumulate(at.end)
    inside = np.zeros(n, dtype=np.bool_)
    inside[1:] = reach[:-1] >= at.end[1:]
    # Where the next mention begins that is inside another.
    begins = np.minimum.accumulate(np.where(inside, at.start, np.iinfo(np.int64).max)[::-1])[::-1]
    around = np.zeros(n, dtype=np.bool_)
    around[:-1] = begins[1:] < at.end[:-1]
    return Texts.of(["", "inside", "around"]).at(np.where(inside, 1, np.where(around, 2, 0)))


def _within(marks: Flags, at: _Mentions) -> Ints:
    """The number of marked tokens in each mention."""
    counts = np.concatenate([[0], np.cumsum(marks)])
    inside: Ints = counts[at.end] - counts[at.start]
    return inside


def _content(language: Language, at: _Mentions, lower: Texts) -> tuple[Ints, Ints]:
    """The numbers of the distinct content words of all mentions, and where those of each begin."""
    content = lower.are(lambda word: word not in language.stopwords and any(map(str.isalnum, word)))
    length, n = at.end - at.start, len(at.start)
    row = np.repeat(np.arange(n), length)
    token = np.arange(len(row)) + np.repeat(at.start - (np.cumsum(length) - length), length)
    kept, size = content[token], len(lower.distinct.texts)
    keys = np.unique(row[kept] * size + lower.numbers[token[kept]])
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys // size, minlength=n), out=offsets[1:])
    return keys % size, offsets
