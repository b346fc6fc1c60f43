"""A price on one feature is taken from the scores, and survives saving."""

from __future__ import annotations

import numpy as np

from engine.learners import scorers
from engine.learners.linear.scaled import Linear, Scaling
from engine.learners.priced import Priced

ROWS = np.array([[1.0, 0.0], [1.0, 1.0], [-2.0, 2.0]], dtype=np.float32)


def test_rows_pay_by_the_feature_and_others_pay_nothing():
    plain = Linear(np.array([2.0, 0.5]), Scaling.none(2))
    priced = Priced(plain, column=1, price=1.5)
    np.testing.assert_allclose(priced.scores(ROWS), plain.scores(ROWS) - [0.0, 1.5, 3.0])


def test_a_priced_scorer_survives_packing_with_the_scorer_inside():
    priced = Priced(Linear(np.array([2.0, 0.5]), Scaling.none(2)), column=1, price=1.5)
    again = scorers.unpack(scorers.pack(priced))
    assert isinstance(again, Priced) and isinstance(again.scorer, Linear)
    np.testing.assert_array_equal(again.scores(ROWS), priced.scores(ROWS))
