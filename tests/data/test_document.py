"""A document that exists is consistent; one that would not be cannot be made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import GOLD, NIL, Bag, Document, Layer, Member, Mention, Relation
from engine.data.errors import InputError

words = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n "), min_size=1, max_size=6), min_size=1)


def test_offsets_are_code_points_even_beyond_the_basic_plane():
    document = Document.from_words("d", [["👩🏽‍🚀", "flew", "e\u0301tudes"]])
    assert [document.text[a:b] for a, b in document.tokens] == ["👩🏽‍🚀", "flew", "e\u0301tudes"]
    assert document.tokens[1][0] == len("👩🏽‍🚀") + 1 == 5


@given(st.lists(words, min_size=1, max_size=4))
def test_words_of_a_tokenised_text_are_the_words_it_was_made_from(sentences):
    document = Document.from_words("d", sentences)
    assert list(document.words) == [word for sentence in sentences for word in sentence]
    assert [end - start for start, end in document.sentences] == [len(s) for s in sentences]


@given(words, st.data())
def test_token_range_and_char_range_are_inverse(sentence, data):
    document = Document.from_words("d", [sentence])
    first = data.draw(st.integers(0, len(sentence) - 1))
    last = data.draw(st.integers(first + 1, len(sentence)))
    assert document.token_range(*document.char_range(first, last)) == (first, last)


def test_token_range_takes_every_token_that_shares_a_character():
    document = Document.from_words("d", [["New", "York", "City"]])
    assert document.token_range(2, 5) == (0, 2)
    assert document.token_range(3, 4) == (1, 1)  # the space between two words


def test_nested_and_crossing_mentions_are_legal():
    layer = Layer(mentions=(Mention(0, 5), Mention(0, 3), Mention(2, 8), Mention(0, 5)))
    assert Document("d", "abcdefgh", layers={GOLD: layer}).gold.mentions[2].span == (2, 8)


@pytest.mark.parametrize(
    ("make", "words_in_message"),
    [
        (lambda: Mention(3, 3), "empty"),
        (lambda: Mention(-1, 3), "starts before"),
        (lambda: Layer(mentions=(Mention(0, 1),), clusters=((1,),)), "mention 1"),
        (lambda: Layer(mentions=(Mention(0, 1),), clusters=((0,), (0,))), "two clusters"),
        (lambda: Layer(clusters=((),)), "no mention"),
        (lambda: Layer(mentions=(Mention(0, 1),), relations=(Relation(0, 4, "Kill"),)), "Kill"),
        (lambda: Document("d", "abc", tokens=((0, 2), (1, 3))), "token 1"),
        (lambda: Document("d", "abc", tokens=((0, 9),)), "within 3 characters"),
        (lambda: Document("d", "a b", tokens=((0, 1), (2, 3)), sentences=((0, 2), (1, 2))), "sentence 1"),
        (lambda: Document("d", "abc", tokens=((0, 3),), columns={"pos": ()}), "column 'pos'"),
        (lambda: Document("d", "abc", layers={GOLD: Layer(mentions=(Mention(1, 4),))}), "after the text"),
        (lambda: Document("d", "abc", bag=Bag("a", "b", (Member(0, 1),))), "bag member"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_its_place(make, words_in_message):
    with pytest.raises(ValueError, match=words_in_message):
        make()


def test_nil_is_a_link_outside_the_knowledge_base_and_none_is_no_link():
    assert not Mention(0, 1, entity=NIL).is_linked
    assert not Mention(0, 1).is_linked
    assert Mention(0, 1, entity="Oslo").is_linked


def test_an_input_error_is_one_line_whatever_it_quotes():
    error = InputError("expected a number, not 'a\nb\r\n'", field="start").at("x.jsonl", 3)
    assert str(error) == "x.jsonl, line 3, field 'start': expected a number, not 'a b '"
