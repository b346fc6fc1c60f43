"""All rungs of the ladder agree, hard constraints hold, and clashes are explained."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from engine.data.document import Document
from engine.structures.program import Conflict
from engine.structures.typed_pairs import TypedPairs, position
from engine.tasks.joint.constraints import Arguments, Count, Exclusive, Implication, SameType, Symmetric
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.terms import Output
from engine.tasks.joint.constraints.together import tables, violations
from engine.tasks.joint.inference import Decoder, PartPin, branching
from engine.tasks.joint.inference.decoder import UNSCORED
from engine.tasks.joint.inference.program import sentence_program
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.what_if.runner_up import runner_up

SPACE = Space(("Loc", "Org", "Peop"), ("none", "Kill", "Live", "Work"))
ARGUMENTS = (
    Arguments(name="kill", relation="Kill", head=("Peop",), tail=("Peop",)),
    Arguments(name="live", relation="Live", head=("Peop",), tail=("Loc",)),
    Arguments(name="work", relation="Work", head=("Peop",), tail=("Org",)),
)
TWICE = "a a b c"
"""Words of a sentence whose first two mentions are the same thing."""
LOCAL = (
    *ARGUMENTS[:2],
    Arguments(name="soft work", relation="Work", head=("Peop",), tail=("Org",), weight=0.7),
    Exclusive(name="one way", relations=("Kill", "Work")),
    Symmetric(name="mutual", relation="Live", weight=0.4),
    Implication(name="back", if_relation="Kill", then_relation="Work", weight=0.3),
    SameType(name="same", source="phrase", weight=0.5),
)
GLOBAL = (
    Count(name="few kills", relation="Kill", at_most=1),
    Count(name="some place", type="Loc", at_least=1, weight=0.6),
    Exclusive(name="kill or work", relations=("Kill", "Work"), scope="sentence", weight=0.8),
    Implication(name="work needs live", if_relation="Work", then_relation="Live", scope="sentence"),
)


def scored(rng, n, scale=1.0, words="a b c d", bias=0.0):
    """A sentence whose first n words are mentions, with random scores."""
    types = scale * rng.normal(size=(n, len(SPACE.types)))
    labels = scale * rng.normal(size=(n * (n - 1), len(SPACE.labels)))
    spans = [(2 * i, 2 * i + 1) for i in range(n)]
    return JointScored.of([Document(f"of {n}", words)], [spans], SPACE, (types, labels)).at(bias)


def broken(sentence, constraints, types, labels):
    return violations(constraints, Output(SPACE, np.array(types), np.array(labels), sentence.sameness))


def best_by_enumeration(sentence, constraints):
    """Every output of a sentence of two nodes, priced by `violations`."""
    n = int(sentence.sizes[0])
    best = -np.inf
    for types in itertools.product(range(len(SPACE.types)), repeat=n):
        base = sum(sentence.type_score[i, t] for i, t in enumerate(types))
        for labels in itertools.product(range(len(SPACE.labels)), repeat=n * (n - 1)):
            total = base + sum(sentence.label_score[p, y] for p, y in enumerate(labels))
            total += sentence.bias * labels.count(0)
            if total > best:
                best = max(best, total - sum(v.price for v in broken(sentence, constraints, types, labels)))
    return best


def test_all_rungs_give_the_same_objective_on_500_random_sentences():
    rng = np.random.default_rng(0)
    programs = {n: sentence_program(ARGUMENTS, SPACE, n, Sameness.unknown()) for n in (1, 2, 3, 4)}
    search = {n: TypedPairs.of(np.array([n]), tables(ARGUMENTS, SPACE)) for n in (1, 2, 3, 4)}
    fractional = 0
    for k in range(500):
        n = 1 + k % 4
        sentence = scored(rng, n, scale=1.0 + k % 3)
        exact = search[n].decode(sentence.type_score, sentence.label_score, 0.2).objective[0]
        program = programs[n]
        scores = program.scores(sentence.type_score, sentence.label_score, 0.2)
        solution = program.program.solve(scores)
        assert solution.objective == pytest.approx(exact)
        assert solution.bound >= exact - 1e-7
        fractional += not solution.integral
        if k % 100 == 3:
            assert program.program.cross_check(scores).objective == pytest.approx(exact)
    assert fractional > 0, "random scores must reach the integer rung too"


@pytest.mark.parametrize("constraints", [LOCAL, GLOBAL, (*LOCAL, *GLOBAL)], ids=["local", "global", "all"])
def test_every_kind_of_constraint_is_priced_alike_by_search_program_and_enumeration(constraints):
    rng = np.random.default_rng(1)
    for k in range(12):
        words = TWICE if k % 2 else "a b"
        sentence = replace(scored(rng, 2, scale=1.5, words=words, bias=-0.3), constraints=constraints)
        best = best_by_enumeration(sentence, constraints)
        decoder = Decoder.of(sentence)
        decisions = decoder.decode(sentence)
        assert decisions.objective[0] == pytest.approx(best)
        solution, program = decoder.solve(decoder.sentences(sentence), sentence.bias)
        assert solution.objective == pytest.approx(best)
        for output in (program.output(solution.parts), (decisions.types, decisions.labels)):
            assert not any(v.hard for v in broken(sentence, constraints, *output))


@pytest.mark.parametrize("constraints", [ARGUMENTS, (*ARGUMENTS, *GLOBAL[:3])], ids=["pairs", "sentence-wide"])
@pytest.mark.parametrize("within", [np.inf, 1.0])
def test_the_path_agrees_with_decoding(constraints, within):
    rng = np.random.default_rng(2)
    decoder = Decoder(SPACE, constraints)
    sentences = [scored(rng, n, scale=2.0) for n in (3, 0, 4, 1, 2, 3)]
    together = JointScored.joined(sentences)
    for sentence, path in zip(sentences, decoder.paths(together, within), strict=True):
        assert path.bias[0] == -np.inf and np.all(np.diff(path.bias) > 0)
        assert np.all(np.abs(path.bias[1:]) <= within)
        for bias in (one for one in (-3.0, -0.5, 0.0, 0.5, 3.0) if abs(one) < within):
            step = int(np.searchsorted(path.bias, bias, side="right")) - 1
            decided = decoder.decode(sentence.at(bias))
            assert (path.labels[step] == decided.labels).all()
            assert (path.types[step] == decided.types).all()


def test_sentence_wide_constraints_are_branched_to_the_program_s_answer():
    """Sentences too large to enumerate, every kind hard and soft, alone and together."""
    rng = np.random.default_rng(7)
    kinds = (
        Count(name="kills", relation="Kill", at_most=1),
        Count(name="kills wanted", relation="Kill", at_least=3),
        Count(name="no lives", relation="Live", exactly=0),
        Count(name="people", type="Peop", at_least=1, at_most=2),
        Exclusive(name="one of three", relations=("Kill", "Live", "Work"), scope="sentence"),
        Implication(name="work needs live", if_relation="Work", then_relation="Live", scope="sentence"),
    )
    branched = 0
    for k in range(40):
        weights = [None if rng.random() < 0.5 else float(rng.choice([0.3, 1.0])) for _ in kinds]
        # All of them at once and hard can clash, so some are left out.
        chosen = [replace(one, weight=w) for one, w in zip(kinds, weights, strict=True) if rng.random() < 0.5]
        sentence = scored(rng, 3 + k % 2, scale=1.0 + k % 3, bias=-0.3)
        decoder = Decoder(SPACE, (*LOCAL[2:], *chosen))
        try:
            solution, _ = decoder.solve(decoder.sentences(sentence), sentence.bias)
        except Conflict:
            with pytest.raises(Conflict):
                decoder.decode(sentence)
            continue
        decided = decoder.decode(sentence)
        branched += decided.rungs == ("search",)
        assert decided.objective[0] == pytest.approx(solution.objective)
        price = sum(v.price for v in broken(sentence, decoder.constraints, decided.types, decided.labels))
        free = Decoder(SPACE, ()).sentences(sentence)
        plain = free.structure.value(free.types, free.labels, (decided.types, decided.labels))[0]
        assert plain - 0.3 * (decided.labels == 0).sum() - price == pytest.approx(decided.objective[0])
    assert branched > 25, "most of them must be settled without the program"


@pytest.mark.parametrize("constraints", [ARGUMENTS, (*LOCAL, *GLOBAL)], ids=["arguments", "all"])
def test_programs_decide_as_the_search_does(constraints):
    """Scores on which the linear program is often fractional, pins included."""
    rng = np.random.default_rng(8)
    sentences = JointScored.joined([scored(rng, n, scale=2.0) for n in (0, 1, 3, 3, *(4,) * 40)])
    pins = {2: [PartPin(0, False, "the first node is no Loc")]}
    decided = {how: Decoder(SPACE, constraints, how).decode(sentences, pins) for how in ("exact", "lp", "ilp")}
    for other in (decided["lp"], decided["ilp"]):
        assert other.objective == pytest.approx(decided["exact"].objective)
        assert (other.types == decided["exact"].types).all() and (other.labels == decided["exact"].labels).all()
    assert set(decided["lp"].rungs) == {"lp", "milp"} and set(decided["ilp"].rungs) == {"milp"}


@pytest.mark.parametrize("inference", ["exact", "lp", "ilp"])
def test_a_clash_is_explained_whoever_meets_it(inference):
    never = (Count(name="two killings", relation="Kill", at_least=2),)
    with pytest.raises(Conflict) as clash:
        Decoder(SPACE, never, inference).decode(scored(np.random.default_rng(6), 1))
    assert clash.value.names == ("two killings",)


@pytest.mark.parametrize("inference", ["exact", "lp", "ilp"])
@pytest.mark.parametrize("bias", [-1e308, -1e20, 1e20, 1e308])
def test_a_bias_of_any_size_decides_as_one_that_outweighs_all_scores(bias, inference):
    """A bias comes from an address or a model file. No output loses its legality by it."""
    rng = np.random.default_rng(9)
    sentences = JointScored.joined([scored(rng, n) for n in (0, 1, 2, 3, 4)])
    decoder = Decoder(SPACE, (*LOCAL, *GLOBAL), inference)
    usual, found = (decoder.decode(sentences.at(at)) for at in (np.copysign(1e6, bias), bias))
    assert (found.types == usual.types).all() and (found.labels == usual.labels).all()


def test_too_many_cases_go_to_the_program(monkeypatch):
    sentence = scored(np.random.default_rng(0), 4, scale=2.0)
    decoder = Decoder(SPACE, (Count(name="many", relation="Kill", at_least=9),))
    searched = decoder.decode(sentence)
    monkeypatch.setattr(branching, "MOST_CASES", 0)
    programmed = decoder.decode(sentence)
    assert searched.rungs == ("search",) and programmed.rungs[0] in ("lp", "milp")
    assert programmed.objective == pytest.approx(searched.objective)


def test_a_switched_off_constraint_constrains_nothing():
    rng = np.random.default_rng(3)
    off = tuple(Count(name="none at all", relation=r, exactly=0, enabled=False) for r in ("Kill",))
    sentence = scored(rng, 3, scale=2.0)
    assert Decoder(SPACE, off).decode(sentence).objective == pytest.approx(
        Decoder(SPACE, ()).decode(sentence).objective
    )


def test_pins_hold_and_pull_their_neighbours_along():
    rng = np.random.default_rng(4)
    decoder = Decoder(SPACE, ARGUMENTS)
    for _ in range(20):
        sentence = scored(rng, 3)
        pair = position(3, 0, 2)
        kill = PartPin(sentence.numbering.pair(pair, 1), True, "pin: Kill")
        decided = decoder.decode(sentence, {0: [kill, PartPin(sentence.numbering.node(1, 0), False, "no")]})
        assert decided.labels[pair] == 1
        assert decided.types[0] == decided.types[2] == SPACE.type("Peop")
        assert decided.types[1] != 0
        free = decoder.decode(sentence)
        assert decided.objective[0] <= free.objective[0] + 1e-9


def test_a_clash_names_the_smallest_set_of_constraints_and_pins():
    sentence = scored(np.random.default_rng(5), 3)
    extra = (Count(name="no people", type="Peop", exactly=0), Count(name="a crowd", type="Org", at_least=1))
    decoder = Decoder(SPACE, (*ARGUMENTS, *extra))
    numbering = sentence.numbering
    pin = PartPin(numbering.pair(position(3, 0, 1), 1), True, "pin: Kill(a, b)")
    with pytest.raises(Conflict) as clash:
        decoder.decode(sentence, {0: [pin]})
    assert set(clash.value.names) == {"kill", "no people", "pin: Kill(a, b)"}
    with pytest.raises(Conflict) as clash:
        decoder.decode(sentence, {0: [PartPin(0, True, "pin: Loc"), PartPin(1, True, "pin: Org")]})
    assert set(clash.value.names) == {"pin: Loc", "pin: Org"}
    with pytest.raises(Conflict) as clash:
        decoder.decode(sentence, {0: [PartPin(0, True, "pin: Loc"), PartPin(0, False, "pin: not Loc")]})
    assert set(clash.value.names) == {"pin: Loc", "pin: not Loc"}


def test_what_was_not_scored_clashes_with_a_pin_on_it() -> None:
    """Another program may list one type of a mention only: forbidding that one, or asking for another, cannot be."""
    space = Space(("Peop", "Loc"), ("none", "Kill"))
    types, labels = np.log([[1.0, 1e-9], [0.6, 0.4]]), np.log([[0.3, 0.7], [0.9, 0.1]])
    types[0, 1] = -np.inf
    text = Document("j1", "Booth shot Lincoln")
    scored = JointScored.of([text], [[(0, 5), (11, 18)]], space, (types, labels))
    decoder = Decoder.of(scored)
    for pin in (PartPin(0, False, "not Peop"), PartPin(1, True, "Loc")):
        with pytest.raises(Conflict) as clash:
            decoder.settle(decoder.sentences(scored).pinned({0: [pin]}), np.zeros(1))
        assert sorted(clash.value.names) == sorted([UNSCORED, pin.name])
    told = runner_up(scored, 0)
    assert (told.chosen, told.margin) == ("Peop", None)
