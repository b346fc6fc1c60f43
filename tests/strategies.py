"""Documents for hypothesis: hostile text, nested and crossing spans, links, clusters, relations, several layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from engine.data.document import GOLD, NIL, Bag, Document, Layer, Member, Mention, Relation

HOSTILE = (
    "aB9 .,-_%|()\"'\\/<>&{}[]#@*;:=\t\n\r"  # the separators of every format
    "éßİſ"  # changes its length when its case does
    "e\u0301n\u0303\u200d\ufe0f"  # combining marks, joiner, variation selector
    "😀👩🏽\U0001f469\U00020bb7𝔘"  # beyond U+FFFF
    "שלוםمرحبا\u202e\u200f"  # right to left, and an override
    "東京한국カ゚"
    "\x00\x0b\x0c\x1c\x1e\x7f\x85\xa0\u2028\u2029\ufeff\ufffd"  # what some functions take for white space
)
CHARACTERS = st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=("Cs",)))
SPACES = "\t\n\r"


def texts(min_size: int = 0, max_size: int = 40) -> st.SearchStrategy[str]:
    return st.text(CHARACTERS, min_size=min_size, max_size=max_size)


def cells(max_size: int = 12) -> st.SearchStrategy[str]:
    """Text that fits into one column of a table."""
    return st.text(CHARACTERS.filter(lambda c: c not in SPACES), min_size=1, max_size=max_size)


def names() -> st.SearchStrategy[str]:
    """Types and labels: one printable word."""
    return st.sampled_from(["PER", "Live_In", "/people/person/place_lived", "NIL", "Orgé", "場所", "O"])


def titles() -> st.SearchStrategy[str]:
    known = st.sampled_from(["New York", "NIL", "NILE", "AC/DC", "100%_pure", "Café", "http://dbpedia.org/resource/X"])
    return st.one_of(known, texts(min_size=1, max_size=10))


def scores() -> st.SearchStrategy[float]:
    return st.one_of(st.just(1.0), st.floats(allow_nan=False, allow_infinity=False))


@st.composite
def mentions(draw: st.DrawFn, length: int) -> Mention:
    start = draw(st.integers(0, length - 1))
    end = draw(st.integers(start + 1, length))
    return Mention(
        start,
        end,
        type=draw(st.none() | names()),
        entity=draw(st.none() | st.just(NIL) | titles()),
        score=draw(st.none() | scores()),
    )


@st.composite
def layers(draw: st.DrawFn, length: int, spans: Sequence[tuple[int, int]] | None = None) -> Layer:
    """Mentions anywhere in a text of this length, or only at these spans."""
    if length == 0 or (spans is not None and not spans):
        return Layer(labels=tuple(draw(st.lists(names(), max_size=2, unique=True))))
    found: list[Mention] = []
    for mention in draw(st.lists(mentions(length), max_size=5)):
        place = draw(st.sampled_from(spans)) if spans is not None else mention.span
        found.append(Mention(*place, mention.type, mention.entity, mention.score))
    positions = range(len(found))
    colours = [draw(st.integers(-1, 2)) for _ in positions]
    clusters = dict.fromkeys(colour for colour in colours if colour >= 0)
    relations = []
    if found:
        pairs = st.tuples(st.sampled_from(positions), st.sampled_from(positions), names(), st.none() | scores())
        relations = [Relation(*pair) for pair in draw(st.lists(pairs, max_size=3))]
    return Layer(
        tuple(found),
        tuple(tuple(i for i in positions if colours[i] == colour) for colour in clusters),
        tuple(relations),
        tuple(draw(st.lists(names(), max_size=2, unique=True))),
    )


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | scores() | texts(max_size=8)
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(field_names(), inner, max_size=3),
        max_leaves=5,
    )


def field_names() -> st.SearchStrategy[str]:
    return texts(min_size=1, max_size=6).filter(lambda name: not name.startswith("#"))


@st.composite
def plain_documents(draw: st.DrawFn) -> Document:
    """A text that is not tokenised, with a gold layer."""
    text = draw(texts())
    return Document(draw(cells()), text, layers={GOLD: draw(layers(len(text)))})


@st.composite
def tokenised_documents(draw: st.DrawFn) -> Document:
    """Sentences of words, with mentions on token borders and a column."""
    sentences = draw(st.lists(st.lists(cells(6), min_size=1, max_size=5), min_size=1, max_size=3))
    bare = Document.from_words(draw(cells()), sentences)
    n = len(bare.tokens)
    spans = [bare.char_range(a, b) for a in range(n) for b in range(a + 1, n + 1)]
    columns = {"pos": tuple(draw(st.lists(names(), min_size=n, max_size=n)))} if draw(st.booleans()) else {}
    gold = draw(layers(len(bare.text), spans))
    return Document(bare.id, bare.text, bare.tokens, bare.sentences, columns, {GOLD: gold})


@st.composite
def bags(draw: st.DrawFn) -> Document:
    document = draw(tokenised_documents())
    sides = st.none() | st.integers(0, len(document.gold.mentions) - 1) if document.gold.mentions else st.none()
    counts = st.dictionaries(cells(4), scores(), max_size=2)
    members = draw(st.lists(st.builds(Member, sides, sides, counts), min_size=1, max_size=3))
    bag = Bag(draw(texts(max_size=5)), draw(texts(max_size=5)), tuple(members))
    return Document(document.id, document.text, document.tokens, document.sentences, {}, document.layers, bag)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Anything the data model allows: several layers, further fields."""
    document = draw(st.one_of(plain_documents(), tokenised_documents(), bags()))
    for name in draw(st.lists(st.sampled_from(["run 1", "anna"]), unique=True)):
        document = document.with_layer(name, draw(layers(len(document.text))))
    extra = draw(st.dictionaries(field_names(), json_values(), max_size=2))
    return Document(
        document.id,
        document.text,
        document.tokens,
        document.sentences,
        document.columns,
        document.layers,
        document.bag,
        extra=extra,
    )
