"""Statistics of summed counts are the corpus scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.coreference import count_clusters, report
from engine.metrics.coreference_statistics import b3, ceafe, conll, lea, muc


@st.composite
def clusters(draw):
    labels = draw(st.lists(st.integers(0, 3), min_size=1, max_size=7))
    return [[i for i, c in enumerate(labels) if c == k] for k in sorted(set(labels))]


@given(st.lists(st.tuples(clusters(), clusters()), min_size=1, max_size=4))
def test_they_equal_the_report_on_the_same_sums(pairs):
    sums = np.sum([count_clusters(k, r) for k, r in pairs], axis=0)
    scores = report(sums)
    for function in (muc, b3, ceafe, lea):
        assert float(function(sums)) == pytest.approx(scores[function.__name__]["f1"])
    assert float(conll(sums)) == pytest.approx(scores["conll"])
    assert conll(np.stack([sums, sums])).shape == (2,)
