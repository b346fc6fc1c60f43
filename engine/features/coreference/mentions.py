"""The mentions for coreference: extracted from parses or dependencies, or given.

Extraction takes noun phrases (the largest of those that share a head), pronouns, possessives, and names; it leaves out
pronouns that refer to nothing ("it rains", "it is clear that"), numbers and amounts, and bare measures of time. Spans
are ordered as in Björkelund and Kuhn (2014, footnote 3): by start, and for equal starts the longer one first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import compress, groupby
from typing import Final, TypeAlias

from engine.arrays import Flags
from engine.data.document import Document, Mention
from engine.data.errors import InputError
from engine.features.coreference.languages import Language
from engine.features.coreference.syntax import Tree, head_of
from engine.features.coreference.words import Words

TokenSpan: TypeAlias = tuple[int, int]

_AMOUNTS: Final = frozenset({"CD", "$", "#"})
_LONGEST: Final = 60
_MARKS: Final = frozenset({",", ":", ".", "PUNCT"})
_TAKEN_UP: Final = frozenset({"root", "ccomp", "advcl", "conj", "csubj", "parataxis"})
"""Relations of the clauses to which "this" or "that" may refer."""


def in_order(spans: Iterable[TokenSpan]) -> list[TokenSpan]:
    """The distinct spans, by start, the longer first."""
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))


def given_spans(document: Document, mentions: Sequence[Mention]) -> list[TokenSpan]:
    """Token ranges of given mentions, in order."""
    spans = (document.token_range(mention.start, mention.end) for mention in mentions)
    return in_order(span for span in spans if span[0] < span[1])


def extract(read: Words) -> list[TokenSpan]:
    """Mentions proposed for a document that has a parse, dependencies, or at least part-of-speech tags."""
    document, language = read.document, read.language
    words, pos, heads = read.lower, read.tags, read.governors
    if not words:
        return []
    if pos is None:
        raise InputError(
            f"document {document.id!r} has no part-of-speech tags, so no mentions can be found in it: give a file with"
            " tags, or use a model that was trained on given mentions"
        )
    noun_phrases = read.tree.are(language.noun_phrases)
    if noun_phrases.any():
        phrases = _from_parse(read.tree, noun_phrases)
    elif heads is not None:
        phrases = _from_dependencies(document, heads, pos, language)
    else:
        phrases = _from_tags(document, pos, language)
    phrases = [_without_final_marks(span, pos) for span in phrases]
    spans = _largest_per_head(phrases, words, pos, heads, language)
    spans.update(_first_members(document, spans, words, pos, heads, language))
    spans.update(_pronouns(read, pos))
    # A name that shares its head with a noun phrase would duplicate that noun phrase.
    taken = {head_of(start, end, words, pos, heads, language) for start, end in spans}
    is_name = _marked(pos, language.name_tags | {"PROPN"})
    names = _names(read, is_name, pos)
    names += _recurring_names(spans | set(names), words, is_name)
    spans.update(span for span in names if head_of(*span, words, pos, heads, language) not in taken)
    spans.update(read.entities.spans)
    spans.update(_events(read, pos))
    return in_order(span for span in spans if _may_refer(span, words, pos, heads, language))


def _marked(column: Sequence[str], wanted: AbstractSet[str]) -> list[bool]:
    """Whether each cell is one of those wanted."""
    return list(map(wanted.__contains__, column))


def _pronouns(read: Words, pos: Sequence[str]) -> list[TokenSpan]:
    language, words = read.language, read.lower
    relations = read.document.columns.get("deprel")
    could_be = language.determiner_tags | {"PRON"}
    return [
        (token, token + 1)
        for token, tag in enumerate(pos)
        if tag in language.pronoun_tags
        or (
            tag in could_be
            and words[token] in language.pronouns
            # "This" before a noun is not a mention by itself.
            and not _is_before_noun(token, read.sentences, pos, relations, language)
        )
    ]


def _is_before_noun(
    token: int,
    sentences: Sequence[TokenSpan],
    pos: Sequence[str],
    relations: Sequence[object] | None,
    language: Language,
) -> bool:
    """Whether a determiner belongs to a noun: by its relation or, without one, by the words up to the next noun."""
    if relations is not None:
        return relations[token] == "det"
    end = next(last for first, last in sentences if first <= token < last)
    at = token + 1
    while at < end and pos[at] in language.modifier_tags - language.noun_tags:
        at += 1
    return at < end and pos[at] in language.noun_tags


def _from_parse(tree: Tree, noun_phrases: Flags) -> list[TokenSpan]:
    kept = noun_phrases & (tree.end - tree.start <= _LONGEST)
    return list(zip(tree.start[kept].tolist(), tree.end[kept].tolist(), strict=True))


def _from_dependencies(
    document: Document, heads: Sequence[int], pos: Sequence[str], language: Language
) -> list[TokenSpan]:
    """The projection of every noun: from its first to its last descendant, without words that connect it to others."""
    spans = []
    relations = document.columns.get("deprel")
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
            # In Universal Dependencies a measure word is a noun, but it is not a mention.
            counts = relations is not None and relations[token] == "clf"
            if (pos[token] in language.noun_tags or pos[token] in ("NOUN", "PROPN")) and not counts:
                start = left[token - first]
                while relations is not None and start < token and relations[start] in ("cc", "punct"):
                    start += 1
                spans.append((start, right[token - first] + 1))
    return spans


def _from_tags(document: Document, pos: Sequence[str], language: Language) -> list[TokenSpan]:
    """Runs of determiners, adjectives and nouns that end in a noun."""
    inside = language.noun_tags | language.modifier_tags | language.determiner_tags
    inside |= {"DT", "DET", "JJ", "JJR", "JJS", "ADJ", "CD", "NUM", "PRP$", "NOUN", "PROPN", "POS"}
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


def _without_final_marks(span: TokenSpan, pos: Sequence[str]) -> TokenSpan:
    """The phrase without a comma or full stop that a parse may include at its end."""
    start, end = span
    while end - start > 1 and pos[end - 1] in _MARKS:
        end -= 1
    return start, end


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


def _first_members(
    document: Document,
    spans: set[TokenSpan],
    words: Sequence[str],
    pos: Sequence[str],
    heads: Sequence[int] | None,
    language: Language,
) -> list[TokenSpan]:
    """Names and definite phrases that begin a coordination and have no node of their own: Bert in Bert and I."""
    relations = document.columns.get("deprel")
    if heads is None or relations is None:
        return []
    known = language.definite | language.possessive | language.demonstrative
    found = []
    for start, end in spans:
        head = head_of(start, end, words, pos, heads, language)
        if pos[head] not in language.name_tags and words[start] not in known:
            continue
        second = next((at for at in range(head + 1, end) if heads[at] == head and relations[at] == "conj"), end)
        if second == end:
            continue
        # The second member begins at its leftmost word; what joins the two belongs to neither.
        stop = min([at for at in range(head + 1, second) if _is_under(at, second, heads)], default=second)
        while stop - 1 > head and pos[stop - 1] in ("CC", "CCONJ", *_MARKS):
            stop -= 1
        found.append((start, stop))
    return found


def _is_under(token: int, top: int, heads: Sequence[int]) -> bool:
    # A broken parse may contain cycles, so a path is limited to the number of tokens.
    for _ in range(len(heads)):
        if token in (top, -1):
            break
        token = heads[token]
    return token == top


def _names(read: Words, is_name: Sequence[bool], pos: Sequence[str]) -> list[TokenSpan]:
    """Names inside other phrases: maximal runs of proper-noun tags that are a unit of their own."""
    language, sentence_of = read.language, read.sentence_of.tolist()
    tokens = [token for first, last in read.sentences for token in compress(range(first, last), is_name[first:last])]
    spans = []
    for _, run in groupby(enumerate(tokens), key=lambda item: (item[1] - item[0], sentence_of[item[1]])):
        members = [token for _, token in run]
        end = members[-1] + 1
        following = pos[end] if end < read.sentences[sentence_of[end - 1]][1] else ""
        # Without dependencies, a run before a noun is assumed to be a modifier that is a name.
        if read.governors is None or following == "POS" or following in language.noun_tags:
            spans.append((members[0], end))
    return spans


def _recurring_names(spans: set[TokenSpan], words: Sequence[str], is_name: Sequence[bool]) -> list[TokenSpan]:
    """Names within longer names that also occur alone in the document: Alaska in the Alaska Permanent Fund."""
    alone = {tuple(words[start:end]) for start, end in spans if end - start <= 3 and all(is_name[start:end])}
    lengths = {len(name) for name in alone}
    starts = list(compress(range(len(words)), is_name))
    return [
        (start, start + length)
        for length in lengths
        for start in starts
        if start + length <= len(words) and tuple(words[start : start + length]) in alone
    ]


def _events(read: Words, pos: Sequence[str]) -> set[TokenSpan]:
    """Verbs to which a following demonstrative may refer: they left; this surprised us.

    A clause is represented by its first verb, auxiliaries included, as in OntoNotes.
    """
    spans: set[TokenSpan] = set()
    heads, column, demonstrative = read.governors, read.document.columns.get("deprel"), read.language.demonstrative
    pointing = [token for token, word in enumerate(read.lower) if word in demonstrative and pos[token] == "DT"]
    if heads is None or column is None or not pointing:
        return spans
    plain = {relation: str(relation).split(":")[0] for relation in set(column)}
    relations = [plain[relation] for relation in column]
    sentence = read.sentence_of.tolist()
    verb_of = _clause_verbs(pos, heads, relations)
    for token in pointing:
        number = sentence[token]
        begin = read.sentences[max(number - 1, 0)][0]
        for clause in range(begin, token):
            verb = verb_of.get(clause, token)
            if verb >= token:
                continue
            earlier = sentence[clause] < number
            alone = relations[token] != "det" and relations[clause] in _TAKEN_UP
            before_noun = earlier and relations[clause] in ("root", "ccomp", "csubj")
            if alone or before_noun:
                spans.add((verb, verb + 1))
    return spans


def _clause_verbs(pos: Sequence[str], heads: Sequence[int], relations: Sequence[str]) -> dict[int, int]:
    """Head of a clause -> its first verb."""
    first: dict[int, int] = {}
    verbal = {tag for tag in set(pos) if tag.startswith("V")}
    for token, tag in enumerate(pos):
        if tag not in verbal:
            continue
        clause = heads[token] if relations[token] in ("aux", "cop") and heads[token] > token else token
        first.setdefault(clause, token)
    return first


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
    """Whether a pronoun is pleonastic: "it seems that", "it is clear that"."""
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
