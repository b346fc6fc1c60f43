"""Right and wrong answers are told apart as the errors say, and calibration is the textbook's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document, Layer, Mention, Relation
from engine.metrics.differences import Decision
from engine.metrics.errors import Error
from engine.workbench.answers import Judge, reliability, scored_answers


def alarm(spans, predicted, kind="false alarm"):
    arguments = spans if len(spans) == 2 else None
    start, end = spans[0][0], spans[-1][1]
    return Error("d", kind, "scored lower", "T", start, end, "", predicted, 0.5, arguments=arguments)


def test_an_answer_is_wrong_where_it_is_a_false_alarm_and_right_elsewhere():
    document = Document("d", "Rome and Bari")
    judge = Judge([alarm(((0, 4),), "Rome"), alarm(((0, 4), (9, 13)), "near"), alarm(((9, 13),), "Bari", "miss")])
    assert not judge.is_right(document, Decision(0, 4, "link", "Rome"))
    assert judge.is_right(document, Decision(0, 4, "link", "Roma")), "another answer at the same place"
    assert judge.is_right(document, Decision(9, 13, "link", "Bari")), "a miss is no wrong answer"
    assert not judge.is_right(document, Decision(0, 4, "relation", "near", (9, 13)))
    assert judge.is_right(document, Decision(9, 13, "relation", "near", (0, 4))), "the other way round"
    assert judge.is_right(Document("e", "Rome"), Decision(0, 4, "link", "Rome")), "another document"


def test_answers_with_probabilities_are_collected_with_their_verdict():
    mentions = (Mention(0, 4, entity="Rome", score=0.9), Mention(9, 13, entity="Bari", score=0.4), Mention(5, 8))
    layer = Layer(mentions, relations=(Relation(0, 1, "near", score=0.7),))
    said, right = scored_answers([Document("d", "Rome and Bari")], [layer], [alarm(((9, 13),), "Bari")])
    assert said.tolist() == [0.9, 0.4, 0.7] and right.tolist() == [True, False, True]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=40))
def test_bins_hold_every_answer_once_and_the_error_is_their_mean_distance(pairs):
    said, right = np.array([p for p, _ in pairs]), np.array([r for _, r in pairs], dtype=bool)
    found = reliability(said, right)
    assert sum(one.n for one in found.bins) == len(pairs) == found.n
    by_hand = 0.0
    for b in range(10):
        own = [(p, r) for p, r in pairs if min(int(p * 10), 9) == b]
        if own:
            mean = sum(p for p, _ in own) / len(own)
            by_hand += abs(mean - sum(r for _, r in own) / len(own)) * len(own) / len(pairs)
    assert found.expected_error == pytest.approx(by_hand)
