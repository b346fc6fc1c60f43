"""Quick ways to the spans and columns of a text give what the obvious ways give."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.data.document import Document
from engine.features.linking.candidates import collect
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing.guesses import SMALL
from engine.features.linking.proposing.ngrams import worth_looking_up
from engine.features.linking.proposing.proposer import Proposer, Span
from engine.features.linking.readings import Reader
from engine.features.linking.text.token_columns import TokenColumns
from engine.features.linking.text.tokens import Tokens, read_tokens
from engine.lexicon.assembling import assemble
from engine.lexicon.lexicon import MOST_TOKENS, Lexicon
from engine.lexicon.sieve import OPEN

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


def guessable(tokens: Tokens, first: int, last: int) -> bool:
    """Whether the tokens may be guessed to be a title: capitals, and between them only numbers and small words."""
    capital = [word[:1].isupper() for word in tokens.words]
    closes = [big or word.isdigit() for big, word in zip(capital, tokens.words, strict=True)]
    joins = [end or word in SMALL for end, word in zip(closes, tokens.words, strict=True)]
    within = all(joins[i] and not tokens.signs[i] for i in range(first, last))
    return capital[first] and closes[last - 1] and within and last - first <= 5


def looked_up(proposer: Proposer, tokens: Tokens) -> list[Span]:
    """The spans of a text when every written form of every n-gram is looked up."""
    found = []
    for first in range(len(tokens)):
        for last in range(first + 1, min(first + MOST_TOKENS, len(tokens)) + 1):
            if True in tokens.breaks[first:last] or not (tokens.bounds[first] and tokens.bounds[last - 1]):
                continue
            if last == first + 1:
                reading = proposer._read_word(tokens.words[first], tokens.signs[first])
            else:
                reading = proposer._read_words(tokens.piece(first, last), guessable(tokens, first, last))
            if reading is not None:
                found.append(Span(first, last, reading))
    return found


@given(texts=st.lists(TEXTS, max_size=4))
@example(texts=["Tom & Jerry in São Paulo, by the Rolling Stone's new-york desk", "", "Star Wars Part II of The Us"])
@example(texts=["US army and UK police dept on Star Wars part ii, said the rolling stones", "part ii", "us army"])
@example(texts=["Tom & Jerry's AT&T York's new-york T-Mobile's US army's rolling stone's"])
@example(texts=["wars part's of the U.S. army ii", "said rolling stones of new yorks", "#New York 2 and Tom"])
def test_only_n_grams_without_a_reading_are_passed_over(inventory, texts):
    tokens = [read_tokens(Document(str(i), text)) for i, text in enumerate(texts)]
    proposer = Proposer(inventory, {"wars part"})
    found = proposer.all_spans(tokens)
    assert found == [looked_up(proposer, text) for text in tokens]
    assert found == [proposer.spans(text) for text in tokens]


def test_no_title_is_guessed_across_a_sign_that_is_no_token_itself(inventory):
    tokens = read_tokens(Document("t", "Roger #Cheng Junior", tokens=((0, 5), (7, 12), (13, 19))))
    assert tokens.signs == ("", "#", "")
    proposer = Proposer(inventory, ())
    assert proposer.spans(tokens) == looked_up(proposer, tokens)
    guesses = {guess for span in proposer.spans(tokens) for guess in span.reading.guesses}
    assert guesses == {"Roger", "Cheng", "Junior"}


def test_a_lexicon_without_a_sieve_lets_every_n_gram_pass(inventory):
    tokens = read_tokens(Document("t", "the rolling stones of new york and us army part ii"))
    parts = inventory.lexicon.parts()
    former = Inventory(Lexicon.from_parts({name: part for name, part in parts.items() if name != "sieve"}), ())
    proposer = Proposer(former, {"wars part"})
    n_grams = worth_looking_up([tokens], former.lexicon.sieve, OPEN)
    assert len(n_grams.first) == sum(min(MOST_TOKENS, len(tokens) - i) for i in range(len(tokens)))
    assert proposer.spans(tokens) == Proposer(inventory, {"wars part"}).spans(tokens)


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
