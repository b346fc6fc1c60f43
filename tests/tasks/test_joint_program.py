"""The linear program of a sentence is as tight as the product variables of Roth and Yih (2004), whatever the types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.structures.program import Program, Row
from engine.structures.typed_pairs import TypedPairs
from engine.tasks.joint.constraints import Arguments
from engine.tasks.joint.constraints.space import Sameness, Space
from engine.tasks.joint.constraints.terms import Variables
from engine.tasks.joint.constraints.together import tables
from engine.tasks.joint.inference.program import sentence_program

SPACE = Space(("Loc", "Org", "Other", "Peop"), ("none", "Based", "Kill", "Live", "Work"))
type_sets = st.lists(st.sampled_from(SPACE.types), unique=True, max_size=3).map(tuple)


@st.composite
def argument_constraints(draw):
    """For some relations one or two demands on both sides, overlapping as they fall."""
    made = []
    for number in range(draw(st.integers(1, 6))):
        head, tail = draw(type_sets), draw(type_sets)
        if head or tail:
            relation = draw(st.sampled_from(SPACE.relations))
            made.append(Arguments(name=f"{relation} {number}", relation=relation, head=head, tail=tail))
    return tuple(made)


def product_variables(constraints, n):
    """The program with one product per pair, side, label and type that may stand together, as the paper writes it."""
    variables = Variables(SPACE, n, Sameness.unknown())
    rows = variables.exactly_one()
    for i, j in variables.pairs:
        for side, argument in enumerate((i, j)):
            by_type = {t: [] for t in range(len(SPACE.types))}
            for label in range(len(SPACE.labels)):
                products = []
                for t in by_type:
                    if all(may_stand(one, side, label, t) for one in constraints):
                        products.append(variables.extra())
                        by_type[t].append(products[-1])
                rows.append(equal(products, variables.pair(i, j, label)))
            rows += [equal(products, variables.node(argument, t)) for t, products in by_type.items()]
    return Program(variables.n_parts, rows)


def may_stand(one, side, label, t):
    names = (one.head, one.tail)[side]
    return SPACE.label(one.relation) != label or not names or SPACE.types[t] in names


def equal(parts, part):
    return Row((*parts, part), (1.0,) * len(parts) + (-1.0,), "==", 0.0)


def relaxed_value(program, scores):
    padded = np.concatenate([scores, np.zeros(program.n_parts - len(scores))])
    return float(padded @ program.relax(padded))


@settings(max_examples=30)
@given(argument_constraints(), st.integers(2, 3), st.integers(0, 10_000))
def test_the_relaxation_is_that_of_product_variables(constraints, n, seed):
    rng = np.random.default_rng(seed)
    types, labels = rng.normal(size=(n, len(SPACE.types))), rng.normal(size=(n * (n - 1), len(SPACE.labels)))
    made = sentence_program(constraints, SPACE, n, Sameness.unknown())
    scores = made.scores(types, labels, 0.2)
    known = scores[: made.space.numbering(n).n_parts]
    assert relaxed_value(made.program, known) == pytest.approx(relaxed_value(product_variables(constraints, n), known))
    exact = TypedPairs.of(np.array([n]), tables(constraints, SPACE)).decode(types, labels, 0.2).objective[0]
    assert made.program.solve(scores).objective == pytest.approx(exact)


def test_labels_whose_type_sets_overlap_share_what_the_argument_has():
    """A needs a person, B a person or an organisation: a head that is a place to a third leaves two thirds for both."""
    constraints = (
        Arguments(name="a", relation="Kill", head=("Peop",)),
        Arguments(name="b", relation="Work", head=("Peop", "Org")),
    )
    made = sentence_program(constraints, SPACE, 2, Sameness.unknown())
    numbering = SPACE.numbering(2)
    third = Row((numbering.node(0, SPACE.type("Loc")),), (1.0,), ">=", 1 / 3)
    scores = np.zeros(made.program.n_parts)
    for relation in ("Kill", "Work"):
        scores[numbering.pair(0, SPACE.label(relation))] = 1.0
    relaxed = Program(made.program.n_parts, [*made.program.rows, third]).relax(scores)
    assert float(scores @ relaxed) == pytest.approx(2 / 3)


def test_a_row_that_binds_names_the_constraint_of_the_labels_it_holds_back():
    constraints = (
        Arguments(name="killers are people", relation="Kill", head=("Peop",)),
        Arguments(name="workers are people or firms", relation="Work", head=("Peop", "Org")),
    )
    made = sentence_program(constraints, SPACE, 2, Sameness.unknown())
    numbering = SPACE.numbering(2)
    scores = np.zeros(made.program.n_parts)
    scores[numbering.node(0, SPACE.type("Loc"))] = 5.0
    scores[numbering.pair(0, SPACE.label("Kill"))] = 1.0
    solution = made.program.solve(scores)
    assert solution.integral and made.constraints_of(solution.binding) == ("killers are people",)
