"""SGTB as one would first write it: lists of hypotheses, a feature vector per candidate, trees walked in Python.

The peer of the compiled search in engine/learners/sgtb: the same algorithm, the same trees, the same answers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.pools import NEAR
from engine.learners.sgtb.search import SKIPPED
from engine.structures.beam import NIL_ROW

Path = tuple[int, ...]


@dataclass(frozen=True)
class Hypothesis:
    rows: Path
    score: float


@dataclass(frozen=True)
class Point:
    row: int
    prefix: Path
    residual: float


def pooled(
    choices: Choices, document: int, row: int, mention: int, history: list[tuple[int, int]], backward: int = 0
) -> list[int]:
    """Codes pooled over earlier decisions (mention, row): mean, maximum, mean of the latest; and the direction."""
    n_channels = choices.pairs.shape[1]
    if not n_channels:
        return []
    base, n = int(choices.pair_offsets[document]), int(choices.n_slots[document])
    values = [choices.pairs[base + int(choices.slot[row]) * n + int(choices.slot[r])] for _, r in history]
    code = [0] * (3 * n_channels)
    for k in range(n_channels):
        if values:
            column = [int(v[k]) for v in values]
            near = column[-NEAR:]
            for at, mean in (
                (k, sum(column) / (255.0 * len(column))),
                (n_channels + k, max(column) / 255.0),
                (2 * n_channels + k, sum(near) / (255.0 * len(near))),
            ):
                code[at] = round(254.0 * math.sqrt(mean))
    agreement = 0
    for other, r in history:
        if choices.surface[other] == choices.surface[mention]:
            agreement = 2 if choices.slot[r] == choices.slot[row] else 1
    return [*code, agreement, min(len(history), 254), backward]


def factor(trees: list[Any], codes: list[int]) -> float:
    """The sum of all trees for one vector of codes."""
    total = 0.0
    for tree in trees:
        node = 0
        while tree.feature[node] >= 0:
            node = int(tree.left[node] if codes[tree.feature[node]] <= tree.bin[node] else tree.right[node])
        total += float(tree.value[node])
    return total


def expand(
    choices: Choices,
    trees: list[Any],
    document: int,
    mentions: list[int],
    beam: list[Hypothesis],
    nil: float,
    backward: int = 0,
) -> list[Hypothesis]:
    """Every sequence with every candidate of the next mention, and with declining it."""
    t = len(beam[0].rows)
    m = mentions[t]
    out = []
    for hypothesis in beam:
        history = [(mentions[i], r) for i, r in enumerate(hypothesis.rows) if r != NIL_ROW]
        factors = []
        for row in range(int(choices.row_offsets[m]), int(choices.row_offsets[m + 1])):
            codes = [int(c) for c in choices.codes[row]] + pooled(choices, document, row, m, history, backward)
            factors.append(factor(trees, codes))
            if choices.allowed[row]:
                out.append(Hypothesis((*hypothesis.rows, row), hypothesis.score + factors[-1]))
        if choices.nil_allowed[m]:
            together = log_total(factors) if factors else 0.0
            out.append(Hypothesis((*hypothesis.rows, NIL_ROW), hypothesis.score + nil + together))
    return out


def best(hypotheses: list[Hypothesis], width: int, future: dict[int, float] | None = None) -> list[Hypothesis]:
    def value(hypothesis: Hypothesis) -> float:
        return hypothesis.score + (future[hypothesis.rows[-1]] if future else 0.0)

    return sorted(hypotheses, key=value, reverse=True)[:width]


def log_total(scores: list[float]) -> float:
    top = max(scores)
    return top + math.log(sum(math.exp(s - top) for s in scores))


def mentions_of(choices: Choices, document: int) -> list[int]:
    span = range(int(choices.document_offsets[document]), int(choices.document_offsets[document + 1]))
    return [int(choices.order[i]) for i in span]


def decode(choices: Choices, trees: list[Any], document: int, width: int, nil: float = 0.0) -> Hypothesis:
    """The best sequence that a forward beam finds."""
    return beams(choices, trees, mentions_of(choices, document), document, width, nil)[0][0]


def beams(
    choices: Choices,
    trees: list[Any],
    mentions: list[int],
    document: int,
    width: int,
    nil: float,
    futures: list[dict[int, float]] | None = None,
    backward: int = 0,
) -> tuple[list[Hypothesis], list[dict[int, float]]]:
    """The last beam of a search, and the best score of every option of every step."""
    beam = [Hypothesis((), 0.0)]
    best_of_step: list[dict[int, float]] = []
    for t in range(len(mentions)):
        expansions = expand(choices, trees, document, mentions, beam, nil, backward)
        best_of_step.append({})
        for hypothesis in expansions:
            row = hypothesis.rows[-1]
            best_of_step[t][row] = max(best_of_step[t].get(row, -math.inf), hypothesis.score)
        beam = best(expansions, width, futures[t] if futures else None)
    return sorted(beam, key=lambda h: h.score, reverse=True), best_of_step


def score(
    choices: Choices, trees: list[Any], document: int, mentions: list[int], rows: Path, nil: float, backward: int
) -> float:
    """The score of a whole sequence."""
    beam = [Hypothesis((), 0.0)]
    for t in range(len(rows)):
        expansions = expand(choices, trees, document, mentions, beam, nil, backward)
        beam = [h for h in expansions if h.rows == rows[: t + 1]]
    return beam[0].score


def decode_both(
    choices: Choices, trees: list[Any], document: int, width: int, weight: float, nil: float = 0.0
) -> dict[Path, float]:
    """Every sequence that either direction ends with, and its forward plus weighted backward score."""
    mentions = mentions_of(choices, document)
    reverse = mentions[::-1]
    forward, ahead = beams(choices, trees, mentions, document, width, nil)
    backward, _ = beams(choices, trees, reverse, document, width, nil, ahead[::-1], backward=1)
    found = {h.rows for h in forward} | {h.rows[::-1] for h in backward}
    return {
        rows: score(choices, trees, document, mentions, rows, nil, 0)
        + weight * score(choices, trees, document, reverse, rows[::-1], nil, 1)
        for rows in found
    }


def gold_path_points(
    choices: Choices,
    trees: list[Any],
    document: int,
    mentions: list[int],
    width: int,
    backward: int = 0,
) -> list[Point]:
    """A point for every sequence of every step's beam, gold always among them."""
    points: list[Point] = []
    beam = [Hypothesis((), 0.0)]
    for t in range(len(mentions)):
        expansions = expand(choices, trees, document, mentions, beam, 0.0, backward)
        beam = best(expansions, width)
        gold = tuple(int(choices.gold[i]) for i in mentions[: t + 1])
        if gold not in [h.rows for h in beam]:
            beam.append(next(h for h in expansions if h.rows == gold))
        log_z = log_total([h.score for h in beam])
        for hypothesis in beam:
            if hypothesis.rows[-1] != NIL_ROW:
                residual = (hypothesis.rows == gold) - math.exp(hypothesis.score - log_z)
                points.append(Point(hypothesis.rows[-1], hypothesis.rows[:-1], residual))
    return points


