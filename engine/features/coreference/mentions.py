"""Which spans take part in coreference: extracted from parses or dependencies, or given.

Extraction takes noun phrases (of several with one head the largest), pronouns, possessives, and names; it leaves out
pronouns that refer to nothing ("it rains", "it is clear that"), numbers and amounts, and bare measures of time.
Spans are ordered as in Björkelund and Kuhn (2014, footnote 3): by start, of equal starts the longer one first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from engine.data.document import Document, Mention
from engine.data.errors import InputError
from engine.features.coreference.languages import Language
from engine.features.coreference.syntax import Constituent, constituents, governors, head_of

TokenSpan: TypeAlias = tuple[int, int]

_AMOUNTS: Final = frozenset({"CD", "$", "#"})
_LONGEST: Final = 60


def in_order(spans: Iterable[TokenSpan]) -> list[TokenSpan]:
    """Without repeats, by start, the longer first."""
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))


def given_spans(document: Document, mentions: Sequence[Mention]) -> list[TokenSpan]:
    """Token ranges of given mentions, in order."""
    spans = (document.token_range(mention.start, mention.end) for mention in mentions)
    return in_order(span for span in spans if span[0] < span[1])


def extract(document: Document, language: Language) -> list[TokenSpan]:
    """Mentions proposed for a document that has a parse, dependencies, or at least part-of-speech tags."""
    if not document.tokens:
        return []
    pos = _tags(document)
    if pos is None:
        raise InputError(
            f"document {document.id!r} has neither parse nor part-of-speech tags, so mentions cannot be extracted:"
            " give mentions (--set mentions=gold), or read it as plain text with a tagger installed"
        )
    words = [word.lower() for word in document.words]
    heads = governors(document)
    tree = constituents(document)
    if tree and any(node.label.split("-")[0] in language.noun_phrases for node in tree):
        phrases = _from_parse(tree, language)
    elif heads is not None:
        phrases = _from_dependencies(document, heads, pos, language)
    else:
        phrases = _from_tags(document, pos, language)
    spans = _largest_per_head(phrases, words, pos, heads, language)
    for first, last in document.sentences:
        for token in range(first, last):
            if pos[token] in language.pronoun_tags or (
                words[token] in language.pronouns and pos[token] in ("DT", "PRON")
            ):
                spans.add((token, token + 1))
    # A name that shares its head with a noun phrase is that noun phrase over again.
    taken = {head_of(start, end, words, pos, heads, language) for start, end in spans}
    names = [span for first, last in document.sentences for span in _names(first, last, pos, heads, language)]
    names += _recurring_names(spans | set(names), words, pos, language)
    spans.update(span for span in names if head_of(*span, words, pos, heads, language) not in taken)
    spans.update(_named_entities(document))
    spans.update(_events(document, words, pos, heads, language))
    return in_order(span for span in spans if _may_refer(span, words, pos, heads, language))


def _tags(document: Document) -> Sequence[str] | None:
    for name in ("pos", "upos"):
        column = document.columns.get(name)
        if column is not None and any(tag not in ("-", "_", None) for tag in column):
            return [str(tag) for tag in column]
    return None


def _from_parse(tree: list[Constituent], language: Language) -> list[TokenSpan]:
    return [
        (node.start, node.end)
        for node in tree
        if node.label.split("-")[0] in language.noun_phrases and node.end - node.start <= _LONGEST
    ]


def _from_dependencies(
    document: Document, heads: Sequence[int], pos: Sequence[str], language: Language
) -> list[TokenSpan]:
    """The projection of every noun: from its first to its last descendant."""
    spans = []
    for first, last in document.sentences:
        left = list(range(first, last))
        right = list(range(first, last))
        for token in range(first, last):
            at = token
            for _ in range(last - first):
                at = heads[at]
                if at < 0:
                    break
                left[at - first] = min(left[at - first], token)
                right[at - first] = max(right[at - first], token)
        for token in range(first, last):
            if pos[token] in language.noun_tags or pos[token] in ("NOUN", "PROPN"):
                spans.append((left[token - first], right[token - first] + 1))
    return spans


def _from_tags(document: Document, pos: Sequence[str], language: Language) -> list[TokenSpan]:
    """Runs of determiners, adjectives and nouns that end in a noun."""
    inside = language.noun_tags | {"DT", "DET", "JJ", "JJR", "JJS", "ADJ", "CD", "NUM", "PRP$", "NOUN", "PROPN", "POS"}
    nouns = language.noun_tags | {"NOUN", "PROPN"}
    spans = []
    for first, last in document.sentences:
        start = first
        while start < last:
            end = start
            while end < last and pos[end] in inside:
                end += 1
            stop = end
            while stop > start and pos[stop - 1] not in nouns:
                stop -= 1
            if stop > start:
                spans.append((start, stop))
            start = max(end, start + 1)
    return spans


def _largest_per_head(
    phrases: list[TokenSpan],
    words: Sequence[str],
    pos: Sequence[str],
    heads: Sequence[int] | None,
    language: Language,
) -> set[TokenSpan]:
    best: dict[tuple[int, bool], TokenSpan] = {}
    for start, end in phrases:
        head = head_of(start, end, words, pos, heads, language)
        # A coordination and its first member share a head but not a referent.
        coordinated = any(pos[token] in ("CC", "CCONJ") for token in range(head + 1, end)) and end - start > 2
        known = best.get((head, coordinated))
        if known is None or end - start > known[1] - known[0]:
            best[head, coordinated] = (start, end)
    return set(best.values())


def _names(
    first: int, last: int, pos: Sequence[str], heads: Sequence[int] | None, language: Language
) -> list[TokenSpan]:
    """Names inside other phrases: maximal runs of proper-noun tags that are a unit of their own."""
    spans = []
    token = first
    while token < last:
        if pos[token] in language.name_tags or pos[token] == "PROPN":
            end = token
            while end < last and (pos[end] in language.name_tags or pos[end] == "PROPN"):
                end += 1
            following = pos[end] if end < last else ""
            # Without dependencies a run before a noun is taken for a modifier that names something.
            if heads is None or following in ("POS",) or following in language.noun_tags:
                spans.append((token, end))
            token = end
        else:
            token += 1
    return spans


def _recurring_names(
    spans: set[TokenSpan], words: Sequence[str], pos: Sequence[str], language: Language
) -> list[TokenSpan]:
    """Names within longer names that also stand alone in the document: Alaska in the Alaska Permanent Fund."""
    is_name = [tag in language.name_tags or tag == "PROPN" for tag in pos]
    alone = {tuple(words[start:end]) for start, end in spans if end - start <= 3 and all(is_name[start:end])}
    lengths = {len(name) for name in alone}
    return [
        (start, start + length)
        for length in lengths
        for start in range(len(words) - length + 1)
        if is_name[start] and tuple(words[start : start + length]) in alone
    ]


def _events(
    document: Document, words: Sequence[str], pos: Sequence[str], heads: Sequence[int] | None, language: Language
) -> set[TokenSpan]:
    """Verbs that a demonstrative just after them may take up: they left; this surprised us."""
    spans: set[TokenSpan] = set()
    relations = document.columns.get("deprel")
    if heads is None or relations is None:
        return spans
    for number, (first, last) in enumerate(document.sentences):
        for token in range(first, last):
            if words[token] not in language.demonstrative or pos[token] != "DT":
                continue
            begin = document.sentences[number - 1][0] if number else first
            spans.update(
                (verb, verb + 1)
                for verb in range(begin, token)
                if pos[verb].startswith("V") and not str(relations[verb]).startswith(("aux", "cop"))
            )
    return spans


def _named_entities(document: Document) -> list[TokenSpan]:
    column = document.columns.get("ner")
    if column is None:
        return []
    spans = []
    start = -1
    for token, bits in enumerate(column):
        if not isinstance(bits, str):
            continue
        if bits.startswith("("):
            start = token
        if bits.endswith(")") and start >= 0:
            spans.append((start, token + 1))
            start = -1
    return spans


def _may_refer(
    span: TokenSpan, words: Sequence[str], pos: Sequence[str], heads: Sequence[int] | None, language: Language
) -> bool:
    start, end = span
    if end - start == 1:
        if pos[start] in ("EX", "WP", "WDT", "WRB", "WP$"):
            return False
        if words[start] in language.empty_subject and is_empty(start, words, language):
            return False
        if pos[start] in _AMOUNTS:
            return False
    elif pos[end - 1] in ("CD", "NN") and words[end - 1] in ("%", "percent"):
        return False
    return True


def is_empty(token: int, words: Sequence[str], language: Language) -> bool:
    """Whether a pronoun stands for nothing: "it seems that", "it is clear that"."""
    after = words[token + 1 : token + 9]
    if not after:
        return False
    if after[0] in language.empty_verbs:
        return True
    if after[0] in ("is", "was", "'s", "be", "would", "will", "may", "might", "can", "has"):
        for position, word in enumerate(after[1:6], 1):
            if word in language.empty_adjectives:
                return any(
                    later in ("that", "to", "for", "if", "when", "how", "whether") for later in after[position + 1 :]
                )
    return False
