"""Features of mentions: what they see of a sentence, and what they must not see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.data.document import Bag, Document, Layer, Member, Mention
from engine.features.distant.known import known_as, list_entries
from engine.features.distant.members import bag_features, member_features
from engine.features.distant.rows import FrequentNames
from engine.features.distant.templates import BIAS, group_of


def bag(words: list[str], first: tuple[int, int], second: tuple[int, int], **fields) -> Document:
    bare = Document.from_words("b", [words])
    mentions = tuple(Mention(*bare.char_range(*span)) for span in (first, second))
    names = [" ".join(words[a:b]) for a, b in (first, second)]
    return replace(bare, layers={"gold": Layer(mentions)}, bag=Bag(*names, (Member(0, 1),)), shape="bag", **fields)


def names_of(document: Document) -> set[str]:
    return {name for name, _ in member_features(document)[0]}


def test_order_of_the_pair_is_told_by_the_direction():
    forward = names_of(bag(["Ann", "founded", "Acme", "."], (0, 1), (2, 3)))
    backward = names_of(bag(["Acme", "founded", "Ann", "."], (2, 3), (0, 1)))
    assert "between=founded>" in forward and "between=founded<" in backward
    assert "between, any order=founded" in forward & backward


def test_windows_stop_at_the_ends_of_the_sentence():
    found = names_of(bag(["Ann", "founded", "Acme"], (0, 1), (2, 3)))
    assert "left 1=<s>>" in found and "right 1=</s>>" in found


def test_labels_are_never_seen():
    plain = bag(["Ann", "founded", "Acme"], (0, 1), (2, 3))
    labelled = replace(plain, layers={"gold": replace(plain.gold, labels=("founder_of",))})
    assert member_features(plain) == member_features(labelled)


def test_syntax_is_used_where_the_corpus_has_it():
    columns = {"pos": ("NNP", "VBD", "NNP"), "head": (1, -1, 1), "deprel": ("nsubj", "root", "obj")}
    found = names_of(bag(["Ann", "founded", "Acme"], (0, 1), (2, 3), columns=columns))
    assert "pos between=VBD>" in found
    assert "path=↑nsubj founded ↓obj>" in found


def test_given_features_replace_the_templates():
    document = Document("f", "", bag=Bag("", "", (Member(features={"17": 2.0}),)), shape="features")
    assert member_features(document) == [[("17", 2.0), (BIAS, 1.0)]]


def test_a_member_without_marked_names_has_only_the_bias():
    document = Document("n", "", bag=Bag("a", "b", (Member(),)))
    assert member_features(document) == [[(BIAS, 1.0)]]


def test_rows_have_the_asked_length_and_rare_features_are_left_out():
    rows = [[("a", 1.0), ("b", 1.0), (BIAS, 1.0)], [("a", 3.0), (BIAS, 1.0)]]
    vocabulary = FrequentNames.build(rows, 2)
    assert set(vocabulary.names) == {"a", BIAS}
    made = vocabulary.rows(rows, length=2.0)
    for row in range(2):
        values = made.values[made.starts[row] : made.starts[row + 1]]
        assert np.sqrt((values**2).sum()) == pytest.approx(2.0)


def test_bag_features_tell_names_and_size_and_every_feature_has_a_group():
    rows = member_features(bag(["Ann", "founded", "Acme"], (0, 1), (2, 3)))
    names = {name for name, _ in bag_features(rows)}
    assert {"pair: head=Ann", "pair: 1 mentions", f"pair: {BIAS}"} <= names
    assert all(group_of(name) != "other" for name, _ in rows[0])


def test_names_are_known_by_the_lists_that_have_them_or_their_ends():
    assert {"is country"} <= set(list_entries("France"))
    assert {"starts given"} <= set(list_entries("Walter Xyzzy")) and "is given" not in list_entries("Walter Xyzzy")
    assert list_entries("Xyzzy_University") == ("ends orgword",), "underscores part words, too"
    assert list_entries("Lake Xyzzy") == ("starts placeword",)
    assert list_entries("Xyzzy Qwert") == ("unknown of 2",)
    assert list_entries("") == ("no name",)


def test_the_most_telling_entry_of_both_names_is_told_together_and_of_the_pair():
    assert known_as("Georgia") == "is country", "also a state and a given name"
    document = bag(["Walter", "Xyzzy", "left", "France", "."], (0, 2), (3, 4))
    wanted = {"head known=starts given", "tail known=is country", "known=starts given, is country"}
    assert wanted <= names_of(document)
    assert {f"pair: {name}" for name in wanted} <= {name for name, _ in bag_features(member_features(document))}
