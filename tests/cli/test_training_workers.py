"""--jobs and --cluster in training: the model file is the same bytes whoever works, in all systems that share work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main

pytestmark = pytest.mark.thorough

SAMPLES = Path(__file__).parents[2] / "sample_data"
LEXICON = ["--lexicon", str(SAMPLES / "linking" / "lexicon")]
FEW_TREES = ["--set", "trees=6", "--set", "linear_rounds=8"]
FEW_PLANES = ["--set", "n_rounds=8"]
LEARNERS = {
    "s-mart": ("linking", [*LEXICON, *FEW_TREES]),
    "s-mart-hinge": ("linking", [*LEXICON, *FEW_TREES]),
    "mart": ("linking", [*LEXICON, *FEW_TREES]),
    "ssvm": ("linking", [*LEXICON, *FEW_PLANES]),
    "poly-ssvm": ("linking", [*LEXICON, *FEW_PLANES]),
    "lambdarank": ("linking", [*LEXICON, "--set", "n_rounds=2"]),
    "bsg": ("disambiguation", ["--set", "trees=6", "--set", "check_every=3"]),
    "mm-hamming": ("distant", ["--set", "planes=6"]),
    "mm-f": ("distant", ["--set", "planes=6"]),
    "lp": ("joint", []),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS)


def first_texts(task: str, folder: Path, n: int = 80) -> str:
    """A file with the first training documents of the sample data."""
    lines = (SAMPLES / task / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / f"{task}.jsonl"
    path.write_text("".join(lines[:n]), encoding="utf-8")
    return str(path)


def trained(learner: str, folder: Path, *how: str) -> bytes:
    """The model file of a short training on the sample data."""
    task, options = LEARNERS[learner]
    data = ["--train", first_texts(task, folder)]
    model = folder / f"{learner}{'-'.join(('', *how)).replace('/', '')}.zip"
    words = ["train", task, *data, "--learner", learner, "--preset", "quick", *options, "--model", str(model)]
    assert main([*words, "--quiet", *how]) == 0
    return model.read_bytes()


@every_learner
def test_two_threads_make_the_model_of_one(learner: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trained(learner, tmp_path, "--jobs", "2") == trained(learner, tmp_path)
    assert "change nothing" not in capsys.readouterr().err


@pytest.mark.long
@every_learner
def test_a_cluster_of_two_workers_makes_the_model_of_one_thread(learner: str, tmp_path: Path, cluster: Any) -> None:
    there = trained(learner, tmp_path, "--cluster", cluster.scheduler_address.removeprefix("tcp://"))
    assert there == trained(learner, tmp_path)


@pytest.mark.parametrize(
    ("task", "learner", "more"),
    [
        ("linking", "perceptron", [*LEXICON, "--set", "n_rounds=1"]),
        ("distant", "hoffmann", ["--set", "n_rounds=1"]),
        ("joint", "basic", ["--set", "classifier=winnow", "--set", "winnow_rounds=1"]),
    ],
)
def test_learners_that_go_from_document_to_document_say_that_workers_change_nothing(
    task: str, learner: str, more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", task, "--train", first_texts(task, tmp_path), "--learner", learner, "--preset", "quick"]
    assert main([*words, *more, "--model", str(tmp_path / "m.zip"), "--quiet", "--jobs", "2"]) == 0
    assert "learns from one document after the other: --jobs and --cluster change nothing" in capsys.readouterr().err
