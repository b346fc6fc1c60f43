"""Beams: what is kept, in which order, and with which probability."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.structures.beam import (
    NIL_ROW,
    Ahead,
    Expansion,
    Step,
    keep_best,
    log_total,
    offer,
    read_out,
    room,
    room_to_keep,
    take_over,
    top_of,
    write_sequence,
)

SCORES = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 0.5, 2.0])


@given(data=st.data(), n_live=st.integers(1, 4), n=st.integers(0, 4), width=st.integers(1, 8))
def test_the_best_expansions_are_kept_and_ties_go_to_the_earlier_one(data, n_live: int, n: int, width: int) -> None:
    wide = n + 1
    expansions = data.draw(st.lists(SCORES, min_size=n_live * wide, max_size=n_live * wide))
    future = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n)), dtype=np.float64)
    beam = room(1, n_live * wide, width)
    kept = keep_best(np.array(expansions), n, Ahead(future, 0.25), beam.selection)
    take_over(beam, Step(t=0, first=10, n=n, n_live=n_live, live_from=0), kept)
    ranked = sorted(
        (e for e in range(n_live * wide) if expansions[e] > -np.inf),
        key=lambda e: (-(expansions[e] + (future[e % wide] if e % wide < n else 0.25)), e),
    )[:width]
    expected = [(e // wide, 10 + e % wide if e % wide < n else NIL_ROW) for e in ranked]
    assert [(int(beam.parents[0, k]), int(beam.rows[0, k])) for k in range(kept)] == expected


@given(
    offers=st.lists(
        st.builds(
            Expansion,
            value=st.sampled_from([-1.0, 0.0, 2.0]),
            parent=st.integers(0, 2),
            tie=st.sampled_from([-1.0, 0.0, 1.0]),
            option=st.integers(0, 3),
            note=st.integers(0, 100),
        ),
        max_size=12,
        unique_by=lambda one: (one.parent, one.option),
    ),
    width=st.integers(1, 5),
)
def test_of_expansions_in_any_order_the_best_stay_best_first(offers: list[Expansion], width: int) -> None:
    """By value; then the earlier parent, the higher tie and the later option. Notes stay with their expansions."""
    kept = room_to_keep(width)
    n = 0
    for one in offers:
        n = offer(one, kept, n)
    ranked = sorted(offers, key=lambda one: (-one.value, one.parent, -one.tie, -one.option))[:width]
    assert [Expansion(*(field[k].item() for field in kept)) for k in range(n)] == ranked


@given(values=st.lists(st.floats(-700, 700), min_size=1, max_size=6))
def test_log_total_is_the_log_of_the_sum(values: list[float]) -> None:
    assert log_total(np.array(values)) == pytest.approx(np.logaddexp.reduce(values))


def test_nothing_sums_to_minus_infinity() -> None:
    assert log_total(np.array([-np.inf, -np.inf])) == -np.inf


def test_the_answer_is_the_best_final_sequence() -> None:
    beam = room(2, 4, 2)
    beam.n_kept[:] = 2
    beam.rows[0, :2] = [0, 1]
    beam.scores[0, :2] = [1.0, 0.5]
    beam.rows[1, :2] = [2, 2]
    beam.parents[1, :2] = [0, 1]
    beam.scores[1, :2] = [1.0, 2.0]
    chosen = np.zeros(2, np.int64)
    total = read_out(np.array([0, 1]), beam, 2, chosen)
    assert (total, top_of(beam, 2)) == (2.0, 1)
    assert list(chosen) == [1, 2]
    rows = np.zeros(2, np.int64)
    write_sequence(beam, 2, 1, rows)
    assert list(rows) == [1, 2]
