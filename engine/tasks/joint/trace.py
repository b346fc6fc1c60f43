"""What joint inference did on one sentence: before and after, violations by name, the LP's fractions, costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.data.document import Document, Mention
from engine.data.errors import InputError
from engine.data.pins import NoPlace, Pin, RelationPin, TypePin, UnknownName
from engine.structures.program import Conflict, Rung
from engine.structures.typed_pairs import pair_index, position, value
from engine.tasks.base import Model
from engine.tasks.joint.compile import Floats, Ints, Space, Violation, violations
from engine.tasks.joint.constraints import Constraint
from engine.tasks.joint.inference import Decoder, NodePin, PairPin, Path, Scored, SentencePins
from engine.tasks.joint.model import decoder, gold_labels


@dataclass(frozen=True, eq=False)
class JointTrace:
    """One sentence. Nodes are mentions in order, pairs are ordered pairs, i-major; scores are log probabilities."""

    document: str
    surfaces: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    pairs: tuple[tuple[int, int], ...]
    space: Space
    constraints: tuple[Constraint, ...]
    bias: float
    type_scores: Floats
    label_scores: Floats
    gold_types: Ints
    """-1 where gold says nothing."""
    gold_labels: Ints
    before_types: Ints
    before_labels: Ints
    after_types: Ints
    after_labels: Ints
    before_violations: tuple[Violation, ...]
    after_violations: tuple[Violation, ...]
    before_score: float
    """Sum of scores of the classifiers' own choices, legal or not, with the bias."""
    objective: float
    """What inference maximised: the decision's scores, with the bias, less the prices of soft constraints it breaks."""
    rung: Rung
    integral: bool
    bound: float
    relaxed_types: Floats
    relaxed_labels: Floats
    binding: tuple[str, ...]
    """Constraints that hold the decision: rows at their bound."""
    conflict: tuple[str, ...]
    """A smallest set of constraints and pins that cannot hold together; then `after` is `before`."""
    path: Path | None
    """Every best output as the bias rises, without the pins."""

    @property
    def gap(self) -> float:
        return max(0.0, self.bound - self.objective)

    @property
    def cost(self) -> float:
        return -self.objective


def trace(
    document: Document, mentions: Sequence[Mention], scored: Scored, model: Model, bias: float, pins: Sequence[Pin]
) -> JointTrace:
    """Decide one sentence (a scored corpus of one) and keep what happened."""
    inference = decoder(model)
    space, groups = inference.space, scored.groups[0]
    chosen = sentence_pins(document, mentions, space, pins)
    free = Decoder(space, ())
    before = free.decode(scored, bias)
    types, labels = before.types, before.labels
    conflict: tuple[str, ...] = ()
    try:
        after = inference.decode(scored, bias, {0: chosen})
        solution, program = inference.solve(scored, bias, chosen)
    except Conflict as clash:
        conflict = clash.names
        after = before
        solution, program = free.solve(scored, bias)
    n, n_types, n_labels = len(mentions), len(space.types), len(space.labels)
    relaxed = solution.relaxed
    objective = float(after.objective[0])
    gold_t, gold_l = gold_labels(document, mentions, space)
    rows = program.program.rows
    return JointTrace(
        document=document.id,
        surfaces=tuple(document.surface(mention) for mention in mentions),
        spans=tuple(mention.span for mention in mentions),
        pairs=tuple((int(i), int(j)) for i, j in pair_index(n)),
        space=space,
        constraints=model.state.constraints,
        bias=bias,
        type_scores=scored.corpus.types,
        label_scores=scored.corpus.labels,
        gold_types=gold_t,
        gold_labels=gold_l,
        before_types=types,
        before_labels=labels,
        after_types=after.types,
        after_labels=after.labels,
        before_violations=tuple(violations(model.state.constraints, space, types, labels, groups)),
        after_violations=tuple(violations(model.state.constraints, space, after.types, after.labels, groups)),
        before_score=_score(free, scored, types, labels, bias),
        objective=objective,
        rung=after.rungs[0],
        integral=solution.integral,
        bound=solution.bound,
        relaxed_types=relaxed[: n * n_types].reshape(n, n_types),
        relaxed_labels=relaxed[n * n_types : n * n_types + n * (n - 1) * n_labels].reshape(n * (n - 1), n_labels),
        binding=_names(rows[i].name for i in solution.binding),
        conflict=conflict,
        path=None if conflict else inference.paths(scored)[0],
    )


def _names(joined: object) -> tuple[str, ...]:
    """Grouped rows carry the names of all their constraints."""
    names: dict[str, None] = {}
    for text in joined:  # type: ignore[attr-defined]
        names.update(dict.fromkeys(text.split(" + ")))
    return tuple(names)


def _score(free: Decoder, scored: Scored, types: Ints, labels: Ints, bias: float) -> float:
    return float(value(scored.corpus, free.tables, types, labels)[0]) + bias * int((labels == 0).sum())


def sentence_pins(document: Document, mentions: Sequence[Mention], space: Space, pins: Sequence[Pin]) -> SentencePins:
    """A user's pins in the terms of nodes and pairs, with names that a conflict can quote."""
    node = {mention.span: i for i, mention in enumerate(mentions)}
    n = len(mentions)
    made: list[NodePin | PairPin] = []

    def find(span: tuple[int, int]) -> int:
        if span not in node:
            raise NoPlace(f"document {document.id!r} has no mention at {span[0]}–{span[1]} to pin")
        return node[span]

    def index(names: Sequence[str], name: str, what: str) -> int:
        if name not in names:
            raise UnknownName(f"the model knows no {what} {name!r}; it has {', '.join(names)}")
        return list(names).index(name)

    for pin in pins:
        no = "" if pin.holds else "not "
        if isinstance(pin, TypePin):
            i = find(pin.span)
            name = f"pin: {document.surface(mentions[i])} is {no}{pin.type}"
            made.append(NodePin(i, index(space.types, pin.type, "type"), pin.holds, name))
        elif isinstance(pin, RelationPin):
            i, j = find(pin.head), find(pin.tail)
            if i == j:
                raise NoPlace("a relation needs two different mentions")
            name = f"pin: {no}{pin.type}({document.surface(mentions[i])}, {document.surface(mentions[j])})"
            made.append(PairPin(position(n, i, j), index(space.labels, pin.type, "relation"), pin.holds, name))
        else:
            raise InputError("joint takes pins on types and on relations only")
    return made


def has_gold(trace: JointTrace) -> bool:
    return bool(np.any(trace.gold_types >= 0))
