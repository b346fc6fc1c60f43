"""The constraint language: what it reads, what it refuses and how it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.data.errors import InputError
from engine.tasks.joint.constraints import Arguments, Count, Exclusive, Implication, SameType, Symmetric, language
from engine.tasks.joint.constraints.arguments import licensed
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.together import enabled, with_switch, with_weight

SAMPLE = Path(__file__).parents[2] / "sample_data" / "joint" / "constraints.toml"

EVERY_KIND = (
    Arguments(name="a", relation="Work", head=("Peop",), tail=("Org", "Loc"), weight=1.5),
    Exclusive(name="b", relations=("Kill", "Work"), scope="sentence", enabled=False),
    Count(name="c", relation="Kill", at_least=1, at_most=2),
    Count(name="d", type="Peop", exactly=3),
    Implication(name="e", if_relation="Kill", then_relation="Work", scope="sentence"),
    Symmetric(name='f "quoted" \\ and\ttabbed', relation="Spouse"),
    SameType(name="g", source="phrase", weight=1e-7),
    Symmetric(name="h \U000e0001 \x7f \n \u2028 👩", relation="Spouse", weight=0.1 + 0.2),
)


def test_writing_and_reading_gives_the_same_constraints():
    assert language.parse(language.to_toml(EVERY_KIND)) == EVERY_KIND
    assert language.from_json(language.to_json(EVERY_KIND)) == EVERY_KIND


def test_the_sample_file_has_every_constraint_a_name_and_reads():
    read = language.read(SAMPLE)
    assert len({one.name for one in read}) == len(read) >= 8
    assert {one.kind for one in read} >= {"arguments", "exclusive", "count", "same_type"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[constraint]]\nkind = 'count'", ["name"]),
        ("[[constraint]]\nname = 'x'\nkind = 'rule'", ["kind", "arguments, exclusive", "'x'"]),
        ("[[constraint]]\nname = 'x'\nkind = 'arguments'\nrelation = 'Kill'\nheads = ['Peop']", ["heads", "head"]),
        ("[[constraint]]\nname = 'x'\nkind = 'arguments'\nhead = ['Peop']", ["relation"]),
        ("[[constraint]]\nname = 'x'\nkind = 'arguments'\nrelation = 'Kill'", ["head", "tail"]),
        ("[[constraint]]\nname = 'x'\nkind = 'count'\nrelation = 'Kill'", ["at_least"]),
        ("[[constraint]]\nname = 'x'\nkind = 'count'\nrelation = 'Kill'\nat_most = -1", ["at_most", "whole number"]),
        ("[[constraint]]\nname = 'x'\nkind = 'count'\nrelation = 'K'\nat_least = 2\nat_most = 1", ["2", "1"]),
        ("[[constraint]]\nname = 'x'\nkind = 'count'\nrelation = 'K'\ntype = 'T'\nexactly = 1", ["one of the two"]),
        ("[[constraint]]\nname = 'x'\nkind = 'symmetric'\nrelation = 'K'\nweight = -1", ["weight", "hard"]),
        ("[[constraint]]\nname = 'x'\nkind = 'exclusive'\nrelations = ['K']\nscope = 'page'", ["scope", "sentence"]),
        ("[[constraint]]\nname = 'x'\nkind = 'symmetric'\nrelation = 3", ["relation"]),
        ("[constraint]\nname = 'x'", ["[[constraint]]"]),
        ("[[constraints]]\nname = 'x'", ["constraints"]),
        ("name = ", ["TOML"]),
    ],
)
def test_a_slip_is_named_with_its_file_and_field(text, words):
    with pytest.raises(InputError) as error:
        language.parse(text, "rules.toml")
    message = str(error.value)
    assert "rules.toml" in message and "\n" not in message
    for word in words:
        assert word in message


def test_two_constraints_cannot_share_a_name():
    one = "[[constraint]]\nname = 'x'\nkind = 'symmetric'\nrelation = 'K'\n"
    with pytest.raises(InputError, match="two constraints"):
        language.parse(one + one)


def test_names_that_the_data_do_not_have_are_an_error():
    with pytest.raises(InputError, match="Spouse"):
        language.check_names(EVERY_KIND[5:6], Space(("Peop",), ("none", "Kill")))


def test_licences_come_from_the_data_and_stray_cases_license_nothing():
    triples = [("Kill", "Peop", "Peop")] * 60 + [("Kill", "Org", "Peop")] + [("Live", "Peop", "Loc")] * 5
    kill, live = licensed(triples, ["Kill", "Live"])
    assert (kill.head, kill.tail) == (("Peop",), ("Peop",))
    assert (live.head, live.tail) == (("Peop",), ("Loc",))


def test_switches_and_weights_change_one_constraint():
    off = with_switch(EVERY_KIND, "a", on=False)
    assert [one.name for one in enabled(off)] == [one.name for one in EVERY_KIND if one.name not in "ab"]
    assert with_weight(EVERY_KIND, "a", None)[0].is_hard


def test_deep_nesting_is_refused():
    with pytest.raises(InputError, match="nested"):
        language.parse("constraint = " + "[" * 3000 + "]" * 3000)
