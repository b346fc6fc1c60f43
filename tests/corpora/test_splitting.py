"""A division is complete, seeded, near its shares, and never puts near-duplicates on two sides."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpora import pasting, splitting
from engine.corpora.splitting import near_duplicates, split
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.plain_text import in_sentences, tokenised


def texts(n: int, seed: int = 0) -> list[Document]:
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(300)]
    return [Document(str(i), " ".join(rng.choices(words, k=rng.randint(4, 25)))) for i in range(n)]


def with_copies(documents: list[Document]) -> list[Document]:
    """Every third document again, as tweets are repeated: another link, another user."""
    copies = [Document(f"{d.id}-copy", f"RT @x {d.text.upper()} http://t.co/{d.id}") for d in documents[::3]]
    return documents + copies


@given(n=st.integers(1, 60), seed=st.integers(0, 5))
def test_every_document_is_in_one_split_and_copies_are_together(n: int, seed: int) -> None:
    documents = with_copies(texts(n, seed))
    parts = split(documents, seed=seed)
    place = {document.id: name for name, part in parts.items() for document in part}
    assert sorted(place) == sorted(document.id for document in documents)
    for document in documents:
        if document.id.endswith("-copy") and len(document.text.split()) > 9:
            assert place[document.id] == place[document.id.removesuffix("-copy")]


def test_shares_are_kept_and_the_seed_decides() -> None:
    documents = texts(200)
    parts = split(documents, seed=1)
    assert {name: len(part) for name, part in parts.items()} == {"train": 160, "dev": 20, "test": 20}
    assert split(documents, seed=1) == parts != split(documents, seed=2)


@given(seed=st.integers(0, 20))
def test_groups_are_those_of_comparing_all_pairs(seed: int) -> None:
    """MinHash may overlook a pair at the border, never invent one; of clear copies it finds all."""
    documents = with_copies(texts(24, seed))
    shingles = [splitting._shingles(document.text) for document in documents]
    together = {i: g for g, group in enumerate(near_duplicates(documents)) for i in group}
    for i in range(len(documents)):
        for j in range(i):
            if splitting._likeness(shingles[i], shingles[j]) > 0.9:
                assert together[i] == together[j]
    for group in near_duplicates(documents):
        for i in group:
            near = [splitting._likeness(shingles[i], shingles[j]) for j in group if j != i]
            assert not near or max(near) >= splitting.ALIKE


def test_shares_that_mean_nothing_are_refused() -> None:
    with pytest.raises(InputError):
        split(texts(3), {"train": -1.0})


def sentences(text: str) -> list[str]:
    document = tokenised(Document("d", text))
    return [" ".join(document.words[a:b]) for a, b in document.sentences]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dr. Ada met J. Smith. They spoke!", ["Dr . Ada met J . Smith .", "They spoke !"]),
        ("We won 3.5 to 2. what a game", ["We won 3.5 to 2 . what a game"]),
        ("He said “Go.” She went.", ["He said “ Go . ”", "She went ."]),
        ("東京は大きい。京都は古い！", ["東 京 は 大 き い 。", "京 都 は 古 い ！"]),
        ("Title\n\nText here", ["Title", "Text here"]),
        ("the dog's bone", ["the dog 's bone"]),
        ("iPhone発売", ["iPhone 発 売"]),
    ],
)
def test_words_and_sentences(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(st.text(max_size=60))
def test_tokens_cover_every_letter_and_digit_once(text: str) -> None:
    document = tokenised(Document("d", text))
    covered = {i for start, end in document.tokens for i in range(start, end)}
    assert all(i in covered for i, c in enumerate(text) if c.isalnum())
    assert document.sentences == () or document.sentences[-1][1] == len(document.tokens)


@given(text=st.text(alphabet="ab .!?\n“”。", max_size=30), data=st.data())
def test_words_of_others_are_put_into_sentences_that_cover_them(text: str, data: st.DataObject) -> None:
    """Whatever another program calls a word, be it empty."""
    marks = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    tokens = tuple(zip(marks[::2], marks[1::2], strict=False))
    document = in_sentences(Document("d", text, tokens))
    ends = [end for _, end in document.sentences]
    assert [start for start, _ in document.sentences] == [0, *ends[:-1]][: len(ends)]
    assert all(start < end for start, end in document.sentences)
    assert ends[-1:] == ([len(tokens)] if tokens else [])
    ours = tokenised(Document("d", text))
    assert in_sentences(Document("d", text, ours.tokens)) == ours


@pytest.mark.parametrize(
    ("text", "unit", "n"),
    [("one tweet\nanother tweet", "lines", 2), ("a\n\nb\nc", "paragraphs", 2), ("one line", "whole", 1)],
)
def test_pasted_text_is_cut_as_it_looks(text: str, unit: str, n: int) -> None:
    assert pasting.guess_unit(text) == unit and len(pasting.cut(text, unit)) == n
