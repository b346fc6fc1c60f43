"""The first start loads the samples once and trains each system that has some."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine import corpora
from engine.store.workspace import Workspace
from tests.ui.harness import sample_documents
from ui import data, first


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "samples" / "toy"
    (folder / "lexicon").mkdir(parents=True)
    for split in ("train", "dev"):
        corpora.write(sample_documents(4), folder / f"{split}.jsonl")
    (folder / "README.md").write_text("not a corpus")
    monkeypatch.setattr(first, "SAMPLES", tmp_path / "samples")
    monkeypatch.setenv("ESPALIER_SAMPLES", "on")
    return tmp_path / "samples"


def _wait(start: first.FirstStart) -> None:
    until = time.monotonic() + 60
    while not start.done:
        assert time.monotonic() < until, start
        time.sleep(0.05)


def test_samples_are_loaded_once_and_their_system_is_trained(workspace: Workspace, samples: Path) -> None:
    _wait(first.ensure(workspace))
    assert [(info.name, info.split) for info in workspace.corpora()] == [("Sample toy", "train"), ("Sample toy", "dev")]
    (run,) = workspace.runs("toy")
    assert run.status == "done" and workspace.model_path(run.id).is_file()
    # The next server on the same workspace adds nothing, even what the user has removed.
    workspace.remove_corpus(workspace.corpora()[0].id)
    again = first.FirstStart()
    first._prepare(workspace, again)
    assert again.done and not again.problems
    assert len(workspace.corpora()) == 1 and len(workspace.runs()) == 1


def test_a_bad_sample_is_said_and_the_others_are_loaded(workspace: Workspace, samples: Path) -> None:
    (samples / "toy" / "dev.jsonl").write_text("{")
    start = first.FirstStart()
    first._prepare(workspace, start)
    assert len(start.problems) == 1 and "dev.jsonl" in start.problems[0]
    assert [info.split for info in workspace.corpora()] == ["train"]


def test_after_a_system_its_rival_is_trained(
    workspace: Workspace, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first, "RIVALS", {"toy": "count", "absent": "count"})
    first._prepare(workspace, first.FirstStart())
    assert [run.status for run in workspace.runs("toy")] == ["done", "done"]


def test_the_systems_own_learner_leads_among_runs_on_the_same_data(workspace: Workspace) -> None:
    ids = []
    for learner, digest in (("count", "a"), ("count", "a"), ("rival", "a"), ("rival", "b")):
        ids.append(workspace.start_run("toy", learner, {}))
        workspace.set_data_hash(ids[-1], digest)
    newest_first = [workspace.run(id) for id in reversed(ids)]
    assert data.leading([]) is None
    assert data.leading(newest_first).id == ids[3]
    assert data.leading(newest_first[1:]).id == ids[1]
