"""Scores of types and relations, on a case worked by hand."""

from __future__ import annotations

import pytest

from engine.data.document import Document, Layer, Mention, Relation
from engine.metrics import joint

TEXT = "Oswald shot Kennedy in Dallas"
GOLD = Layer(
    mentions=(Mention(0, 6, "Peop"), Mention(12, 19, "Peop"), Mention(23, 29, "Loc")),
    relations=(Relation(0, 1, "Kill"), Relation(1, 2, "Live_In")),
)
FOUND = Layer(
    mentions=(Mention(0, 6, "Peop"), Mention(12, 19, "Loc"), Mention(23, 29, "Loc")),
    relations=(Relation(0, 1, "Kill"), Relation(2, 1, "Live_In")),
)
DOCUMENT = Document("d", TEXT, layers={"gold": GOLD})


def test_a_case_by_hand():
    report = joint.evaluate([DOCUMENT], [FOUND])
    assert report["relations"]["micro"] == pytest.approx({"precision": 0.5, "recall": 0.5, "f1": 0.5})
    assert report["relations"]["Kill"]["f1"] == 1.0
    assert report["relations"]["Live_In"]["f1"] == 0.0, "direction counts"
    assert report["relations"]["macro"]["f1"] == 0.5
    assert report["entities"]["Loc"] == pytest.approx({"precision": 0.5, "recall": 1.0, "f1": 2 / 3})
    assert report["entity_accuracy"] == pytest.approx(2 / 3)
    assert report["coherence"] == 0.0, "the one correct relation has a wrongly typed argument"


def test_gold_against_itself_is_perfect():
    report = joint.evaluate([DOCUMENT], [GOLD])
    assert report["relations"]["micro"]["f1"] == report["entities"]["macro"]["f1"] == report["coherence"] == 1.0


def test_counts_sum_to_the_micro_scores():
    (counts,) = joint.counts([DOCUMENT], [FOUND])
    assert (counts["correct"], counts["predicted"], counts["gold"]) == (1, 2, 2)
    assert (counts["entities_correct"], counts["entities_gold"]) == (2, 3)


def test_an_empty_prediction_scores_zero_and_is_coherent():
    report = joint.evaluate([DOCUMENT], [Layer()])
    assert report["relations"]["micro"]["f1"] == report["entity_accuracy"] == 0.0
    assert report["coherence"] == 1.0
