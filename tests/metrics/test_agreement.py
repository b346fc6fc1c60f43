"""Agreement against published worked examples and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document, Layer, Mention, Relation
from engine.metrics.agreement import (
    agreement,
    by_label,
    by_relation,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    pair_f1,
)

labels = st.sampled_from("abc")


@given(st.lists(st.tuples(labels, labels), min_size=2, max_size=30))
def test_cohen_kappa_equals_scikit_learn(pairs):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) < 2:
        assert cohen_kappa(first, second) == 1.0
    else:
        assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))


def test_fleiss_kappa_of_the_table_in_wide_use():
    # Fleiss's worked example as commonly tabled: 10 subjects, 14 raters, 5 categories, kappa 0.210.
    table = np.array(
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
    )
    assert fleiss_kappa(table) == pytest.approx(0.210, abs=5e-4)


# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, missing values.
RELIABILITY = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


def test_alpha_of_the_published_nominal_example():
    assert krippendorff_alpha(RELIABILITY) == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_the_published_interval_example():
    assert krippendorff_alpha(RELIABILITY, lambda a, b: float(a - b) ** 2) == pytest.approx(0.849, abs=5e-4)


def test_alpha_of_two_observers_binary_data():
    # Section A of the same text: ten units, two observers, alpha 0.095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(first, second, strict=True))) == pytest.approx(0.095, abs=5e-4)


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=20))
def test_everything_is_symmetric(pairs):
    flipped = [(b, a) for a, b in pairs]
    assert krippendorff_alpha(pairs) == pytest.approx(krippendorff_alpha(flipped))
    first, second = zip(*pairs, strict=True)
    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa(second, first))


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_pair_f1_is_the_harmonic_mean_of_precision_and_recall(first, second):
    if not first or not second:
        assert pair_f1(first, second) == float(first == second)
        return
    right = len(first & second)
    p, r = right / len(second), right / len(first)
    assert pair_f1(first, second) == pytest.approx(2 * p * r / (p + r) if right else 0.0)


DOCUMENT = Document.from_words("d", [["Ann", "left", "Oslo", "."]])
ANNA = Layer(
    mentions=(Mention(0, 3, "PER", "Ann"), Mention(9, 13, "LOC", "Oslo")),
    clusters=((0, 1),),
    relations=(Relation(0, 1, "Live_In"),),
    labels=("news",),
)


def test_annotators_who_say_the_same_agree_fully():
    same = agreement([DOCUMENT], {"anna": [ANNA], "ben": [ANNA]})
    values = [getattr(same, name) for name in same.__dataclass_fields__ if name not in ("annotators", "n_documents")]
    assert values == [1.0] * len(values)


def test_each_layer_of_disagreement_shows_in_its_own_measure():
    ben = Layer(mentions=(Mention(0, 3, "PER", "Ann"), Mention(9, 13, "PER", "Bergen")))
    differ = agreement([DOCUMENT], {"anna": [ANNA], "ben": [ben]})
    assert differ.span_f1 == 1.0 and differ.token_kappa < 1 and differ.type_alpha < 1
    assert differ.link_f1 == 0.5 and differ.relation_f1 == 0.0 and differ.cluster_muc == 0.0
    assert by_label({"anna": [ANNA], "ben": [ben]}) == {"LOC": 0.0, "PER": pytest.approx(2 / 3)}


def test_fleiss_of_two_who_agree_is_one_and_relations_are_counted_by_type():
    one = Layer((Mention(0, 3, "PER"), Mention(4, 7, "LOC")), relations=(Relation(0, 1, "in"),))
    two = Layer((Mention(0, 3, "PER"), Mention(4, 7, "LOC")), relations=(Relation(1, 0, "in"), Relation(0, 1, "of")))
    document = Document.from_words("d", [["Ann", "Rio"]])
    same = agreement([document], {"anna": [one], "ben": [one], "carl": [one]})
    assert same.token_fleiss == 1.0 and same.token_kappa == 1.0
    other = Layer((Mention(0, 3, "LOC"), Mention(4, 7, "LOC")))
    # By hand: tokens PER/LOC and LOC/LOC; agreement 1/2, shares 1/4 and 3/4, chance 5/8.
    differ = agreement([document], {"anna": [one], "ben": [other]})
    assert differ.token_fleiss == pytest.approx((1 / 2 - 5 / 8) / (3 / 8))
    assert by_relation({"anna": [one], "ben": [two]}) == {"in": 0.0, "of": 0.0}
    assert by_relation({"anna": [one], "ben": [one]}) == {"in": 1.0}
