"""Sentences on numbers say what the numbers say, and never more."""

from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.significance import ScoreDifference
from engine.workbench.comparison import Comparison, ScoreDelta
from engine.workbench.verdicts import Standing, odds, of_comparison, of_errors, of_point, p_in_words


def delta(name: str, first: float, second: float, p: float) -> ScoreDelta:
    d = second - first
    return ScoreDelta(name, first, second, ScoreDifference(d, d - 0.01, d + 0.01, p), p, p)


def verdict(*scores: ScoreDelta, name: str = "F1") -> str:
    return of_comparison(Comparison(10, scores, {}), scores[-1].name, name, "links")


@given(st.floats(1e-9, 1.0))
def test_chance_is_never_zero_and_is_told_to_two_digits(p):
    assert "0.000" not in p_in_words(p) and p_in_words(p) != ""
    said = odds(p)
    if said.startswith("1 in "):
        assert abs(int(said[5:]) - 1 / p) <= max(0.5, 0.05 / p)
    else:
        assert said == ("less than 1 in 1000" if p < 0.001 else "about as often as not")


def test_p_values_have_three_decimals_or_are_too_small_for_them():
    told = [p_in_words(p) for p in (0.0, 0.0004, 0.001, 0.25, 1.0)]
    assert told == ["< 0.001", "< 0.001", "0.001", "0.250", "1.000"]


def test_more_found_at_the_same_precision():
    said = verdict(delta("precision", 0.8, 0.8, 1.0), delta("recall", 0.5, 0.531, 0.002), delta("f1", 0.6, 0.64, 0.002))
    assert said.startswith("B finds 3.1 more of 100 links than A, at the same precision.")
    assert "Its F1 is 4.0 higher: 64.0 against 60.0 %" in said and said.endswith("by chance: 1 in 500.")


def test_a_difference_that_may_be_chance_is_not_called_better():
    said = verdict(delta("accuracy", 0.7, 0.68, 0.3), name="accuracy")
    assert "Its accuracy is 2.0 lower" in said and "do not show that either is better" in said


def test_precision_is_named_where_it_moved():
    said = verdict(delta("precision", 0.8, 0.7, 0.01), delta("recall", 0.5, 0.5, 1.0), delta("f1", 0.6, 0.58, 0.04))
    assert "as many of 100 links" in said and "10.0 fewer are right" in said


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_an_operating_point_against_the_kept_one(predicted, correct, kept, gold):
    correct = min(correct, predicted)
    here = Standing(predicted, correct, min(correct, gold), gold)
    home = Standing(kept, min(kept, 5), 0, gold)
    said = of_point(here, home, "links")
    if not predicted:
        assert "declines everything" in said
    elif here != home:
        difference = correct - home.correct
        assert f"{abs(difference)} {'more' if difference >= 0 else 'fewer'} right" in said


def test_the_stage_that_loses_most_and_the_one_that_pays_most():
    counts = {"candidate missing": 3, "scored lower": 9}
    said = of_errors(counts, 0.5, {"candidate missing": 0.8, "scored lower": 0.6}, "F1")
    assert "“scored lower”: 9 of 12" in said and "“candidate missing”" in said and "80.0 instead of 50.0 %" in said
    same = of_errors(counts, 0.5, {"candidate missing": 0.51, "scored lower": 0.6}, "F1")
    assert "Without them F1 would be 60.0" in same
    assert of_errors({}, 0.5, {}, "F1") == ""
