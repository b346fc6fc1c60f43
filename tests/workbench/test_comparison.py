"""Comparing systems: deltas are the reports' deltas, tables add up, letters mean what they say."""

import numpy as np
import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.metrics.errors import Error
from engine.metrics.significance import holm
from engine.tasks.base import AnyTask
from engine.tasks.linking.task import Linking
from engine.workbench.comparison import (
    _letters,
    beside_first,
    compare,
    leaderboard,
    shared,
)


class Labels(AnyTask):
    """A task that only scores: labels of documents, right or wrong."""

    name = "labels"
    abstain = "none"

    def counts(self, gold, predicted, asked=None):
        return [
            {
                "correct": len(right := set(d.gold.labels) & set(p.labels)),
                "found": len(right),
                "predicted": len(p.labels),
                "gold": len(d.gold.labels),
            }
            for d, p in zip(gold, predicted, strict=True)
        ]

    def evaluate(self, gold, predicted, model=None):
        sums = {k: sum(row[k] for row in self.counts(gold, predicted)) for k in ("correct", "predicted", "gold")}
        return {
            "precision": sums["correct"] / sums["predicted"] if sums["predicted"] else 0.0,
            "recall": sums["correct"] / sums["gold"],
        }

    rounds = predict = curve = trace = errors = features = pack = unpack = None


Labels.__abstractmethods__ = frozenset()

GOLDS = [Document(str(i), "x", layers={GOLD: Layer(labels=("a", "b"))}) for i in range(60)]


def system(share, seed):
    rng = np.random.default_rng(seed)
    return [Layer(labels=tuple(label if rng.random() < share else label + "!" for label in "ab")) for _ in GOLDS]


def test_deltas_are_those_of_the_reports_and_a_real_one_is_seen():
    first, second = system(0.4, 1), system(0.9, 2)
    result = compare(Labels(), GOLDS, first, second, samples=500)
    by_name = {score.name: score for score in result.scores}
    report = Labels().evaluate(GOLDS, second)
    assert by_name["recall"].second == pytest.approx(report["recall"])
    assert by_name["f1"].difference.low > 0 and by_name["f1"].p_corrected < 0.05
    assert result.all_scores["precision"] == (
        pytest.approx(Labels().evaluate(GOLDS, first)["precision"]),
        pytest.approx(report["precision"]),
    )


def test_a_system_does_not_differ_from_itself():
    same = system(0.5, 3)
    for score in compare(Labels(), GOLDS, same, same, samples=200).scores:
        assert score.difference.value == 0 and score.p_corrected == 1.0


def test_corrected_p_values_are_never_smaller():
    for score in compare(Labels(), GOLDS, system(0.5, 4), system(0.6, 5), samples=300).scores:
        assert score.p_corrected >= score.p_permutation


def test_several_systems_stand_beside_the_first_as_each_alone_would_and_p_is_corrected_for_all():
    systems = {"a": system(0.5, 4), "b": system(0.52, 5), "c": system(0.95, 6), "d": system(0.7, 7)}
    first, *others = beside_first(Labels(), GOLDS, systems, samples=300)
    assert (first.name, first.difference, first.p_corrected) == ("a", None, None)
    for one in others:
        alone = next(
            s for s in compare(Labels(), GOLDS, systems["a"], systems[one.name], samples=300).scores if s.name == "f1"
        )
        assert one.score == alone.second and one.difference == alone.difference
        assert one.p_permutation == alone.p_permutation
    plain, corrected = ([getattr(one, p) for one in others] for p in ("p_permutation", "p_corrected"))
    assert corrected == holm(plain) and corrected != plain
    assert others[1].p_corrected < 0.05 < others[0].p_corrected


def miss(document, gold):
    return Error(document, "miss", "scored lower", "T", 0, 1, gold, "", 0.5)


def test_who_found_what_adds_up_to_gold():
    first = [miss("1", "a"), miss("1", "b")]
    second = [miss("1", "b"), miss("2", "a"), miss("2", "b")]
    table = shared(10, first, second)
    assert table.both + len(table.only_first) + len(table.only_second) + len(table.neither) == 10
    assert [e.gold for e in table.only_second] == ["a"] and [e.document for e in table.only_first] == ["2", "2"]
    assert [(e.document, e.gold) for e in table.neither] == [("1", "b")]


def test_wrong_answers_are_told_apart_by_who_gives_them():
    def alarm(document, answer, spans=None):
        given = Error(document, "false alarm", "scored lower", "T", 0, 9, "", answer, 0.5, arguments=spans)
        return given

    there, back = ((0, 2), (5, 9)), ((5, 9), (0, 2))
    table = shared(3, [alarm("1", "a"), alarm("2", "r", there)], [alarm("1", "a"), alarm("2", "r", back)])
    assert [e.predicted for e in table.wrong_both] == ["a"]
    assert [e.arguments for e in table.wrong_first] == [there], "head and tail are not the same the other way round"
    assert [e.arguments for e in table.wrong_second] == [back]
    assert table.both == 3


def test_systems_that_differ_share_no_letter():
    ranking = leaderboard(
        Labels(), GOLDS, {"good": system(0.95, 1), "also good": system(0.93, 2), "bad": system(0.2, 3)}, samples=500
    )
    letters = {one.name: set(one.letters) for one in ranking}
    assert ranking[-1].name == "bad"
    assert letters["good"] & letters["also good"]
    assert not letters["bad"] & (letters["good"] | letters["also good"])


def test_letters_overlap_where_neighbours_tie_and_ends_differ():
    assert _letters(["a", "b", "c"], {("a", "c")}) == {"a": "a", "b": "ab", "c": "b"}
    assert _letters(["a", "b"], set()) == {"a": "a", "b": "a"}


def test_texts_that_name_entities_without_offsets_are_compared_by_presence():
    """Otherwise every system would score 0 there, and none would differ from any other."""
    gold = [Document(f"t{i}", "Rome and Paris", layers={GOLD: Layer(labels=("Rome", "Paris"))}) for i in range(8)]
    rome, paris = Mention(0, 4, entity="Rome"), Mention(9, 14, entity="Paris")
    half, whole = [Layer(mentions=(rome,))] * 8, [Layer(mentions=(rome, paris))] * 8
    scores = {one.name: one for one in compare(Linking(), gold, half, whole, samples=300).scores}
    assert set(scores) == {"ir_precision", "ir_recall", "ir_f1"}
    assert (scores["ir_recall"].first, scores["ir_recall"].second) == (0.5, 1.0)
    assert scores["ir_f1"].difference.low > 0
    beside = beside_first(Linking(), gold, {"half": half, "whole": whole}, samples=300)
    assert beside[1].score == 1.0 and beside[1].difference.value == pytest.approx(1 / 3)
    assert leaderboard(Linking(), gold, {"half": half, "whole": whole}, samples=300)[0].name == "whole"
    placed = [document.with_layer(GOLD, Layer(mentions=(rome,))) for document in gold]
    named = {one.name for one in compare(Linking(), placed, half, whole, samples=300).scores}
    assert {"precision", "recall", "f1", "ir_f1"} <= named
