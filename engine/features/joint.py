"""Features of entity mentions and of ordered pairs of them, after Roth and Yih (2004), section 4 and table 1.

An entity sees a window of words and tags around it with their conjunctions, and of itself its words, affixes, case,
length and gazetteers. A pair sees both arguments, the words between and around them, and argument patterns such as
"arg1 , arg2", "arg1 ... a native of arg2", "arg2 title arg1". A feature is a readable name; it is on or off.
The relation classifier of the pipeline sees the types predicted for entities as well: `typed_features`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from engine.data.document import Document, Mention
from engine.features.wordlists import LISTS, TRIGGERS

Gazetteers = Mapping[str, frozenset[str]]
"""Name of a list -> phrases in it, lower case."""

EDGE: Final = "<>"

_TELLING: Final = ("is ", "ends org", "starts given")
"""Entries of the lists that say most about what a phrase names."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """What templates look at: words, tags, and the token ranges of the mentions."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    gazetteers: Gazetteers

    @classmethod
    def of(cls, document: Document, mentions: Sequence[Mention], gazetteers: Gazetteers) -> Sentence:
        words = document.words
        tags = document.columns.get("pos")
        return cls(
            words=words,
            tags=tuple(map(str, tags)) if tags is not None else tuple(map(shape, words)),
            spans=tuple(_tokens(document, mention) for mention in mentions),
            gazetteers=gazetteers,
        )

    @cached_property
    def low(self) -> tuple[str, ...]:
        """Lower-case words with digits folded: years and amounts generalise."""
        return tuple("".join("0" if c.isdigit() else c for c in word.lower()) for word in self.words)

    @cached_property
    def owner(self) -> tuple[int, ...]:
        """Which mention covers each token; -1 where none does."""
        owner = [-1] * len(self.words)
        for index, (start, end) in enumerate(self.spans):
            for token in range(start, end):
                owner[token] = index
        return tuple(owner)

    @cached_property
    def kinds(self) -> tuple[tuple[str, ...], ...]:
        """What the lists know of each mention: the phrase as a whole, its first, last and any word."""
        return tuple(tuple(self._kinds(start, end)) for start, end in self.spans)

    @cached_property
    def briefs(self) -> tuple[tuple[str, ...], ...]:
        """The few features of each mention that enter conjunctions over pairs."""
        return tuple(self._brief(index) for index in range(len(self.spans)))

    def word(self, token: int) -> str:
        return self.low[token] if 0 <= token < len(self.low) else EDGE

    def tag(self, token: int) -> str:
        return self.tags[token] if 0 <= token < len(self.tags) else EDGE

    def phrase(self, index: int) -> str:
        start, end = self.spans[index]
        return " ".join(self.words[start:end]).lower()

    def _kinds(self, start: int, end: int) -> list[str]:
        words = [word.lower() for word in self.words[start:end]]
        phrase = " ".join(words)
        found = []
        for name, entries in (*LISTS.items(), *self.gazetteers.items()):
            if phrase in entries:
                found.append(f"is {name}")
            if words[0] in entries:
                found.append(f"starts {name}")
            if words[-1] in entries:
                found.append(f"ends {name}")
            if any(word in entries for word in words):
                found.append(f"has {name}")
        # "Linden , Ala." and the like: a place name that carries its state.
        if "," in words and words[-1] in LISTS["state"]:
            found.append("is place, state")
        return found

    def _brief(self, index: int) -> tuple[str, ...]:
        start, end = self.spans[index]
        kinds = [kind for kind in self.kinds[index] if kind.startswith(_TELLING)]
        return (f"last={self.low[end - 1]}", f"shape={_phrase_shape(self.words[start:end])}", *kinds)


def _tokens(document: Document, mention: Mention) -> tuple[int, int]:
    start, end = document.token_range(mention.start, mention.end)
    return (
        (start, end)
        if start < end
        else (min(start, len(document.tokens) - 1), min(start, len(document.tokens) - 1) + 1)
    )


def shape(word: str) -> str:
    """Case and kind of characters, runs folded: "McCain" -> "AaAa", "50-mph" -> "0-a"."""
    folded: list[str] = []
    for c in word:
        kind = "A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c
        if not folded or folded[-1] != kind:
            folded.append(kind)
    return "".join(folded[:6])


