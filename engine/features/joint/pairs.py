"""Features of an ordered pair of mentions: both arguments, the words between and around them, argument patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from engine.features.joint.sentence import EDGE, TELLING, Sentence, phrase_shape
from engine.features.wordlists import LISTS, TRIGGERS


def _order(s: Sentence, i: int, j: int) -> tuple[str, int, int]:
    """ ">" if the first argument comes first; then the token range between the two."""
    if s.spans[i] <= s.spans[j]:
        return ">", s.spans[i][1], s.spans[j][0]
    return "<", s.spans[j][1], s.spans[i][0]


def _between(s: Sentence, i: int, j: int, name: Callable[[int], str]) -> list[str]:
    """The words between, with every other mention replaced by one symbol."""
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
    """The argument patterns of the paper's table 1, and the string between with the list entries of both ends."""
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
    """List entries of the mentions beside and between the two, and whether one between them is a rival."""
    order, _, _ = _order(s, i, j)
    first, second = (i, j) if order == ">" else (j, i)

    def kind(index: int) -> str:
        if not 0 <= index < len(s.spans):
            return EDGE
        return next((k for k in s.kinds[index] if k.startswith(TELLING)), "?")

    between = [kind(index) for index in range(first + 1, second)]
    out = [f"{order} mention before {kind(first - 1)}", f"{order} mention after {kind(second + 1)}"]
    out += [f"{order} steps={min(second - first, 5)}"]
    out += [f"{order} mention between {one}" for one in dict.fromkeys(between)]
    out.append(f"{order} {kind(i)} > {kind(j)} rival1={kind(i) in between} rival2={kind(j) in between}")
    start, end = "first" if first == 0 else "inner", "last" if second == len(s.spans) - 1 else "inner"
    out.append(f"{order} from {start} to {end}")
    return out


def skeleton(s: Sentence, i: int, j: int) -> list[str]:
    """Words between, conjoined with the list entries of the ends, their content words in order, and tags."""
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
    known = next((k for k in s.kinds[index] if k.startswith(TELLING)), None)
    return known or phrase_shape(s.words[start:end])[:6]


PAIR_TEMPLATES: Final[tuple[Callable[[Sentence, int, int], list[str]], ...]] = (
    arguments,
    distance,
    words_between,
    words_around,
    patterns,
    neighbours,
    skeleton,
)


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
