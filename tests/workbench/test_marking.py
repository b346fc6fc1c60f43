"""Mentions by rule: found where a slow, obvious search finds them, planned before they are written, undone as one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import NIL, Document
from engine.data.edits import AddMention, MarkDone, Reject
from engine.data.errors import InputError
from engine.data.labels import EntityType, LabelSet
from engine.store.workspace import Workspace
from engine.workbench import marking
from engine.workbench.marking import Entry, Mark, bounded

WORDS = st.sampled_from(["New", "York", "new", "City", "of", "New-York", "Oslo", "."])
NAMES = st.lists(
    st.lists(WORDS.filter(lambda w: w != "."), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4
)


def spans(rule: marking.Rule, text: str) -> list[tuple[int, int]]:
    return [(mark.start, mark.end) for mark in rule([Document("d", text)])[0]]


@given(NAMES, st.lists(WORDS, max_size=12), st.booleans())
def test_names_are_found_as_the_obvious_search_finds_them(names: list[str], words: list[str], ignore: bool) -> None:
    text = "  ".join(words)
    found = spans(marking.dictionary({name: Entry() for name in names}, ignore_case=ignore), text)
    # At every place the longest name that stands there as whole words; after it the search goes on.
    longest = sorted(set(names), key=lambda name: -len(name.split()))
    either = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
    looked = re.finditer(rf"(?<!\S)(?:{either})(?!\S)", text, re.IGNORECASE if ignore else 0)
    assert found == [match.span() for match in looked]


def test_of_names_that_begin_at_one_place_the_longest_is_marked() -> None:
    rule = marking.dictionary(dict.fromkeys(["New", "New York", "New York City"], Entry()))
    assert spans(rule, "New York City, New York, New Haven") == [(0, 13), (15, 23), (25, 28)]


def test_names_without_spaces_between_words_are_found_by_character() -> None:
    assert spans(marking.same_words("习近平", Entry()), "昨天习近平在北京说") == [(2, 5)]
    assert spans(marking.same_words("Acme Corp.", Entry()), "He left Acme\nCorp., sadly.") == [(8, 18)]
    assert spans(marking.same_words("Ann", Entry()), "Annie and Ann's cat") == [(10, 13)]


def test_an_expression_marks_its_matches_or_its_group_and_never_nothing() -> None:
    assert spans(marking.pattern("[A-Z]+-\\d+", Entry("CODE")), "AB-12, x, C-3") == [(0, 5), (10, 13)]
    assert spans(marking.pattern("in (?P<mention>[A-Z]\\w+)", Entry()), "in Oslo in vain") == [(3, 7)]
    assert spans(marking.pattern("x*", Entry()), "axxb") == [(1, 3)]
    assert spans(marking.pattern("(?P<mention>a)|b", Entry()), "ab") == [(0, 1)]
    assert spans(marking.pattern("ABC", Entry(), ignore_case=True), "abc") == [(0, 3)]


@pytest.mark.parametrize("hostile", ["(a+)+$", "(a|aa)+$", "(.*a){25}"])
def test_an_expression_that_would_not_end_is_stopped(hostile: str) -> None:
    with pytest.raises(InputError, match=r"stopped after 1 s; avoid repetitions"):
        bounded.spans_of(hostile, ["a" * 60 + "!" * 2000], seconds=0.6)


@pytest.mark.parametrize(
    ("bad", "says"), [("(", "not a regular expression"), ("", "1 to 1000"), ("a" * 1001, "1 to 1000")]
)
def test_what_is_no_expression_is_refused_in_words(bad: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        marking.pattern(bad, Entry())([Document("d", "text")])


def test_an_expression_that_matches_everything_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "MOST", 3)
    assert bounded.matches(".", ["abc"], False) == {"spans": [[(0, 1), (1, 2), (2, 3)]]}
    assert "more than 3 times" in str(bounded.matches(".", ["ab", "cd"], False))


def test_a_dictionary_is_read_as_people_write_it() -> None:
    assert marking.read_dictionary("Oslo\nLima\n", entry=Entry("LOC")) == {"Oslo": Entry("LOC"), "Lima": Entry("LOC")}
    text = "name\ttype\tentity\nOslo\tLOC\tOslo_(city)\nThe Who\t\tNIL\n\n"
    assert marking.read_dictionary(text) == {"Oslo": Entry("LOC", "Oslo_(city)"), "The Who": Entry(None, NIL)}
    assert marking.read_dictionary('"Paris, Texas",LOC\n') == {"Paris, Texas": Entry("LOC")}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "holds no names"),
        ("a\tb\tc\td\n", ":1: 4 columns"),
        ("Oslo\tLOC\nOslo\tPER\n", ":2: 'Oslo' is there already"),
        ("\tLOC\n", ":1: the name is empty"),
        ("x" * 501, ":1: longer than 500"),
        ('"open', "is not a table"),
    ],
)
def test_what_is_no_dictionary_is_refused_with_the_line(text: str, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        marking.read_dictionary(text)


def test_a_plan_spares_what_stands_or_was_refused_and_one_undo_takes_all_back(tmp_path: Path) -> None:
    space = Workspace.open(tmp_path)
    documents = [Document(f"d{i}", "Oslo and Oslo and Oslo") for i in range(3)]
    log = space.annotations(space.add_corpus("c", documents))
    log.append(documents[0], AddMention("m", 0, 4, "PER"), user="anna")
    log.append(documents[0], Reject("type", 9, 13, "LOC"), user="anna")
    log.append(documents[1], Reject("type", 9, 13, "PER"), user="anna")
    log.append(documents[2], MarkDone(), user="anna")
    before = log.version()
    rule = marking.same_words("Oslo", Entry("LOC", "Oslo"))
    planned = marking.plan(log, documents, rule, but={"d2"})
    assert [(one.document.id, len(one.marks), one.left) for one in planned] == [("d0", 1, 2), ("d1", 3, 0)]
    assert planned[0].marks == (Mark(18, 22, "LOC", "Oslo"),)
    assert log.version() == before, "a plan writes nothing"
    assert marking.mark_all(log, planned, user="anna") == 4
    assert [len(state.mentions) for _, state in log.states(documents)] == [2, 3, 0]
    assert sum(one.left for one in marking.plan(log, documents, rule)) == 6
    log.undo(user="anna")
    assert [len(state.mentions) for _, state in log.states(documents)] == [1, 0, 0]


def test_what_a_locked_set_does_not_have_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    space = Workspace.open(tmp_path)
    documents = [Document("d", "Oslo")]
    log = space.annotations(space.add_corpus("c", documents))
    planned = marking.plan(log, documents, marking.same_words("Oslo", Entry("LOC")))
    with pytest.raises(InputError, match="has no type 'LOC'"):
        marking.mark_all(log, planned, user="anna", labels=LabelSet((EntityType("PER"),), locked=True))
    assert not log.history()