def _phrase_shape(words: Sequence[str]) -> str:
    return " ".join(shape(word) for word in words[:4]) + ("+" if len(words) > 4 else "")


# --- one entity -------------------------------------------------------------------------------------------------------


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
    out = [f"shape={_phrase_shape(words)}", f"last shape={shape(words[-1])}"]
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
    """Gazetteers that know the phrase or its words."""
    return [f"phrase {kind}" for kind in s.kinds[i]]


def phrase_place(s: Sentence, i: int) -> list[str]:
    """Where in the sentence the phrase stands, and whether the sentence repeats a word of it."""
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
)


# --- an ordered pair --------------------------------------------------------------------------------------------------


def _order(s: Sentence, i: int, j: int) -> tuple[str, int, int]:
    """ ">" when the first argument stands first; then the token range between the two."""
    if s.spans[i] <= s.spans[j]:
        return ">", s.spans[i][1], s.spans[j][0]
    return "<", s.spans[j][1], s.spans[i][0]


def _between(s: Sentence, i: int, j: int, name: Callable[[int], str]) -> list[str]:
    """The words between, every other mention folded into one symbol."""
    _, start, end = _order(s, i, j)
    out: list[str] = []
    for token in range(start, end):
        owner = s.owner[token]
        if owner < 0:
            out.append(s.low[token])
        elif token == s.spans[owner][0] or not out:
            out.append(name(owner))
    return out


def arguments(s: Sentence, i: int, j: int) -> list[str]:
    """Both arguments, each alone and conjoined."""
    order, _, _ = _order(s, i, j)
    out = []
    for role, index in (("1", i), ("2", j)):
        start, end = s.spans[index]
        low = s.low[start:end]
        out += [f"{role}: {brief}" for brief in s.briefs[index]]
        out += [f"{role}: phrase={' '.join(low)}", f"{role}: length={min(len(low), 4)}"]
        out += [f"{role}: {kind}" for kind in s.kinds[index] if kind.startswith("has ")]
        out += [f"{role}: suffix={low[-1][-3:]}", f"{role}: tag={s.tags[end - 1]}"]
        out += [f"{role}: left={s.word(start - 1)}", f"{role}: right={s.word(end)}"]
        out += [
            f"{role}: left2={s.word(start - 2)} {s.word(start - 1)}",
            f"{role}: right2={s.word(end)} {s.word(end + 1)}",
        ]
    out += [f"{order} {a} & {b}" for a in s.briefs[i] for b in s.briefs[j]]
    if s.phrase(i) == s.phrase(j):
        out.append("same phrase")
    return out


def distance(s: Sentence, i: int, j: int) -> list[str]:
    """Order, tokens between, mentions between, and the place of the pair among the mentions."""
    order, start, end = _order(s, i, j)
    tokens = max(end - start, 0)
    bucket = tokens if tokens <= 4 else 5 if tokens <= 7 else 6 if tokens <= 12 else 7 if tokens <= 20 else 8
    mentions = len({s.owner[t] for t in range(start, end)} - {-1})
    out = [f"{order} tokens={bucket}", f"{order} mentions={min(mentions, 4)}"]
    out += [f"{order} tokens={bucket} mentions={min(mentions, 4)}", f"order={order}", f"of={min(len(s.spans), 6)}"]
    if len(s.spans) == 2:
        out.append(f"{order} only pair")
    return out


def words_between(s: Sentence, i: int, j: int) -> list[str]:
    """The words between: all, each, bigrams, first and last, verbs, and the string when it is short."""
    order, start, end = _order(s, i, j)
    folded = _between(s, i, j, lambda _: "[]")
    out = [f"{order} between {word}" for word in dict.fromkeys(folded)]
    out += [f"{order} between {a} {b}" for a, b in pairwise(folded)]
    out += [f"between {word}" for word in dict.fromkeys(folded)]
    if len(folded) <= 6:
        out.append(f"{order} string {' '.join(folded)}")
    if folded:
        out += [f"{order} starts {folded[0]}", f"{order} ends {folded[-1]}"]
        out += [f"{order} starts {' '.join(folded[:2])}", f"{order} ends {' '.join(folded[-2:])}"]
    tags = [s.tags[t] if s.owner[t] < 0 else "[]" for t in range(start, end)]
    tags = [tag for k, tag in enumerate(tags) if k == 0 or tag != tags[k - 1]]
    if len(tags) <= 8:
        out.append(f"{order} tags {' '.join(tags)}")
    out += [f"{order} verb {s.low[t]}" for t in range(start, end) if s.tags[t].startswith("VB")]
    out += [f"{order} punctuation {''.join(word for word in folded if not word[:1].isalnum())[:8]}"]
    for name, entries in TRIGGERS.items():
        if any(s.low[t] in entries for t in range(start, end)):
            out.append(f"{order} {name} between")
    return out