def sequence_points(
    choices: Choices, trees: list[Any], document: int, mentions: list[int], width: int, *, go_on: bool
) -> list[Point]:
    """Points of whole sequences, taken where gold falls out and at the end; `go_on` continues from gold (LaSO)."""
    points: list[Point] = []
    beam = [Hypothesis((), 0.0)]
    begin = 0
    for t in range(len(mentions)):
        expansions = expand(choices, trees, document, mentions, beam, 0.0)
        beam = best(expansions, width)
        gold = tuple(int(choices.gold[i]) for i in mentions[: t + 1])
        fell = gold not in [h.rows for h in beam]
        if fell:
            beam.append(next(h for h in expansions if h.rows == gold))
        if not fell and t < len(mentions) - 1:
            continue
        log_z = log_total([h.score for h in beam])
        for s in range(begin, t + 1):
            mass: dict[Path, float] = {}
            for hypothesis in beam:
                prefix = hypothesis.rows[: s + 1]
                mass[prefix] = mass.get(prefix, 0.0) + math.exp(hypothesis.score - log_z)
            for prefix, share in mass.items():
                if prefix[-1] != NIL_ROW:
                    points.append(Point(prefix[-1], prefix[:-1], (prefix == gold[: s + 1]) - share))
        if fell and not go_on:
            break
        if fell:
            beam = [next(h for h in beam if h.rows == gold)]
            begin = t + 1
    return points


