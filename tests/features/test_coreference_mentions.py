"""Which spans are proposed as mentions, on sentences made for it."""

from __future__ import annotations

from engine.data.document import Document
from engine.features.coreference.languages import load
from engine.features.coreference.mentions import extract
from engine.features.coreference.words import Words

ENGLISH = load("english")
Token = tuple[str, str, int, str]
"""Word, tag, place of the governor in the sentence (-1: none), relation."""


def parsed(*sentences: list[Token]) -> Document:
    tokens = [token for sentence in sentences for token in sentence]
    return Document.from_words(
        "d",
        [[word for word, *_ in sentence] for sentence in sentences],
        columns={
            "pos": tuple(tag for _, tag, _, _ in tokens),
            "head": tuple(head for _, _, head, _ in tokens),
            "deprel": tuple(relation for *_, relation in tokens),
        },
    )


def found(document: Document) -> set[str]:
    return {" ".join(document.words[start:end]) for start, end in extract(Words(document, ENGLISH))}


LEFT: list[Token] = [
    ("They", "PRP", 2, "nsubj"),
    ("were", "VBD", 2, "aux"),
    ("leaving", "VBG", -1, "root"),
    ("early", "RB", 2, "advmod"),
]


def test_a_phrase_does_not_end_in_a_mark() -> None:
    sentence: list[Token] = [
        ("Her", "PRP$", 1, "nmod:poss"),
        ("mother", "NN", 4, "nsubj"),
        (",", ",", 1, "punct"),
        ("then", "RB", 4, "advmod"),
        ("left", "VBD", -1, "root"),
    ]
    assert found(parsed(sentence)) == {"Her mother", "Her"}


def test_a_determiner_is_no_mention_but_a_pronoun_of_the_same_form_is() -> None:
    before_noun: list[Token] = [
        ("This", "DT", 1, "det"),
        ("house", "NN", 2, "nsubj"),
        ("fell", "VBD", -1, "root"),
    ]
    alone: list[Token] = [("This", "DT", 1, "nsubj"), ("fell", "VBD", -1, "root")]
    assert found(parsed(before_noun)) == {"This house"}
    assert found(parsed(alone)) == {"This"}


def test_a_clause_that_a_demonstrative_may_take_up_is_stood_for_by_its_first_verb() -> None:
    surprise: list[Token] = [("That", "DT", 1, "nsubj"), ("surprised", "VBD", -1, "root"), ("us", "PRP", 1, "obj")]
    assert found(parsed(LEFT, surprise)) == {"They", "were", "That", "us"}
    assert found(parsed(LEFT)) == {"They"}


def test_only_main_clauses_before_it_are_taken_up_by_a_demonstrative_with_its_noun() -> None:
    claim: list[Token] = [
        ("We", "PRP", 1, "nsubj"),
        ("made", "VBD", -1, "root"),
        ("this", "DT", 3, "det"),
        ("claim", "NN", 1, "obj"),
    ]
    assert found(parsed(LEFT, claim)) == {"They", "were", "We", "this claim"}


def test_a_name_that_begins_a_coordination_is_proposed_beside_the_whole() -> None:
    sentence: list[Token] = [
        ("Bert", "NNP", 5, "nsubj"),
        (",", ",", 3, "punct"),
        ("and", "CC", 3, "cc"),
        ("Ann", "NNP", 0, "conj"),
        ("often", "RB", 5, "advmod"),
        ("left", "VBD", -1, "root"),
    ]
    assert found(parsed(sentence)) == {"Bert , and Ann", "Bert", "Ann"}
