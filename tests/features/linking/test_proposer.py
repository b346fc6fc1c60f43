"""Quick ways to the spans and columns of a text give what the obvious ways give."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.data.document import Document
from engine.features.linking.candidates import Reader, collect
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing import proposer
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.text.token_columns import TokenColumns
from engine.features.linking.text.tokens import read_tokens
from engine.lexicon.assembling import assemble

NAMES = (
    "new york", "united states army", "us army", "the beatles", "beatle", "part 2", "star wars part 2", "at&t",
    "são paulo", "sao paulo", "t-mobile", "sigma σας", "tom and jerry", "uk police department", "rolling stone",
)  # fmt: skip
WORDS = (
    "New", "york", "NEW", "US", "us", "army", "united", "States", "The", "Beatles", "stones", "Rolling", "stone",
    "Star", "wars", "part", "ii", "2", "AT&T", "São", "Paulo", "T-Mobile", "ΣΑΣ", "İzmir", "and", "Tom", "jerry", "uk",
    "police", "dept", "’s", "U.S.", "#NewYork", "@realTheBeatles", "...", "of",
)  # fmt: skip
TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from((" ", " ", " ", "  ", "\t", "-", ", "))), max_size=14
).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@pytest.fixture(scope="module")
def inventory():
    return Inventory(assemble(lambda: [(name, [(name.title(), 1, ("wikipedia",))]) for name in NAMES], {}), ())


@given(text=TEXTS)
@example(text="Tom & Jerry in São Paulo, by the Rolling Stone's new-york desk")
@example(text="US army and UK police dept on Star Wars part ii, said the rolling stones")
def test_keys_cut_out_of_a_text_are_those_of_its_pieces(inventory, text):
    tokens = read_tokens(Document("t", text))
    quick = Proposer(inventory, {"wars part"}).spans(tokens)
    with patch.object(proposer._Written, "of", return_value=None):
        assert quick == Proposer(inventory, {"wars part"}).spans(tokens)


@given(text=TEXTS)
@example(text="Tom & Jerry's AT&T York's new-york T-Mobile's US army's rolling stone's")
@example(text="wars part's of the U.S. army ii")
@example(text="said rolling stones of new yorks")
def test_only_what_has_no_reading_is_turned_away_by_its_letters(inventory, text):
    """Spans of several words are those that have a reading when every written form is looked up."""
    tokens, linked = read_tokens(Document("t", text)), {"wars part"}
    plain = Proposer(inventory, linked)
    runs = proposer.GuessedRuns(tokens)
    expected = []
    for first, bound in enumerate(tokens.bounds):
        for last in proposer._longer(tokens, first) if bound and not tokens.breaks[first] else ():
            piece = tokens.piece(first, last)
            guesses = runs.titles(first, last) if last <= runs.until(first) else ()
            reading = plain._read(piece, proposer.normalise(piece), False, guesses)
            if reading is not None:
                expected.append((first, last, reading))
    found = Proposer(inventory, linked).spans(tokens)
    assert [span for span in found if span.last > span.first + 1] == expected


@given(texts=st.lists(TEXTS, max_size=4))
def test_columns_of_spans_are_those_of_their_words(inventory, texts):
    tokens = [read_tokens(Document(str(i), text)) for i, text in enumerate(texts)]
    spans = [Proposer(inventory, ()).spans(text) for text in tokens]
    found = collect(tokens, spans, [Reader(inventory, Memory().view(None))] * len(tokens), inventory)
    columns = TokenColumns(found)
    length = columns.of_lower(len)
    bounds = list(zip(found.document.tolist(), found.first.tolist(), found.last.tolist(), strict=True))
    inside = [[len(word) for word in tokens[d].lower[first:last]] for d, first, last in bounds]
    signed = [bool(tokens[d].signs[first]) for d, first, _ in bounds]
    before = [first - 1 - sign for (_, first, _), sign in zip(bounds, signed, strict=True)]
    assert columns.total(length).tolist() == [sum(each) for each in inside]
    assert columns.lowest(length).tolist() == [min(each) for each in inside]
    assert columns.total_of_text(length).tolist() == [sum(map(len, tokens[d].lower)) for d, _, _ in bounds]
    assert length[columns.after].tolist() == [
        len(tokens[d].lower[last]) if last < len(tokens[d]) else 0 for d, _, last in bounds
    ]
    assert length[columns.before].tolist() == [
        len(tokens[d].lower[at]) if at >= 0 else 0 for (d, _, _), at in zip(bounds, before, strict=True)
    ]