def words_around(s: Sentence, i: int, j: int) -> list[str]:
    """Two words before the first argument and after the second, and trigger words elsewhere."""
    order, _, _ = _order(s, i, j)
    first, second = (i, j) if order == ">" else (j, i)
    before, after = s.spans[first][0], s.spans[second][1]
    out = []
    for k in (1, 2, 3):
        out += [f"{order} before {s.word(before - k)}", f"{order} after {s.word(after + k - 1)}"]
    out += [
        f"{order} before2 {s.word(before - 2)} {s.word(before - 1)}",
        f"{order} after2 {s.word(after)} {s.word(after + 1)}",
    ]
    for name, entries in TRIGGERS.items():
        if any(s.word(t) in entries for t in range(before - 4, before)):
            out.append(f"{order} {name} before")
        if any(s.word(t) in entries for t in range(after, after + 4)):
            out.append(f"{order} {name} after")
        if any(word in entries for word in s.low):
            out.append(f"{name} in sentence")
    return out


def patterns(s: Sentence, i: int, j: int) -> list[str]:
    """The argument patterns of the paper's table 1, and the string between with what the lists know of both ends."""
    order, _, _ = _order(s, i, j)
    folded = _between(s, i, j, lambda _: "[]")
    titles, out = LISTS["title"], []
    if folded == [","]:
        out.append(f"{order} arg , arg")
        if s.word(s.spans[j][1]) in (",", "."):
            out.append(f"{order} arg , arg ,")
    if not folded:
        out.append(f"{order} adjacent")
    if folded and all(word in titles or word in (",", "a", "an", "the", "'s") for word in folded):
        out.append(f"{order} arg title arg")
    if len(folded) > 2 and folded[0] == "," and any(word in titles for word in folded):
        out.append(f"{order} arg , title ... arg")
    if "native" in folded or "born" in folded:
        out.append(f"{order} arg native arg")
    if folded[-1:] in (["of"], ["at"], ["in"], ["for"], ["from"], ["by"]):
        out.append(f"{order} arg ... {folded[-1]} arg")
    if folded and folded[0] == "'s":
        out.append(f"{order} arg 's ... arg")
    if folded and folded[0] == "(":
        out.append(f"{order} arg ( arg")
    kinds = [next((k for k in s.kinds[index] if k.startswith("is ")), "?") for index in (i, j)]
    skeleton = " ".join(folded) if len(folded) <= 3 else f"{folded[0]} … {folded[-1]}"
    out.append(f"{order} {kinds[0]} {skeleton} {kinds[1]}")
    return out


def neighbours(s: Sentence, i: int, j: int) -> list[str]:
    """What the lists know of the mentions beside and between the two, and whether one between may be meant."""
    order, _, _ = _order(s, i, j)
    first, second = (i, j) if order == ">" else (j, i)

    def kind(index: int) -> str:
        if not 0 <= index < len(s.spans):
            return EDGE
        return next((k for k in s.kinds[index] if k.startswith(_TELLING)), "?")

    between = [kind(index) for index in range(first + 1, second)]
    out = [f"{order} mention before {kind(first - 1)}", f"{order} mention after {kind(second + 1)}"]
    out += [f"{order} steps={min(second - first, 5)}"]
    out += [f"{order} mention between {one}" for one in dict.fromkeys(between)]
    out.append(f"{order} {kind(i)} > {kind(j)} rival1={kind(i) in between} rival2={kind(j) in between}")
    start, end = "first" if first == 0 else "inner", "last" if second == len(s.spans) - 1 else "inner"
    out.append(f"{order} from {start} to {end}")
    return out


