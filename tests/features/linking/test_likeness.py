"""Pairs of n-grams and titles compared at once are alike as sets of their letters and words say."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from engine.features.linking.text.likeness import Likeness, compare
from engine.features.linking.text.titles import Titles
from engine.lexicon.surfaces import fold, plain_title, squeeze, words_of

NAMES = st.one_of(
    st.text("ab Éß(),.–𝔸1", max_size=12),
    st.sampled_from(("New York (city)", "São Paulo", "the the beatles", "ba (x)", "U.S. Army", "St. Louis, Missouri")),
)


def trigrams(text: str) -> set[str]:
    padded = f"  {text} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def alike(key: str, title: str) -> Likeness:
    plain = plain_title(title)
    a, b = trigrams(fold(key)), trigrams(fold(plain.lower()))
    words = set(words_of(title))
    return Likeness(
        dice=2 * len(a & b) / (len(a) + len(b)),
        same_letters=float(squeeze(key) == squeeze(plain)),
        same_title=float(key == title.lower()),
        covered=len(words & set(fold(key).split())) / max(1, len(words)),
        starts_alike=float(squeeze(key)[:4] == squeeze(title)[:4]),
    )


@given(keys=st.lists(NAMES, min_size=1, max_size=4), titles=st.lists(NAMES, min_size=1, max_size=4))
@example(keys=["aaaaaa", "ababab"], titles=["aaa", "baba"])
@example(keys=["the stones"], titles=["the the beatles"])
@example(keys=["são paulo", "sao paulo"], titles=["São Paulo", "Sao (Paulo)"])
def test_pairs_compared_at_once_are_alike_as_each_by_itself(keys, titles):
    key, title = (places.ravel() for places in np.indices((len(keys), len(titles))))
    found = compare(keys, Titles(titles), (key, title))
    expected = [alike(keys[k], titles[t]) for k, t in zip(key, title, strict=True)]
    assert np.array(found).T.tolist() == [list(one) for one in expected]
