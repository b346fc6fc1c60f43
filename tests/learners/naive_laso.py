"""Algorithms 2 and 3 of Björkelund and Kuhn (2014) as one would first write them: lists of trees, features by name of
mention, weights in a dictionary. The reference for the compiled policies over agendas of trees, and for the greedy
reading of the model's own clusters."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from engine.learners.laso.arrays import N_FACTS, TABLE, ClusterTemplates, TreeInstance
from engine.learners.laso.clusters import cluster_row

Rows = tuple[int, ...]
Weights = dict[int, float]


class Drawn(dict[int, float]):
    """Weights that have moved; the others are as they were given."""

    def __init__(self, given: np.ndarray) -> None:
        super().__init__()
        self.given = given

    def __missing__(self, f: int) -> float:
        return float(self.given[f])


@dataclass
class Teacher:
    """Weights with their sums for averaging, and how a step is made."""

    templates: ClusterTemplates
    augment: float
    false_new: float
    weights: Weights
    sums: Weights = field(default_factory=lambda: defaultdict(float))
    time: float = 1.0

    def averaged(self) -> Weights:
        return {f: w - self.sums[f] / self.time for f, w in self.weights.items()}

    def features(self, one: TreeInstance, rows: Rows) -> list[list[int]]:
        """The feature numbers of every arc of a partial tree, those of its antecedent's cluster included."""
        label, last, previous = [0] * (one.n + 1), {}, np.zeros(one.n + 1, np.int32)
        found = []
        for j, row in enumerate(rows, 1):
            head = int(one.heads[row])
            numbers = [int(f) for f in one.rows[row]]
            cluster = label[head] if head else j
            if head and self.templates.used:
                numbers += self.cluster_features(one, j, last[cluster], previous)
            label[j], previous[j], last[cluster] = cluster, last.get(cluster, 0), j
            found.append([f for f in numbers if f])
        return found

    def cluster_features(self, one: TreeInstance, j: int, last: int, previous: np.ndarray) -> list[int]:
        out, scratch = np.zeros(len(self.templates.seeds), np.int32), np.zeros(N_FACTS, np.int64)
        cluster_row(j, last, previous, one, self.templates, TABLE - 1, scratch, out)
        return [int(f) for f in out]

    def price(self, one: TreeInstance, j: int, row: int) -> float:
        """What is added to an arc while searching."""
        if one.right[row]:
            return 0.0
        return self.augment * (self.false_new if row == one.offsets[j - 1] else 1.0)

    def score(self, one: TreeInstance, rows: Rows, *, raised: bool) -> float:
        total = 0.0
        for j, (row, numbers) in enumerate(zip(rows, self.features(one, rows), strict=True), 1):
            total += sum(self.weights[f] for f in numbers) + (self.price(one, j, row) if raised else 0.0)
        return total

    def loss(self, one: TreeInstance, rows: Rows) -> float:
        wrong = [(j, row) for j, row in enumerate(rows, 1) if not one.right[row]]
        return sum(self.false_new if row == one.offsets[j - 1] else 1.0 for j, row in wrong)

    def difference(self, one: TreeInstance, good: Rows, bad: Rows) -> Weights:
        found: Weights = defaultdict(float)
        for sign, rows in ((1.0, good), (-1.0, bad)):
            for numbers in self.features(one, rows):
                for f in numbers:
                    found[f] += sign
        return found

    def step(self, difference: Weights, loss: float) -> None:
        norm = sum(d * d for d in difference.values())
        margin = sum(self.weights[f] * d for f, d in difference.items())
        tau = max(0.0, (loss - margin) / norm) if norm else 0.0
        for f, d in difference.items():
            self.weights[f] += tau * d
            self.sums[f] += self.time * tau * d


def expand(teacher: Teacher, one: TreeInstance, agenda: list[Rows], k: int, *, gold: bool) -> list[Rows]:
    """EXPAND(agenda, A_j, m_j, k): every tree with every arc, the best k. Of equal ones the better parent comes first,
    then the higher arc, then the nearer antecedent."""
    j = len(agenda[0]) + 1
    offered = []
    for rank, rows in enumerate(agenda):
        for row in range(int(one.offsets[j - 1]), int(one.offsets[j])):
            if not gold or one.right[row]:
                arc = sum(teacher.weights[int(f)] for f in one.rows[row] if f) + (
                    0.0 if gold else teacher.price(one, j, row)
                )
                value = teacher.score(one, (*rows, row), raised=not gold)
                offered.append((-value, rank, -arc, -row, (*rows, row)))
    return [rows for *_, rows in sorted(offered)[:k]]


def learn(teacher: Teacher, one: TreeInstance, policy: str, k: int) -> list[int]:
    """One document; returns where it was updated."""

    def correct(rows: Rows) -> bool:
        return all(one.right[row] for row in rows)

    gold: list[Rows] = [()]
    found: list[Rows] = [()]
    total: Weights = defaultdict(float)
    loss = 0.0
    places = []
    for j in range(1, one.n + 1):
        gold = expand(teacher, one, gold, k, gold=True)
        found = expand(teacher, one, found, k, gold=False)
        at_the_end = j == one.n and not correct(found[0])
        if any(correct(rows) for rows in found) and not at_the_end:
            continue
        places.append(j)
        difference, lost = teacher.difference(one, gold[0], found[0]), teacher.loss(one, found[0])
        if policy in ("early", "laso"):
            teacher.step(difference, lost)
        if policy == "early":
            break
        if policy == "laso":
            gold = [()]
            for _ in range(j):
                gold = expand(teacher, one, gold, k, gold=True)
        for f, d in difference.items():
            total[f] += d
        loss += lost
        found = list(gold)
    if policy == "delayed-laso" and any(total.values()):
        teacher.step(total, loss)
    teacher.time += 1.0
    return places


def learn_own(teacher: Teacher, one: TreeInstance) -> list[int]:
    """The default for predicted mentions: at each mention the best right arc against the best arc, beside the clusters
    that the model made without the loss; one step for all of them."""
    read: Rows = ()
    total: Weights = defaultdict(float)
    loss, places = 0.0, []
    for j in range(1, one.n + 1):
        offered = range(int(one.offsets[j - 1]), int(one.offsets[j]))
        arcs = {row: teacher.features(one, (*read, row))[-1] for row in offered}
        plain = {row: sum(teacher.weights[f] for f in numbers) for row, numbers in arcs.items()}
        raised = {row: plain[row] + teacher.price(one, j, row) for row in offered}
        bad = max(offered, key=lambda row: (raised[row], row))
        good = max((row for row in offered if one.right[row]), key=lambda row: (plain[row], row))
        if not one.right[bad]:
            places.append(j)
            loss += teacher.false_new if bad == one.offsets[j - 1] else 1.0
        for sign, row in ((1.0, good), (-1.0, bad)):
            for f in arcs[row]:
                total[f] += sign
        read = (*read, max(offered, key=lambda row: (plain[row], row)))
    if places:
        teacher.step(total, loss)
    teacher.time += 1.0
    return places