def skeleton(s: Sentence, i: int, j: int) -> list[str]:
    """Words between conjoined with what the lists know of the ends, their content words in order, and tags."""
    order, start, end = _order(s, i, j)
    kinds = [_kind_or_shape(s, index) for index in (i, j)]
    content = [s.low[t] for t in range(start, end) if s.owner[t] < 0 and s.tags[t][:2] in ("NN", "VB", "IN", "JJ")]
    out = [f"{order} content {' '.join(content) if len(content) <= 4 else f'{content[0]} … {content[-1]}'}"]
    for word in dict.fromkeys(_between(s, i, j, lambda _: "[]")):
        out += [f"{order} {kinds[0]} & {word}", f"{order} {word} & {kinds[1]}"]
    short = end - start <= 5
    tags = " ".join(s.tags[t] if s.owner[t] < 0 else "[]" for t in range(start, end)) if short else "long"
    out += [f"{order} {kinds[0]} {kinds[1]} tags {tags}", f"{order} {kinds[0]} {kinds[1]} tokens={min(end - start, 6)}"]
    return out


def _kind_or_shape(s: Sentence, index: int) -> str:
    start, end = s.spans[index]
    known = next((k for k in s.kinds[index] if k.startswith(_TELLING)), None)
    return known or _phrase_shape(s.words[start:end])[:6]


PAIR_TEMPLATES: Final[tuple[Callable[[Sentence, int, int], list[str]], ...]] = (
    arguments,
    distance,
    words_between,
    words_around,
    patterns,
    neighbours,
    skeleton,
)


def entity_features(s: Sentence, i: int) -> list[str]:
    return [name for template in ENTITY_TEMPLATES for name in template(s, i)]


def pair_features(s: Sentence, i: int, j: int) -> list[str]:
    return [name for template in PAIR_TEMPLATES for name in template(s, i, j)]


def typed_features(s: Sentence, i: int, j: int, types: Sequence[str]) -> list[str]:
    """What the pipeline adds: predicted types of the arguments, of the mentions between, and of rivals."""
    order, start, end = _order(s, i, j)
    pair = f"{types[i]}-{types[j]}"
    folded = _between(s, i, j, lambda owner: f"[{types[owner]}]")
    out = [f"type1={types[i]}", f"type2={types[j]}", f"types={pair}", f"{order} types={pair}"]
    out += [f"{pair} {order} between {word}" for word in dict.fromkeys(folded)]
    if len(folded) <= 6:
        out.append(f"{pair} {order} string {' '.join(folded)}")
    if folded:
        out += [f"{pair} {order} starts {folded[0]}", f"{pair} {order} ends {folded[-1]}"]
        out += [f"{pair} {order} starts {' '.join(folded[:2])}", f"{pair} {order} ends {' '.join(folded[-2:])}"]
    tokens = max(end - start, 0)
    out.append(f"{pair} {order} tokens={tokens if tokens <= 3 else 4 if tokens <= 6 else 5 if tokens <= 12 else 6}")
    out += [f"{pair} {order} punctuation {''.join(word for word in folded if not word[:1].isalnum())[:8]}"]
    between = [types[o] for o in {s.owner[t] for t in range(start, end)} - {-1}]
    # A nearer mention of the right type usually takes the relation.
    out.append(f"{pair} {order} rival1={types[i] in between} rival2={types[j] in between}")
    out.append(f"{pair} of {sum(t == types[i] for t in types)} and {sum(t == types[j] for t in types)}")
    for name, entries in TRIGGERS.items():
        if any(s.low[t] in entries for t in range(start, end)):
            out.append(f"{pair} {order} {name} between")
        if any(word in entries for word in s.low):
            out.append(f"{pair} {name} in sentence")
    first, second = (i, j) if order == ">" else (j, i)
    before, after = s.spans[first][0], s.spans[second][1]
    out += [f"{pair} {order} before {s.word(before - 1)}", f"{pair} {order} after {s.word(after)}"]
    return out


def role_features(roles: Sequence[str]) -> list[str]:
    """What the omniscient entity classifier adds: the gold relations of the mention."""
    return [f"role {role}" for role in roles] or ["role none"]
