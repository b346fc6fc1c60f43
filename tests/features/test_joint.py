"""Features of mentions in the joint task: classes of words, lists that cover a phrase, mentions beside it."""

from __future__ import annotations

from engine.features.joint.beside import next_mentions, series
from engine.features.joint.lists import lists_of_all, word_classes
from engine.features.joint.sentence import Sentence
from engine.features.wordlists import LISTS, TRIGGERS


def sentence(text, *spans, **gazetteers):
    words = tuple(text.split())
    lists = {name: frozenset(entries) for name, entries in gazetteers.items()}
    return Sentence(words=words, tags=words, spans=spans, gazetteers=lists)


def test_entries_of_word_lists_are_lower_case_and_trimmed():
    for name, entries in {**LISTS, **TRIGGERS}.items():
        assert entries, name
        assert all(entry == entry.strip().lower() and entry and "\n" not in entry for entry in entries), name


def test_every_word_has_the_class_of_its_first_list_or_its_shape():
    s = sentence("when Mr. Walter J. Xyzzy of the inquiry left", (1, 5))
    got = word_classes(s, 0)
    assert "classes=title given A. Aa" in got
    assert {"first class=title", "last class=Aa", "class pair=title given", "class ends=title Aa 4"} <= set(got)
    assert {"left class=a", "left class=a title", "right class=of", "right class=Aa of"} <= set(got)


def test_a_phrase_at_the_edge_has_an_edge_beside_it():
    got = word_classes(sentence("Paris", (0, 1)), 0)
    assert {"left class=<>", "right class=<>"} <= set(got)


def test_lists_of_all_names_lists_that_have_every_word_and_those_that_have_the_phrase():
    s = sentence("in New York today", (1, 3))
    got = lists_of_all(s, 0)
    assert "is state right of in" in got and "is state left of today" in got
    assert any(name.startswith("lists=") and "is state" in name for name in got)
    assert not any(name.startswith("all ") for name in got), "no list has both words"
    assert "all given 2" in lists_of_all(sentence("Walter Brian left", (0, 2)), 0)


def test_a_phrase_in_no_list_says_so_and_shows_its_shape():
    got = lists_of_all(sentence("the Xyzzy 77", (1, 3)), 0)
    assert got == ["no list", "lists=Aa 0", "no phrase right of the", "no phrase left of <>"]


def test_users_lists_count_like_ours():
    s = sentence("the Xyzzy fell", (1, 2), rockets={"xyzzy"})
    assert {"all rockets 1", "lists=is rockets", "is rockets right of the"} <= set(lists_of_all(s, 0))


def test_the_mention_after_a_comma_tells_what_it_is():
    s = sentence("Xyzzy , Ala. , and Qwert", (5, 6), (0, 1), (2, 3))
    assert next_mentions(s, 1) == ["then , is state"]
    assert next_mentions(s, 2) == ["after , ?"], "two words before the last mention are too many"
    assert next_mentions(s, 0) == []


def test_neighbours_are_told_by_place_and_not_by_number():
    s = sentence("Xyzzy , Ala. , Qwert", (4, 5), (2, 3), (0, 1))
    assert s.in_order == (2, 1, 0) and s.rank == (2, 1, 0)
    s = sentence("a b c", (1, 2), (2, 3), (0, 1))
    assert s.in_order == (2, 0, 1) and s.rank == (1, 2, 0)
    assert next_mentions(sentence("Xyzzy , Ala. , Qwert", (4, 5), (2, 3), (0, 1)), 0) == ["after , is state"]


def test_members_of_an_enumeration_share_their_commonest_list_entry():
    s = sentence("Berlin , Xyzzy , Rome and Qwert met Ford", (0, 1), (2, 3), (4, 5), (6, 7), (8, 9))
    assert series(s, 1) == ["series is city"]
    assert series(s, 3) == ["series is city"], "the chain goes on beyond the next member"
    assert series(s, 4) == [], "no comma joins it to the others"
    assert series(sentence("Berlin and Xyzzy", (0, 1), (2, 3)), 1) == [], "one other member is no enumeration"
