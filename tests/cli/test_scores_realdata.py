"""On whole real dev corpora, what `predict --parts` writes says what the model says: the same decisions, the same
curve and the same errors, through the commands that anybody else would use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.metrics.differences import decisions
from engine.tasks.capabilities import Constrained
from engine.tasks.joint.constraints.language import to_toml
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import save_model
from tests.real_models import real_dev, real_model


def asked(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
@pytest.mark.realdata
@pytest.mark.parametrize("name", list(TASKS))
def test_parts_of_the_whole_dev_corpus_say_what_the_model_says(
    name: str, data_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, dev, model = get(name), real_dev(data_root, name), real_model(data_root, name, first_order=True)
    path, parts = tmp_path / "model.zip", tmp_path / "parts.jsonl.gz"
    save_model(task, model, path)
    wrote = asked(capsys, "predict", name, "--model", path, "--data", dev, "--parts", "--out", parts)
    documents = corpora.read(dev)
    assert wrote["documents"] == len(documents)
    rules: list[str | Path] = []
    if isinstance(task, Constrained):
        # Constraints stay with the model: whoever has only the parts names them again.
        rules = ["--constraints", tmp_path / "rules.toml"]
        scored: Any = task.scored(documents[:1], model)
        (tmp_path / "rules.toml").write_text(to_toml(scored.constraints), encoding="utf-8")
    else:
        assert wrote["otherwise"] == 0
    ours, theirs = ["--model", path, "--data", dev], ["--scores", parts, "--data", dev, *rules]

    asked(capsys, "predict", name, *theirs, "--out", tmp_path / "again.jsonl")
    written, again = corpora.read(parts), corpora.read(tmp_path / "again.jsonl")
    for one, other in zip(written, again, strict=True):
        assert decisions(one.gold, task.decides) == decisions(other.gold, task.decides), one.id

    curves = [asked(capsys, "curve", name, *side)["points"] for side in (ours, theirs)]
    assert len(curves[0]) > 10
    assert [_counts(point) for point in curves[0]] == [_counts(point) for point in curves[1]]
    biases = [[point["bias"] for point in curve[1:]] for curve in curves]
    assert biases[0] == pytest.approx(biases[1], rel=1e-9, abs=1e-9)

    errors = [asked(capsys, "errors", name, *side) for side in (ours, theirs)]
    assert errors[0]["errors"] and _told(errors[0]) == _told(errors[1])
    assert errors[0]["stages"] == errors[1]["stages"]


def _counts(point: dict[str, float]) -> tuple[float, float]:
    return point["precision"], point["recall"]


def _told(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    names = ("document", "kind", "stage", "start", "end", "gold", "predicted")
    return [tuple(str(error[name]) for name in names) for error in found["errors"]]
