"""Sentences that put numbers into words: a difference, an operating point, the errors. Pure functions.

Scores are fractions and are written in percent; a p-value is written as how often chance alone would do as much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.workbench.comparison import Comparison, ScoreDelta

DOUBT: Final = 0.05
"""Above this p-value, a difference may well be chance."""
SAME: Final = 0.0005
"""Differences that round to 0.0 percent."""


def p_in_words(p: float) -> str:
    """A p-value for a table: three decimals, and never zero, which it cannot be."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def odds(p: float) -> str:
    """How often chance alone gives so large a difference: "1 in 500"."""
    if p < 0.001:
        return "less than 1 in 1000"
    if p > 0.4:
        return "about as often as not"
    return f"1 in {_two_digits(1 / p)}"


def points(x: float) -> str:
    """A difference of two fractions in percent, with its sign: +3.1, −0.4."""
    # A value that rounds to 0 has no sign.
    return f"{round(100 * x, 1) + 0.0:+.1f}".replace("-", "−")


def percent(x: float) -> str:
    return f"{100 * x:.1f}"


def signed(x: float) -> str:
    """A bias or a score to three digits, with a true minus sign."""
    return f"{x:.3g}".replace("-", "−")


def of_comparison(result: Comparison, main: str, name: str, unit: str) -> str:
    """What B does differently, and whether that is more than chance. `main` is the decisive score, `name` its usual
    name, `unit` the kind of items found."""
    by_name = {one.name: one for one in result.scores}
    decisive = by_name[main]
    told = [_found_and_right(by_name["recall"], by_name["precision"], unit)] if _has_both(by_name) else []
    told.append(_main(decisive, name))
    return " ".join([*told, _chance(decisive)])


def _has_both(scores: Mapping[str, ScoreDelta]) -> bool:
    return "recall" in scores and "precision" in scores


def _found_and_right(recall: ScoreDelta, precision: ScoreDelta, unit: str) -> str:
    """ "B finds 3.1 more of 100 links at the same precision." """
    found, right = recall.difference.value, precision.difference.value
    finds = f"B finds as many of 100 {unit} as A"
    if abs(found) >= SAME:
        finds = f"B finds {percent(abs(found))} {'more' if found > 0 else 'fewer'} of 100 {unit} than A"
    if abs(right) < SAME:
        return f"{finds}, at the same precision."
    if precision.p_permutation >= DOUBT:
        return f"{finds}, at about the same precision ({points(right)})."
    more = "more" if right > 0 else "fewer"
    return f"{finds}; of 100 that it gives, {percent(abs(right))} {more} are right."


def _main(one: ScoreDelta, name: str) -> str:
    low, high = points(one.difference.low), points(one.difference.high)
    if abs(one.difference.value) < SAME:
        return (
            f"{_capital(name)} is the same, {percent(one.second)} % (95 % interval of the difference {low} … {high})."
        )
    way = "higher" if one.difference.value > 0 else "lower"
    by, both = percent(abs(one.difference.value)), f"{percent(one.second)} against {percent(one.first)} %"
    return f"Its {name} is {by} {way}: {both} (95 % interval {low} … {high})."


def _chance(one: ScoreDelta) -> str:
    p = one.p_permutation
    if p >= DOUBT:
        return f"Such a difference by chance: {odds(p)}; these documents do not show that either is better."
    return f"Such a difference by chance: {odds(p)}."


@dataclass(frozen=True)
class Standing:
    """The counts of a system at one operating point: answers, right answers, gold items found, gold items."""

    predicted: int
    correct: int
    found: int
    gold: int

    @property
    def wrong(self) -> int:
        return self.predicted - self.correct


def of_point(here: Standing, kept: Standing, unit: str) -> str:
    """The result at a bias, and the change from the kept bias."""
    if not here.predicted:
        return f"Nothing is answered here: the bias declines everything, and none of {here.gold} {unit} is found."
    right = f"{here.correct / here.predicted * 100:.0f} of 100 answers are right"
    recall = f"{here.found / here.gold * 100:.0f} of 100 {unit} of gold are found" if here.gold else "gold is empty"
    gained, more_wrong = here.correct - kept.correct, here.wrong - kept.wrong
    if here == kept:
        return f"{right}, and {recall}."
    return f"{right}, and {recall}; against the kept bias {_more(gained, 'right')} and {_more(more_wrong, 'wrong')}."


def _more(n: int, what: str) -> str:
    return f"{abs(n)} {'more' if n >= 0 else 'fewer'} {what}"


def of_errors(counts: Mapping[str, int], now: float | None, fixed: Mapping[str, float | None], name: str) -> str:
    """Where most is lost, and which stage would gain most if fixed. `fixed`: the score without each stage's errors."""
    total = sum(counts.values())
    if not total:
        return ""
    worst = max(counts, key=lambda stage: counts[stage])
    most = f"Most is lost at “{worst}”: {counts[worst]} of {total} errors."
    gains = {stage: after - now for stage, after in fixed.items() if after is not None and now is not None}
    if not gains or now is None:
        return most
    best = max(gains, key=lambda stage: gains[stage])
    where = "Without them" if best == worst else f"Fixing “{best}” would help most: without its {counts[best]} errors"
    return f"{most} {where} {name} would be {percent(now + gains[best])} instead of {percent(now)} %."


def _two_digits(x: float) -> int:
    """Rounded to two significant digits; more would suggest false precision."""
    size = 10 ** max(0, math.floor(math.log10(x)) - 1)
    return int(round(x / size) * size)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