def points_of(choices: Choices, trees: list[Any], document: int, policy: str, width: int) -> list[Point]:
    """The gradient points of one document under a policy."""
    mentions = [m for m in mentions_of(choices, document) if choices.gold[m] != SKIPPED]
    if policy in ("early", "laso"):
        return sequence_points(choices, trees, document, mentions, width, go_on=policy == "laso")
    if policy == "gold-path":
        return gold_path_points(choices, trees, document, mentions, width)
    forward = gold_path_points(choices, trees, document, mentions, width)
    return forward + gold_path_points(choices, trees, document, mentions[::-1], width, backward=1)


@dataclass(frozen=True)
class Mutual:
    """Algorithm 1: all prefixes that forward met, and all that backward met, with their scores; and the last beams."""

    forward: dict[Path, float]
    backward: dict[Path, float]
    last_forward: list[Hypothesis]
    last_backward: list[Hypothesis]


def algorithm_1(
    choices: Choices,
    trees: list[Any],
    document: int,
    mentions: list[int],
    width: int,
    *,
    rounds: int = 2,
    nil: float = 0.0,
    gold: bool = False,
) -> Mutual:
    """Bidirectional beam search with gold path (Yang, Irsoy and Rahman 2018), line by line.

    `beams[t]` are the prefixes of t decisions. S(x, y_T:t) of a candidate y_t is the best score with which the other
    direction's beam reaches it; without such a beam it is 0.
    """

    def one_way(
        order: list[int], other: list[list[Hypothesis]] | None, met: dict[Path, float]
    ) -> list[list[Hypothesis]]:
        kept = [[Hypothesis((), 0.0)]]
        for t in range(len(order)):
            promise: dict[int, float] = {}
            if other is not None:
                # The other direction comes to this mention after all the mentions behind it.
                for h in expand(choices, trees, document, order[::-1], other[len(order) - 1 - t], nil):
                    promise[h.rows[-1]] = max(promise.get(h.rows[-1], -math.inf), h.score)
            expansions = expand(choices, trees, document, order, kept[-1], nil)
            beam = best(expansions, width, promise or None)
            if gold:
                right = tuple(int(choices.gold[m]) for m in order[: t + 1])
                if right not in [h.rows for h in beam]:
                    beam.append(next(h for h in expansions if h.rows == right))
            met.update((h.rows, h.score) for h in beam)
            kept.append(beam)
        return kept

    forward: dict[Path, float] = {}
    backward: dict[Path, float] = {}
    back: list[list[Hypothesis]] | None = None
    ahead: list[list[Hypothesis]] = []
    for _ in range(rounds):
        ahead = one_way(mentions, back, forward)
        back = one_way(mentions[::-1], ahead, backward)
    assert back is not None
    return Mutual(forward, backward, ahead[-1], back[-1])


def mutual_points(choices: Choices, trees: list[Any], document: int, width: int, rounds: int = 2) -> list[Point]:
    """Equation 6 at every prefix that Algorithm 1 met, p(y_1:t | x) being within the prefixes of that length."""
    mentions = [m for m in mentions_of(choices, document) if choices.gold[m] != SKIPPED]
    found = algorithm_1(choices, trees, document, mentions, width, rounds=rounds, gold=True)
    points = []
    for order, met in ((mentions, found.forward), (mentions[::-1], found.backward)):
        for t in range(len(order)):
            right = tuple(int(choices.gold[m]) for m in order[: t + 1])
            prefixes = {rows: value for rows, value in met.items() if len(rows) == t + 1}
            log_z = log_total(list(prefixes.values()))
            points += [
                Point(rows[-1], rows[:-1], (rows == right) - math.exp(value - log_z))
                for rows, value in prefixes.items()
                if rows[-1] != NIL_ROW
            ]
    return points


def likelier(found: Mutual) -> Hypothesis:
    """The best sequence of the direction that gives its own the higher probability, in forward order."""

    def log_p(beam: list[Hypothesis]) -> float:
        return max(h.score for h in beam) - log_total([h.score for h in beam])

    if log_p(found.last_backward) > log_p(found.last_forward):
        top = max(found.last_backward, key=lambda h: h.score)
        return Hypothesis(top.rows[::-1], top.score)
    return max(found.last_forward, key=lambda h: h.score)
