"""Why this and not gold, against trying everything: the smallest change of scores is the smallest there is.

`moved` gives the same corpus with other scores. A change by less than the lead leaves the answer wrong, whatever parts
it goes to; the lead itself, taken from what the right output does not have and given to what only it has, makes it
right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.document import GOLD, NIL, Bag, Document, Layer, Member, Mention, Relation
from engine.data.errors import InputError
from engine.metrics.cases import cases
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.distant.scored import DistantScored
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.scored import JointScored
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.registry import get
from engine.tasks.scored import Scored
from engine.workbench.why import contrast, contrasts
from engine.workbench.why.ways import still_wrong

TEXT = "Ann Bo Cy Di"
SPANS = [(0, 3), (4, 6), (7, 9), (10, 12)]
HALF = 0.5
"""Scores are multiples of it, so that sums are exact and a lead is never smaller than half of it."""

Corpus = tuple[str, Scored, Callable[[np.ndarray], Scored], int]
"""The system, its scores, how to change them by a vector, and how long that is."""


def numbers(draw: st.DrawFn, n: int) -> np.ndarray:
    return HALF * np.array(draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n)), dtype=float)


def document(*mentions: Mention, **rest) -> Document:
    return Document("d", TEXT, layers={GOLD: Layer(mentions, **rest)})


@st.composite
def linking(draw: st.DrawFn) -> Corpus:
    spans = [(0, 3), (0, 6), (4, 6), (4, 9), (10, 12)]
    kept = [(span, name) for span in spans for name in "AB" if draw(st.booleans())]
    gold = [Mention(*span, entity=draw(st.sampled_from("AB"))) for span in ((0, 3), (4, 6)) if draw(st.booleans())]
    scores, bias = numbers(draw, len(kept)), HALF * draw(st.integers(-2, 2))
    scored = LinkingScored.of(
        [document(*gold)], [0, len(kept)], [s for s, _ in kept], [n for _, n in kept], scores, bias=bias
    )
    return "linking", scored, lambda by: scored.rescored(scores + by), len(kept)


@st.composite
def disambiguation(draw: st.DrawFn) -> Corpus:
    gold = [Mention(*span, entity=draw(st.sampled_from(["A", "B", "C", NIL]))) for span in SPANS[:2]]
    scores = numbers(draw, 6)

    def made(by: np.ndarray) -> DisambiguationScored:
        """The last two numbers are how far declining each mention is from its candidates."""
        now = (scores + by).tolist()
        candidates = [dict(zip("AB", now[:2], strict=True)), dict(zip("AB", now[2:4], strict=True))]
        return DisambiguationScored.from_scores([document(*gold)], [candidates], nil=[now[4:]])

    return "disambiguation", made(np.zeros(6)), made, 6


@st.composite
def coreference(draw: st.DrawFn) -> Corpus:
    n = 4
    arcs = [(h, d) for d in range(1, n + 1) for h in range(d)]
    label = [draw(st.integers(0, 2)) for _ in range(n)]
    clusters = [tuple(i for i in range(n) if label[i] == c) for c in (1, 2)]
    gold = document(*(Mention(*span) for span in SPANS), clusters=tuple(c for c in clusters if c))
    heads, dependents = (np.array(side) for side in zip(*arcs, strict=True))
    scores, bias = numbers(draw, len(arcs)), HALF * draw(st.integers(-2, 2))

    def made(by: np.ndarray) -> CoreferenceScored:
        return CoreferenceScored.of([gold], [SPANS], [(heads, dependents, scores + by)]).at(bias)

    return "coreference", made(np.zeros(len(arcs))), made, len(arcs)


@st.composite
def distant(draw: st.DrawFn) -> Corpus:
    n, relations = draw(st.integers(1, 2)), ("r", "s")
    members = tuple(Member(head=2 * i, tail=2 * i + 1) for i in range(n))
    mentions = tuple(Mention(*span) for span in SPANS[: 2 * n])
    labels = tuple(name for name in relations if draw(st.booleans())) or ("r",)
    bag = replace(document(*mentions, labels=labels), bag=Bag("a", "b", members))
    size = 3 * n
    scores, prices = numbers(draw, size), numbers(draw, 2)

    def made(by: np.ndarray) -> DistantScored:
        return DistantScored.of([bag], relations, (scores + by[:size]).reshape(n, 3), [prices + by[size:]])

    return "distant", made(np.zeros(size + 2)), made, size + 2


@st.composite
def joint(draw: st.DrawFn) -> Corpus:
    space = Space(("P", "L"), ("none", "r", "s"))
    mentions = tuple(Mention(*span, type=draw(st.sampled_from(["P", "L"]))) for span in SPANS[:2])
    named = draw(st.sampled_from([None, "r", "s"]))
    gold = document(*mentions, relations=(Relation(0, 1, named),) if named else ())
    scores = numbers(draw, 10)

    def made(by: np.ndarray) -> JointScored:
        now = scores + by
        return JointScored.of([gold], [SPANS[:2]], space, (now[:4].reshape(2, 2), now[4:].reshape(2, 3)))

    return "joint", made(np.zeros(10)), made, 10


ALL = {"linking": linking, "disambiguation": disambiguation, "coreference": coreference, "distant": distant}
ALL["joint"] = joint


def is_wrong(task, scored: Scored, case) -> bool:
    return bool(still_wrong(task, scored, task.decide(scored)[0], case))


@pytest.mark.parametrize("name", list(ALL))
@settings(max_examples=15)
@given(data=st.data())
def test_no_smaller_change_of_scores_flips_the_answer_and_the_lead_does(name: str, data: st.DataObject) -> None:
    name, scored, moved, size = data.draw(ALL[name]())
    task = get(name)
    for case in cases(task.errors(scored, task.decide(scored))):
        found = contrast(task, scored, case)
        corners = [sign * np.eye(size)[part] for part in range(size) for sign in (1.0, -1.0)]
        if found.right is None:
            # No score could do it: not even one beyond all others, on any part.
            assert all(is_wrong(task, moved(100.0 * corner), case) for corner in corners)
            continue
        assert found.exact
        assert found.lead is not None
        assert found.lead >= 0
        assert not still_wrong(task, scored, found.right.layer, case)
        less = found.lead - HALF / 4
        if less > 0:
            # Fewer scores changed by less in all: single parts, and two parts by half as much.
            pairs = [(a + b) / 2 for a, b in pairwise(corners)]
            assert all(is_wrong(task, moved(less * step), case) for step in [*corners, *pairs])
        assert not is_wrong(task, moved(favoured(name, task, scored, found, size)), case)


def favoured(name: str, task, scored: Scored, found, size: int) -> np.ndarray:
    """The lead and a little more, for each part that only the right output has, against each that it lacks. A mention
    that is to be declined is helped by raising NIL instead: that competes with all its candidates together."""
    said = {part.number for part in found.said.parts}
    now = {part.number for part in task.list_parts(scored) if part.chosen}
    kept = (now - said) | {part.number for part in found.right.parts}
    step, more = np.zeros(size), found.lead + HALF / 4
    step[[part for part in range(size) if part not in kept]] = -more
    step[[part.number for part in found.right.parts]] = more
    if name == "disambiguation":
        for mention, rows in enumerate(({0, 1}, {2, 3})):
            if not rows & kept:
                step[list(rows)], step[4 + mention] = 0.0, more
    return step


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["linking", "coreference", "distant", "joint"])
@settings(max_examples=15)
@given(data=st.data())
def test_the_nearest_bias_is_the_nearest(name: str, data: st.DataObject) -> None:
    name, scored, *_ = data.draw(ALL[name]())
    task = get(name)
    # Scores are multiples of a half, so nothing changes between multiples of a quarter; 40 is beyond all of them.
    tried = scored.bias + 0.125 + 0.25 * np.arange(-160, 160)
    for case in cases(task.errors(scored, task.decide(scored))):
        found = contrast(task, scored, case).bias
        right = [float(bias) for bias in tried if not is_wrong(task, scored.at(float(bias)), case)]
        assert (found is None) == (not right)
        if found is not None:
            assert not is_wrong(task, scored.at(found.bias), case)
            nearest = min(abs(bias - scored.bias) for bias in right)
            assert abs(found.edge - scored.bias) == pytest.approx(nearest, abs=0.126)


def test_what_was_no_option_cannot_be_brought_about() -> None:
    scored = LinkingScored.of([document(Mention(0, 3, entity="Z"))], [0, 1], [(0, 3)], ["A"], [1.0])
    [found] = contrasts(get("linking"), scored)
    assert found.right is None
    assert found.lead is None
    assert found.stage == "candidate missing"


def test_the_two_sides_are_what_the_outputs_do_not_share() -> None:
    gold = document(Mention(0, 3, entity="A"), Mention(10, 12, entity="D"))
    scored = LinkingScored.of([gold], [0, 3], [(0, 3), (0, 6), (10, 12)], ["A", "B", "D"], [1.0, 3.0, 2.0])
    [found] = contrasts(get("linking"), scored)
    assert [one.value for one in found.said.decisions] == ["B"]
    assert [one.value for one in found.right.decisions] == ["A"]
    assert found.lead == 2.0
    assert found.bias is None


def test_answers_without_scores_cannot_say_why() -> None:
    scored = LinkingScored.of([document(Mention(0, 3, entity="A"))], [0, 1], [(0, 3)], ["B"], [1.0])
    task = get("linking")
    [case] = cases(task.errors(scored, task.decide(scored)))
    with pytest.raises(InputError, match="without scores"):
        contrast(task, replace(scored, answers=(Layer(),)), case)
