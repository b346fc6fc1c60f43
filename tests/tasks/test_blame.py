"""Every stage that a system can lose an answer in, built by hand: a document whose scores we wrote, one stage each.

The corpus of a system has one document per stage. What must come out is known without running anything: the stage of
every error, and the score when exactly the errors of one stage are corrected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention, Relation
from engine.data.edits import DoubtGold, State, apply, label_target, place_target
from engine.features.coreference.templates import Templates
from engine.learners.sgtb.cache import FlatForest
from engine.metrics.errors import STAGES, Doubts, Error, blame_gold, stage_table
from engine.tasks.base import Model, Task
from engine.tasks.coreference.deciding import DecidedTree
from engine.tasks.coreference.errors import find_errors as coreference_errors
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import score as score_coreference
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState
from engine.tasks.disambiguation.deciding import decide as disambiguation_decide
from engine.tasks.disambiguation.errors import errors as disambiguation_errors
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.disambiguation.search.steps import TreeSteps
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.task import Distant
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.task import Joint
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.registry import get, the
from engine.workbench.repair import score_if_fixed, score_without
from tests.tasks.stumps import stump

GOLD_WRONG = STAGES[0]


@dataclass(frozen=True)
class ByHand:
    """Documents named by the one stage that loses an answer there, what was predicted, and the errors found."""

    task: Task
    documents: Sequence[Document]
    predicted: Sequence[Layer]
    errors: Sequence[Error]

    def score(self, layers: Sequence[Layer]) -> float:
        return self.main(self.task.evaluate(self.documents, layers))

    def main(self, report: Mapping[str, Any]) -> float:
        found: Any = report
        for key in self.task.main_score:
            found = found[key]
        return float(found)


def with_gold(id: str, text: str, *mentions: Mention, **rest: Any) -> Document:
    return Document(id, text, layers={GOLD: Layer(mentions, **rest)})


# Linking: "Paris Hilton left Paris", a span for each of Paris Hilton, Paris, Hilton, Paris


def linking_by_hand() -> ByHand:
    text = "Paris Hilton left Paris"
    whole, first, second, last = (0, 12), (0, 5), (6, 12), (18, 23)
    # Per document the candidates (span, entity, score), and what gold says. Nil scores 2 everywhere: the bias.
    written: dict[str, tuple[list[tuple[tuple[int, int], str, float]], Mention]] = {
        "mention not proposed": ([], Mention(13, 17, entity="Departure")),
        "candidate missing": ([(last, "Paris", 3.0)], Mention(*last, entity="Paris, Texas")),
        "declined by the bias": ([(last, "Paris", 1.0)], Mention(*last, entity="Paris")),
        "forced by a constraint": (
            [(whole, "Paris Hilton", 5.0), (first, "Paris", 4.0), (second, "Hilton Hotels", 4.0)],
            Mention(*whole, entity="Paris Hilton"),
        ),
        "scored lower": ([(last, "Paris", 4.0), (last, "Paris, Texas", 3.0)], Mention(*last, entity="Paris, Texas")),
    }
    documents = [with_gold(stage, text, gold) for stage, (_, gold) in written.items()]
    rows = [candidate for candidates, _ in written.values() for candidate in candidates]
    offsets = np.cumsum([0, *(len(candidates) for candidates, _ in written.values())])
    spans, titles, scores = zip(*rows, strict=True)
    scored = LinkingScored.of(documents, offsets, spans, titles, scores, bias=2.0)
    task = get("linking")
    predicted = task.decide(scored)
    return ByHand(task, documents, predicted, task.errors(scored, predicted))


# Disambiguation: two mentions with two candidates each, own scores by a tree, one bonus for a pair


def disambiguation_by_hand() -> ByHand:
    text = "Ann met Bo"
    spans = (0, 3), (8, 10)
    # Codes of A1 A2 B1 B2, and NIL's log-odds at the first mention. A candidate is worth 0, 0.1 (code 1) or 5
    # (code 2); A2 and B2 know each other, worth 3 to whichever comes second. One sequence is kept.
    written = {
        "candidate missing": ([1, 0, 0, 1], -50.0, "A3"),
        # The bias of 10 is more than NIL lacks.
        "declined by the bias": ([0, 2, 0, 1], -5.0, "A2"),
        # A1 leads by a hair, so A2 is dropped at once, though with B2 it would have won.
        "pruned by search": ([1, 0, 0, 1], -50.0, "A2"),
        "scored lower": ([2, 0, 0, 1], -50.0, "A2"),
    }
    titles = ("A1", "A2", "B1", "B2")
    documents = [
        with_gold(stage, text, Mention(*spans[0], entity=gold), Mention(*spans[1], entity="B2"))
        for stage, (_, _, gold) in written.items()
    ]
    n = len(written)
    gold = np.concatenate(
        [[titles.index(g) + 4 * d if g in titles else -2, 3 + 4 * d] for d, (_, _, g) in enumerate(written.values())]
    )
    pairs = np.zeros((n, 4, 4, 1), dtype=np.uint8)
    pairs[:, 1, 3] = pairs[:, 3, 1] = 255
    steps = TreeSteps(
        trees=FlatForest([stump(0, 0, 0.0, 0.1), stump(0, 1, 0.0, 4.9), stump(2, 100, 0.0, 3.0)]).arrays,
        codes=np.concatenate([codes for codes, _, _ in written.values()]).astype(np.uint8)[:, None],
        slot=np.tile(np.arange(4), n),
        surface=np.tile(np.arange(2), n),
        n_slots=np.full(n, 4),
        pair_offsets=16 * np.arange(n + 1),
        pairs=pairs.reshape(-1, 1),
    )
    scored = DisambiguationScored(
        documents=tuple(documents),
        bias=10.0,
        mention_offsets=2 * np.arange(n + 1),
        row_offsets=2 * np.arange(2 * n + 1),
        entity=np.tile(np.arange(4), n),
        titles=titles,
        gold=gold,
        nil=np.array([x for _, odds, _ in written.values() for x in (odds, -50.0)]),
        steps=steps,
        width=1,
    )
    predicted = disambiguation_decide(scored)
    return ByHand(get("disambiguation"), documents, predicted, disambiguation_errors(scored, predicted))


# Coreference: "Ann met Bob . She smiled ." where She is Ann


def coreference_by_hand() -> ByHand:
    words = [["Ann", "met", "Bob", "."], ["She", "smiled", "."]]
    ann, bob, she = Mention(0, 3), Mention(8, 11), Mention(14, 17)
    # Window of antecedents, whether She is proposed, its score with Ann, who its tree gives it to, and who the tree
    # without a root bias.
    written = {
        "mention not proposed": (9, False, 0.0, 0, 0),
        "candidate missing": (1, True, 0.0, 0, 0),
        "declined by the bias": (9, True, 0.0, 0, 1),
        "pruned by search": (9, True, 7.0, 2, 2),
        "scored lower": (9, True, 0.0, 2, 2),
    }
    settings = CoreferenceSettings(mentions="gold")
    state = CoreferenceState(np.zeros(2**22), Templates(), singletons=False)
    documents, predicted, errors = [], [], []
    for stage, (window, proposed, score, head, unbiased_head) in written.items():
        document = Document.from_words(stage, words)
        assert document.surface(she) == "She"
        document = document.with_layer(GOLD, Layer((ann, bob, she), clusters=((0, 2),)))
        seen = document if proposed else document.with_layer(GOLD, Layer((ann, bob)))
        scored = score_coreference([seen], Model("coreference", "laso", replace(settings, window=window), state))
        arc_scores = np.zeros(len(scored.head))
        if proposed:
            arc_scores[scored.arc_offsets[2] :][scored.head[scored.arc_offsets[2] :] == 1] = score
        scored = replace(scored, documents=(document,), score=arc_scores)

        def tree(last: int, scored: CoreferenceScored = scored) -> DecidedTree:
            return DecidedTree(scored, np.array([*([0] * (scored.n - 1)), last], dtype=np.int32))

        layer = Layer((ann, bob, she), clusters=((head - 1, 2),)) if head else Layer((ann, bob, she))
        errors += coreference_errors(layer, tree(head), tree(unbiased_head))
        documents.append(document)
        predicted.append(layer)
    return ByHand(get("coreference"), documents, predicted, errors)


# Distant: one sentence about Ann and Bo, or none


def distant_by_hand() -> ByHand:
    relations = ("born in", "lives in")
    # Per document the scores (nil, born in, lives in) of each sentence, and gold.
    written: dict[str, tuple[list[list[float]], tuple[str, ...]]] = {
        "mention not proposed": ([], ("born in",)),
        "candidate missing": ([[1.0, 0.0, 0.0]], ("wrote",)),
        # The bias of 1 is more than the lead over nil.
        "declined by the bias": ([[0.5, 1.0, 0.0]], ("born in",)),
        "forced by a constraint": ([[0.0, 2.0, 1.0]], ("born in", "lives in")),
        "scored lower": ([[0.0, 1.0, 2.0]], ("born in",)),
    }
    documents = []
    for stage, (sentences, labels) in written.items():
        bag = Bag("Ann", "Bo", tuple(Member(0, 1) for _ in sentences))
        document = with_gold(stage, "Ann Bo", Mention(0, 3), Mention(4, 6), labels=labels)
        documents.append(replace(document, bag=bag))
    scores = np.array([row for sentences, _ in written.values() for row in sentences])
    scored = DistantScored.of(documents, relations, scores).at(1.0)
    task = the(Distant)
    predicted = task.decide(scored)
    return ByHand(task, documents, predicted, task.errors(scored, predicted))


# Joint: Ann, a person, lives in Bonn, a place


def joint_by_hand() -> ByHand:
    ann, bonn = Mention(0, 3, "PER"), Mention(13, 17, "LOC")
    space = Space(("PER", "LOC"), ("none", "lives", "kill"))
    # Probabilities of (none, lives, kill) for Ann and Bonn, gold's relation, the one that was given, who is proposed.
    written = {
        "mention not proposed": ([0.0, 1.0, 0.0], "lives", None, (ann,)),
        "candidate missing": ([0.8, 0.1, 0.1], "works", None, (ann, bonn)),
        # The bias of 1 is more than log(0.6 / 0.3): declining wins.
        "declined by the bias": ([0.3, 0.6, 0.1], "lives", None, (ann, bonn)),
        "forced by a constraint": ([0.1, 0.8, 0.1], "lives", None, (ann, bonn)),
        "scored lower": ([0.1, 0.2, 0.7], "lives", "kill", (ann, bonn)),
    }
    documents, predicted, proposed, types, labels = [], [], [], [], []
    for stage, (chances, wanted, given, mentions) in written.items():
        documents.append(with_gold(stage, "Ann lives in Bonn", ann, bonn, relations=(Relation(0, 1, wanted),)))
        predicted.append(Layer(mentions, relations=(Relation(0, 1, given),) if given else ()))
        proposed.append([mention.span for mention in mentions])
        types += [[0.9, 0.1], [0.1, 0.9]][: len(mentions)]
        labels += [chances, [1.0, 0.0, 0.0]] if len(mentions) == 2 else []
    with np.errstate(divide="ignore"):
        scored = JointScored.of(documents, proposed, space, (np.log(types), np.log(np.array(labels)))).at(1.0)
    task = the(Joint)
    return ByHand(task, documents, predicted, task.errors(scored, predicted))


BY_HAND = {
    "linking": linking_by_hand,
    "disambiguation": disambiguation_by_hand,
    "coreference": coreference_by_hand,
    "distant": distant_by_hand,
    "joint": joint_by_hand,
}
every_system = pytest.mark.parametrize("name", list(BY_HAND))


@every_system
def test_every_stage_that_can_occur_is_built_and_found(name: str) -> None:
    built = BY_HAND[name]()
    assert {document.id for document in built.documents} == {*built.task.stages} - {GOLD_WRONG}
    assert {error.document for error in built.errors} == {document.id for document in built.documents}
    for error in built.errors:
        assert error.stage == error.document, error


@every_system
def test_correcting_one_stage_corrects_exactly_its_document(name: str) -> None:
    built = BY_HAND[name]()
    for i, document in enumerate(built.documents):
        own = [error for error in built.errors if error.document == document.id]
        fixed = built.main(score_if_fixed(built.task, built.documents, built.predicted, own))
        layers = [document.gold if j == i else layer for j, layer in enumerate(built.predicted)]
        assert fixed == pytest.approx(built.score(layers)), document.id
        assert fixed > built.score(built.predicted)
    everything = built.main(score_if_fixed(built.task, built.documents, built.predicted, built.errors))
    assert everything == 1.0


# Gold items, predictions and right ones can be counted on the fingers above; (2 x right) / (gold + predicted).
NUMBERS = {
    "linking": (0.0, {"mention not proposed": 2 / 10, "forced by a constraint": 2 / 8, "scored lower": 2 / 9}),
    "disambiguation": (4 / 8, {"candidate missing": 5 / 8, "pruned by search": 5 / 8, "declined by the bias": 5 / 8}),
    "distant": (2 / 8, {"forced by a constraint": 4 / 9, "declined by the bias": 4 / 9, "scored lower": 4 / 8}),
    "joint": (0.0, {"mention not proposed": 2 / 7, "forced by a constraint": 2 / 7, "scored lower": 2 / 6}),
}


@pytest.mark.parametrize("name", list(NUMBERS))
def test_scores_if_fixed_are_the_numbers_counted_by_hand(name: str) -> None:
    built = BY_HAND[name]()
    now, after = NUMBERS[name]
    assert built.score(built.predicted) == pytest.approx(now)
    for stage, expected in after.items():
        own = [error for error in built.errors if error.stage == stage]
        fixed = score_if_fixed(built.task, built.documents, built.predicted, own)
        assert built.main(fixed) == pytest.approx(expected), stage


@every_system
def test_where_gold_is_marked_wrong_gold_is_to_blame_and_both_golds_are_scored(name: str) -> None:
    built = BY_HAND[name]()
    document = built.documents[-1]
    state = State.of(document.gold)
    if name == "distant":
        state = apply(state, DoubtGold(label_target(document.gold.labels[0])))
        state = apply(state, DoubtGold(label_target(built.predicted[-1].labels[0])))
    elif name == "joint":
        state = apply(state, DoubtGold("r0"))
    else:
        at = next(error for error in built.errors if error.document == document.id)
        mention = next(i for i, m in enumerate(document.gold.mentions) if m.span == (at.start, at.end))
        state = apply(state, DoubtGold(f"g{mention}"))
    blamed = blame_gold(built.errors, {document.id: Doubts.of(state)})
    assert [replace(error, stage="scored lower") for error in blamed] == [
        replace(error, stage="scored lower") for error in built.errors
    ]
    for error in blamed:
        assert error.stage == (GOLD_WRONG if error.document == document.id else error.document)
    assert sum(sum(row.values()) for row in stage_table(blamed).values()) == len(built.errors)
    # Without what was marked wrong the document has no error left: as if it had not been judged there.
    wrong = [error for error in blamed if error.stage == GOLD_WRONG]
    other = built.main(score_without(built.task, built.documents, built.predicted, wrong))
    if name == "disambiguation":  # the other mention of the document is still judged: right 4 of 7
        assert other == pytest.approx(4 / 7)
    else:
        assert other == pytest.approx(built.main(built.task.evaluate(built.documents[:-1], built.predicted[:-1])))


def test_a_place_where_gold_lacks_something_can_be_marked_and_taken_back() -> None:
    document = with_gold("d", "Ann met Bo", Mention(0, 3, entity="Ann"))
    alarm = Error("d", "false alarm", "scored lower", "", 8, 10, "", "Bo", 0.9)
    state = apply(State.of(document.gold), DoubtGold(place_target(8, 10)))
    [blamed] = blame_gold([alarm], {"d": Doubts.of(state)})
    assert blamed.stage == GOLD_WRONG
    state = apply(state, DoubtGold(place_target(8, 10), doubted=False))
    assert blame_gold([alarm], {"d": Doubts.of(state)}) == [alarm]


def test_a_doubted_mention_between_the_arguments_of_a_relation_does_not_concern_it() -> None:
    error = Error("d", "miss", "scored lower", "lives", 0, 17, "lives", "", 0.5, {}, ((0, 3), (13, 17)))
    assert not Doubts(spans=frozenset({(4, 9)})).concern(error)
    assert Doubts(spans=frozenset({(13, 17)})).concern(error)
    assert Doubts(relations=frozenset({((0, 3), (13, 17))})).concern(error)


def test_where_nil_wins_without_the_bias_the_bias_is_not_to_blame() -> None:
    """Also where the bias favours answers, as it does after tuning for F1."""
    paris = with_gold("d", "Paris", Mention(0, 5, entity="Paris"))
    linking = LinkingScored.of([paris], [0, 1], [(0, 5)], ["Paris"], [-2.0], bias=-1.0)
    assert [error.stage for error in get("linking").errors(linking, get("linking").decide(linking))] == ["scored lower"]
    links = DisambiguationScored.from_scores([paris], [[{"Paris": 1.0, "Rome": 0.0}]], nil=[[2.0]], bias=-1.0)
    assert [error.stage for error in disambiguation_errors(links, disambiguation_decide(links))] == ["scored lower"]
    marked = with_gold("p", "Ann Bo", Mention(0, 3), Mention(4, 6), labels=("born in",))
    pair = replace(marked, bag=Bag("Ann", "Bo", (Member(0, 1),)))
    bags = DistantScored.of([pair], ("born in", "lives in"), np.array([[2.0, 0.5, 0.0]])).at(-1.0)
    assert [error.stage for error in the(Distant).errors(bags, the(Distant).decide(bags))] == ["scored lower"]
