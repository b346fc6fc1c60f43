"""Curves of outside scores against brute force: all outputs of small corpora, with the scores as the file has them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpora.scores.records import read_record
from engine.tasks.outside.records import exchange_of
from engine.tasks.registry import get
from engine.tuning.curve import Curve

Counts = tuple[int, int]
"""Correct and predicted."""

BIASES = (-30.0, -4.0, -1.5, -0.4, 0.0, 0.3, 1.1, 2.7, 30.0)
MANY = settings(max_examples=200)
seeds = st.integers(0, 2**32 - 1)


def gathered(task: Any, records: Iterable[dict[str, Any]]) -> Any:
    gathering = exchange_of(task).gathering()
    for record in records:
        one = read_record(record, {})
        gathering.add(one.document, one)
    return gathering.scored()


def counts_at(curve: Curve, bias: float) -> Counts:
    i = int(np.searchsorted(curve.bias, bias, side="right")) - 1
    return int(curve.correct[i]), int(curve.predicted[i])


def sure(p: float, nil: float | None) -> float:
    """How much a probability is ahead of declining, on a logarithmic scale."""
    return math.log(p / (1 - p)) if nil is None else math.log(p / nil)


WORDS = [(0, 3), (4, 7), (8, 11)]


def linking_record(rng: np.random.Generator, number: int) -> tuple[dict[str, Any], list[tuple[Any, str, float]]]:
    """Probabilities of entities of spans, some of them beside one of Nil; and what they are worth."""
    spans = [(a[0], b[1]) for a, b in itertools.combinations_with_replacement(WORDS, 2)]
    parts, worth = [], []
    for span in spans:
        if rng.random() < 0.4:
            continue
        nil = float(rng.uniform(0.05, 0.6)) if rng.random() < 0.5 else None
        place = {"start": span[0], "end": span[1]}
        if nil is not None:
            parts.append({**place, "entity": None, "score": nil})
        for entity in ("A", "B"):
            p = float(rng.uniform(0.01, 0.95))
            parts.append({**place, "entity": entity, "score": p})
            worth.append((span, entity, sure(p, nil)))
    start, end = spans[int(rng.integers(len(spans)))]
    gold = [{"start": start, "end": end, "entity": str(rng.choice(["A", "B"]))}]
    return {"id": str(number), "text": "abc def ghi", "mentions": gold, "scale": "prob", "parts": parts}, worth


@MANY
@given(seeds)
def test_linking(seed: int) -> None:
    rng, task = np.random.default_rng(seed), get("linking")
    made = [linking_record(rng, d) for d in range(3)]
    curve = task.curve(gathered(task, [record for record, _ in made]))
    for bias in BIASES:
        correct = predicted = 0
        for record, worth in made:
            legal = [
                chosen
                for n in range(4)
                for chosen in itertools.combinations(worth, n)
                if all(a[0][1] <= b[0][0] or b[0][1] <= a[0][0] for a, b in itertools.combinations(chosen, 2))
            ]
            best = max(legal, key=lambda chosen: sum(value - bias for _, _, value in chosen))
            [gold] = record["mentions"]
            predicted += len(best)
            correct += sum(
                entity == gold["entity"] and span[0] < gold["end"] and gold["start"] < span[1]
                for span, entity, _ in best
            )
        assert counts_at(curve, bias) == (correct, predicted)


@MANY
@given(seeds)
def test_coreference(seed: int) -> None:
    rng, task = np.random.default_rng(seed), get("coreference")
    records, scores = [], []
    for d in range(2):
        n = int(rng.integers(1, 6))
        text = " ".join("abcde"[:n])
        matrix = np.where(rng.random((n, n)) < 0.7, rng.normal(0, 2, (n, n)), np.nan)
        root = np.where(rng.random(n) < 0.5, rng.normal(0, 1, n), 0.0)
        parts: list[dict[str, Any]] = [
            {"mention": j, "antecedent": i, "score": float(matrix[j, i])}
            for j in range(n)
            for i in range(j)
            if np.isfinite(matrix[j, i])
        ]
        parts += [{"mention": j, "antecedent": None, "score": float(root[j])} for j in range(n) if root[j]]
        named = {x for part in parts for x in (part["mention"], part["antecedent"])}
        # A mention that no part names would not be there: it is named by declining.
        parts += [{"mention": j, "antecedent": None, "score": 0.0} for j in range(n) if j not in named]
        colours = rng.integers(0, 2, n)
        gold = [group for c in range(2) if (group := [j for j in range(n) if colours[j] == c])]
        mentions = [{"start": 2 * j, "end": 2 * j + 1} for j in range(n)]
        layer = {"mentions": mentions, "clusters": gold}
        records.append({"id": str(d), "text": text, "layers": {"gold": layer}, "scale": "logit", "parts": parts})
        scores.append((matrix, root, gold))
    curve = task.curve(gathered(task, records))
    for bias in BIASES:
        correct = predicted = 0
        for matrix, root, gold in scores:
            n = len(root)
            cluster = list(range(n))
            for j in range(n):
                options = [(matrix[j, i], i) for i in range(j) if np.isfinite(matrix[j, i])]
                if options and max(options)[0] > root[j] + bias:
                    cluster[j] = cluster[max(options)[1]]
            groups = [{j for j in range(n) if cluster[j] == c} for c in set(cluster)]
            predicted += sum(len(group) - 1 for group in groups)
            # MUC: a group that gold cuts into k pieces has all but k - 1 of its links right.
            correct += sum(len(group) - sum(bool(group & set(key)) for key in gold) for group in groups)
        assert counts_at(curve, bias) == (correct, predicted)


@MANY
@given(seeds)
def test_distant(seed: int) -> None:
    rng, task = np.random.default_rng(seed), get("distant")
    records, worth = [], []
    for d in range(3):
        n = int(rng.integers(1, 4))
        members = [{"sid": f"s{m}", "tokens": ["a", "b"], "e1": [0, 1], "e2": [1, 2]} for m in range(n)]
        parts: list[dict[str, Any]] = []
        own: list[dict[str | None, float]] = [{None: 0.0} for _ in range(n)]
        whole: dict[str, float] = {}
        for relation in ("R", "S"):
            if rng.random() < 0.4:
                whole[relation] = float(rng.normal(0, 1))
                parts.append({"relation": relation, "score": whole[relation]})
            scored = [m for m in range(n) if rng.random() < 0.5]
            for m in scored:
                own[m][relation] = float(rng.normal(0, 2))
                parts.append({"sid": f"s{m}", "relation": relation, "score": own[m][relation]})
            if relation in whole and not scored:
                for m in range(n):
                    own[m][relation] = 0.0
        gold = [relation for relation in ("R", "S", "T") if rng.random() < 0.5] or ["R"]
        records.append(
            {"id": str(d), "e1": "A", "e2": "B", "relations": gold, "mentions": members}
            | {"scale": "logit", "parts": parts}
        )
        worth.append((own, whole, gold))
    curve = task.curve(gathered(task, records))
    for bias in BIASES:
        correct = predicted = 0
        for own, whole, gold in worth:

            def value(chosen: tuple[Any, ...], own: Any = own, whole: Any = whole, bias: float = bias) -> float:
                said = sum(own[m][c] + (bias if c is None else 0.0) for m, c in enumerate(chosen))
                return float(said + sum(whole.get(c, 0.0) for c in set(chosen) - {None}))

            held = set(max(itertools.product(*own), key=value)) - {None}
            predicted += len(held)
            correct += len(held & set(gold))
        assert counts_at(curve, bias) == (correct, predicted)


RULE = """[[constraint]]
name = "only A acts"
kind = "arguments"
relation = "R"
head = ["A"]
tail = ["A", "B"]
"""


@MANY
@given(seeds, st.booleans())
def test_joint(seed: int, constrained: bool) -> None:
    rng, task = np.random.default_rng(seed), get("joint")
    records, worth = [], []
    for d in range(2):
        n = int(rng.integers(1, 4))
        nodes = {i: {t: float(rng.uniform(0.02, 0.98)) for t in ("A", "B")} for i in range(n)}
        pairs = {pair: float(rng.uniform(0.02, 0.98)) for pair in itertools.permutations(range(n), 2)}
        nil = {pair: float(rng.uniform(0.02, 0.9)) if rng.random() < 0.5 else None for pair in pairs}
        parts: list[dict[str, Any]] = [
            {"entity": i, "type": t, "score": p} for i, types in nodes.items() for t, p in types.items()
        ]
        for (i, j), p in pairs.items():
            parts.append({"head": i, "tail": j, "type": "R", "score": p})
            if nil[i, j] is not None:
                parts.append({"head": i, "tail": j, "type": None, "score": nil[i, j]})
        gold = [{"head": i, "tail": j, "type": "R"} for i, j in pairs if rng.random() < 0.4]
        entities = [{"start": i, "end": i + 1, "type": "A"} for i in range(n)]
        records.append(
            {"id": str(d), "tokens": list("abc"[:n]), "entities": entities, "relations": gold}
            | {"scale": "prob", "parts": parts}
        )
        ahead = {pair: sure(p, nil[pair]) for pair, p in pairs.items()}
        worth.append(({i: {t: sure(p, None) for t, p in types.items()} for i, types in nodes.items()}, ahead, gold))
    # Without a relation anywhere there is none to constrain.
    constrained = constrained and any(pairs for _, pairs, _ in worth)
    scored = gathered(task, records)
    if constrained:
        scored = _under_the_rule(task, scored)
    curve = task.curve(scored)
    for bias in BIASES:
        correct = predicted = 0
        for nodes_, pairs_, gold in worth:
            held = _best(nodes_, pairs_, bias, constrained)
            predicted += len(held)
            correct += sum((one["head"], one["tail"]) in held for one in gold)
        assert counts_at(curve, bias) == (correct, predicted)


def _best(
    nodes: dict[int, dict[str, float]], pairs: dict[tuple[int, int], float], bias: float, constrained: bool
) -> set[tuple[int, int]]:
    """The relations of the best output: given the types, every pair decides for itself."""
    best: tuple[float, set[tuple[int, int]]] = (-math.inf, set())
    for types in itertools.product(*(options for options in nodes.values())):
        free = {pair: ahead for pair, ahead in pairs.items() if not constrained or types[pair[0]] == "A"}
        held = {pair for pair, ahead in free.items() if ahead > bias}
        total = sum(nodes[i][t] for i, t in enumerate(types)) + sum(free[pair] - bias for pair in held)
        best = max(best, (total, held), key=lambda one: one[0])
    return best[1]


def _under_the_rule(task: Any, scored: Any) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.toml"
        path.write_text(RULE, encoding="utf-8")
        return task.constrained(scored, path)


@MANY
@given(seeds)
def test_disambiguation(seed: int) -> None:
    rng, task = np.random.default_rng(seed), get("disambiguation")
    n = int(rng.integers(1, 5))
    mentions = [{"start": 2 * m, "end": 2 * m + 1, "entity": str(rng.choice(["A", "B", "C"]))} for m in range(n)]
    parts: list[dict[str, Any]] = []
    worth = []
    for m in range(n):
        p = rng.dirichlet([1.0] * 3)
        listed = {"A": float(p[0]), "B": float(p[1])} if rng.random() < 0.9 else {}
        parts += [{"mention": m, "entity": entity, "score": score} for entity, score in listed.items()]
        parts.append({"mention": m, "entity": None, "score": float(p[2])})
        worth.append({entity: math.log(max(score, 1e-6) / max(float(p[2]), 1e-6)) for entity, score in listed.items()})
    record = {"id": "d", "text": "a b c d", "mentions": mentions, "scale": "prob", "parts": parts}
    curve = task.curve(gathered(task, [record]))
    for bias in BIASES:
        said = [max(own, key=lambda entity: own[entity]) if own and max(own.values()) > bias else None for own in worth]
        correct = sum(answer == mention["entity"] for answer, mention in zip(said, mentions, strict=True))
        assert counts_at(curve, bias) == (correct, sum(answer is not None for answer in said))


def test_a_relation_that_nobody_scored_is_never_chosen() -> None:
    """Whatever the bias: the curve ends with all that was scored, not with all that there is."""
    task = get("distant")
    member = {"sid": "s", "tokens": ["a", "b"], "e1": [0, 1], "e2": [1, 2]}
    bag = {"e1": "A", "e2": "B", "relations": ["R"], "mentions": [member], "scale": "logit"}
    scored = gathered(
        task,
        [
            {"id": "1", **bag, "parts": [{"sid": "s", "relation": "S", "score": -5.0}]},
            {"id": "2", **bag, "parts": [{"sid": "s", "relation": "R", "score": 3.0}]},
        ],
    )
    curve = task.curve(scored)
    assert (int(curve.correct[0]), int(curve.predicted[0])) == (1, 2) and np.isfinite(curve.bias[1:]).all()
    assert np.abs(curve.bias[1:]).max() < 10
    [first, *_] = task.errors(scored, task.decide(scored))
    assert (first.document, first.stage, first.confidence) == ("1", "candidate missing", 0.0)
