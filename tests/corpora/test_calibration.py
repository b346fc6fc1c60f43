"""Calibration of outside scores: fitted as the naive way does, kept in order, recorded, and off unless asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import corpora
from engine.cli.main import main
from engine.corpora.scores.calibration import METHODS, Calibration, Method, fit
from engine.corpora.scores.evidence import groups_of
from engine.corpora.scores.records import read_record
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError

WORDS = "Rome fell. Nero sang."


def record(id: str, scores: list[float], *, scale: str = "logit") -> dict[str, Any]:
    """One span with as many entities as there are scores; declining scores 0."""
    parts = [{"start": 0, "end": 4, "entity": f"e{i}", "score": score} for i, score in enumerate(scores)]
    return {"id": id, "text": WORDS, "scale": scale, "parts": parts}


def pair(i: int, scores: list[float], right: int) -> tuple[Any, Document]:
    """A record, and gold that says which entity is right; any other number: none that is listed."""
    gold = Document(f"d{i}", WORDS, layers={"gold": Layer((Mention(0, 4, entity=f"e{right}"),))})
    return read_record(record(f"d{i}", scores), {}), gold


def loss(pairs: list[tuple[Any, Document]], temperature: float) -> float:
    """Negative log-likelihood of gold, the obvious way."""
    total = 0.0
    for one, gold in pairs:
        scores = [0.0, *(part.score for part in one.parts)]
        names = [None, *(part.entity for part in one.parts)]
        wanted = gold.gold.mentions[0].entity
        at = names.index(wanted) if wanted in names else 0
        mass = np.exp(np.array(scores) / temperature)
        total -= float(np.log(mass[at] / mass.sum()))
    return total


SCORES = st.lists(st.floats(-6, 6), min_size=1, max_size=4)


@settings(max_examples=20)
@given(st.lists(st.tuples(SCORES, st.integers(0, 4)), min_size=4, max_size=12))
def test_no_other_temperature_makes_gold_more_likely(drawn: list[tuple[list[float], int]]) -> None:
    pairs = [pair(i, scores, right) for i, (scores, right) in enumerate(drawn)]
    found = fit("temperature", pairs).fitted["links"]
    here = loss(pairs, found)
    for other in np.exp(np.linspace(-3, 6, 60)):
        assert here <= loss(pairs, float(other)) + 1e-4


def test_numbers_that_are_too_sure_by_a_factor_are_divided_by_it() -> None:
    chance = np.random.default_rng(0)
    pairs = []
    for i in range(3000):
        honest = np.concatenate([[0.0], chance.normal(size=3)])
        right = int(chance.choice(4, p=np.exp(honest) / np.exp(honest).sum()))
        pairs.append(pair(i, (2.5 * honest[1:]).tolist(), right - 1 if right else 9))
    assert fit("temperature", pairs).fitted["links"] == pytest.approx(2.5, rel=0.1)


@settings(max_examples=20)
@given(st.lists(st.tuples(SCORES, st.integers(0, 4)), min_size=2, max_size=12), st.sampled_from(METHODS))
def test_the_order_of_alternatives_is_kept(drawn: list[tuple[list[float], int]], method: Method) -> None:
    pairs = [pair(i, scores, right) for i, (scores, right) in enumerate(drawn)]
    found = fit(method, pairs)
    for one, _ in pairs:
        again = read_record(corpora.formats.jsonl.record(found.applied(one)), {})
        new = {part.entity: part.score for part in again.parts}
        assert new.pop(None) == 0.0 and again.scale == "logit" and again.calibration == found.told()
        for first in one.parts:
            for second in one.parts:
                if first.score > second.score + 1e-6:
                    assert new[first.entity] > new[second.entity]


def test_isotonic_steps_are_how_often_such_alternatives_are_right() -> None:
    """Of spans that look alike three in four are right: that is what the new score says."""
    pairs = [pair(i, [5.0], 0 if i % 4 else 9) for i in range(400)]
    [one] = [part.score for part in read_record(_json(fit("isotonic", pairs), pairs[0][0]), {}).parts if part.entity]
    assert 1 / (1 + np.exp(-one)) == pytest.approx(0.75, abs=0.01)


def _json(found: Calibration, one: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(corpora.formats.jsonl.record(found.applied(one))))
    return made


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"method": "guess", "fitted": {}}', "temperature, isotonic"),
        ('{"method": "temperature", "fitted": {"links": -1}}', "above 0"),
        ('{"method": "isotonic", "fitted": {"links": [[0.5, 0.1], [0, 1]]}}', "rise"),
        ('{"method": "temperature", "fitted": {}}', "nothing was fitted for links"),
        ("[]", "object"),
    ],
)
def test_a_map_that_is_none_is_refused_and_nothing_written(
    content: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, map_, out = (tmp_path / one for one in ("s.jsonl", "map.json", "out.jsonl"))
    source.write_text(json.dumps(record("a", [1.0])))
    map_.write_text(content)
    assert main(["scores", "calibrate", str(source), str(out), "--use", str(map_)]) == 1
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1 and not out.exists()


def test_what_cannot_be_fitted_is_said() -> None:
    one, _ = pair(0, [1.0], 0)
    with pytest.raises(InputError, match="tells nothing"):
        fit("temperature", [])
    bag = {"id": "b", "e1": "a", "e2": "b", "relations": ["r"], "mentions": [{"sid": "s", "tokens": ["a", "b"]}]}
    parts = [{"sid": "s", "relation": "r", "score": 1.0}, {"relation": "r", "score": 0.5}]
    mixed = read_record({**bag, "scale": "logit", "parts": parts}, {})
    assert fit("temperature", [(mixed, mixed.document)]).fitted.keys() == {"labels"}
    with pytest.raises(InputError, match="only one temperature"):
        fit("isotonic", [(mixed, mixed.document)])
    assert one.calibration == "" and [group.kind for group in groups_of(one)] == ["links"]
