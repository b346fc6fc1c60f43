"""The subsample command: which scores it shows for which system, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.main import BAD_INPUT, main
from engine.cli.models.subsample import _shown
from engine.tasks import registry

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "distant"
COMMAND = ["subsample", "distant", "--train", str(SAMPLES / "train.jsonl"), "--dev", str(SAMPLES / "dev.jsonl")]


@pytest.mark.parametrize(
    ("task", "report", "shown"),
    [
        ("linking", {"precision": 0.5, "recall": 0.25, "f1": 1 / 3, "strict": {}}, ["precision", "recall", "f1"]),
        (
            "joint",
            {"relations": {"micro": {"precision": 0.5, "recall": 0.25, "f1": 1 / 3}}},
            ["precision", "recall", "f1"],
        ),
        ("disambiguation", {"accuracy": 1 / 3, "precision": 0.4}, ["accuracy"]),
        ("coreference", {"muc": {"f1": 0.2}, "conll": 1 / 3}, ["conll"]),
    ],
)
def test_the_main_score_is_shown_last_with_the_sides_it_is_made_of(task, report, shown):
    found = _shown(registry.get(task), report)
    assert list(found) == shown and found[shown[-1]] == 1 / 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--set", "plains=10"], "has the setting 'plains=10'"),
        (["--learner", "hoffmann", "--learners", "mm-f"], "not both"),
    ],
)
def test_what_would_be_ignored_is_refused(more, words, capsys):
    assert main([*COMMAND, *more]) == BAD_INPUT
    assert words in capsys.readouterr().err
