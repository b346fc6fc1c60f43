"""The first start loads the samples once and trains each system that has some."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

import pytest

from engine import corpora
from engine.store.workspace import Workspace
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from tests.ui.harness import sample_documents
from tests.ui.toy import Toy
from ui.background import first, jobs

pytestmark = pytest.mark.thorough


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
    monkeypatch.setattr(Toy, "rival", "count")
    first._prepare(workspace, first.FirstStart())
    assert [run.status for run in workspace.runs("toy")] == ["done", "done"]


def test_what_has_ended_and_the_rounds_of_what_runs_are_progress(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = workspace.start_run("toy", "count", {})
    workspace.add_round(run, 1, 0.5, {}, {"total": 4})
    monkeypatch.setattr(jobs, "is_alive", lambda *_: True)
    state = jobs.state(workspace, run)
    start = first.FirstStart(total=10, ended=2, running={"toy (count)": run}, ahead=())
    assert first.fraction(start, [state]) == pytest.approx(0.225)
    assert first.fraction(first.FirstStart(), []) == 0.0
    monkeypatch.setattr(first, "ensure", lambda _: start)
    words = [bar.proto.text for bar in harness.open_page("home").get("progress")]
    assert words == ["Preparing the first look: 2 of 10 models trained; now toy (count): round 1 of 4"]


def test_the_preparation_counts_what_it_trained(workspace: Workspace, samples: Path) -> None:
    start = first.FirstStart()
    assert start.awaits("toy")
    first._prepare(workspace, start)
    assert (start.total, start.ended) == (1, 1) and not start.awaits("toy")


def test_a_see_page_says_that_its_first_model_is_coming(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.register(monkeypatch, SYSTEMS)
    start = first.FirstStart(total=2, ahead=("linking",))
    monkeypatch.setattr(first, "ensure", lambda _: start)

    def said(page: str) -> str:
        at = harness.open_page(page)
        assert not at.exception
        waits = "".join(bar.proto.text for bar in at.get("progress"))
        (link,) = [link.proto.label for link in at.get("page_link")]
        assert link == ("Watch it learn" if waits else "Train one")
        return waits or harness.words_on(at)

    assert said("linking").startswith("About to be trained")
    assert "Nothing has been trained" in said("joint")
    run = workspace.start_run("joint", "lp", {})
    workspace.add_round(run, 3, 0.5, {}, {"total": 20})
    monkeypatch.setattr(jobs, "is_alive", lambda *_: True)
    assert said("joint").startswith("In training, round 3 of 20")
    start.done = True
    assert "Nothing has been trained" in said("linking")


def test_a_systems_page_opens_with_its_own_sample(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.register(monkeypatch, SYSTEMS)
    for system in ("linking", "disambiguation"):
        workspace.add_corpus(f"Sample {system}", sample_documents(2), split="dev", source=f"sample {system}")
    at = harness.open_page("home")
    assert harness.parameter(at, "corpus") == "sample-linking-dev"

    def go_to(page: str) -> None:
        at.switch_page(f"pages/{page}.py")
        at.query_params.clear()  # as the browser does
        at.run()

    go_to("disambiguation")
    assert harness.parameter(at, "corpus") == "sample-disambiguation-dev"
    # Chosen there, the other one is kept there.
    at.selectbox(key="sidebar.corpus").set_value("sample-linking-dev").run()
    go_to("home")
    go_to("disambiguation")
    assert harness.parameter(at, "corpus") == "sample-linking-dev"


def test_a_first_start_that_was_killed_goes_on_where_it_was(
    workspace: Workspace, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server and its worker are gone after the first run was recorded; the second was never begun."""
    monkeypatch.setattr(Toy, "rival", "count")
    launch = jobs._launch

    def killed(there: Workspace, run: str) -> None:
        raise SystemExit

    monkeypatch.setattr(jobs, "_launch", killed)
    with pytest.raises(SystemExit):
        first._prepare(workspace, first.FirstStart())
    (interrupted,) = workspace.runs("toy")
    assert interrupted.status == "running"
    monkeypatch.setattr(jobs, "_launch", launch)
    again = first.FirstStart()
    first._prepare(workspace, again)
    assert again.done and again.problems == []
    assert [run.status for run in workspace.runs("toy") if run.id != interrupted.id].count("done") >= 1
    assert {run.status for run in workspace.runs("toy")} <= {"done", "failed"}
    assert len([run for run in workspace.runs("toy") if run.status == "done"]) == 2
    assert not (workspace.directory / "first-start.json").exists()


def test_a_run_that_was_begun_is_resumed(workspace: Workspace, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker noticed that the server was gone and stopped: nobody had cancelled it."""
    train = first._train
    monkeypatch.setattr(first, "_train", lambda *_: None)
    first._prepare(workspace, first.FirstStart())
    monkeypatch.setattr(first, "_train", train)
    corpora_there = {info.split: info.id for info in workspace.corpora()}
    run = first._start(workspace, "toy", "count", corpora_there)
    harness.wait_for(workspace, run)
    workspace.reopen_run(run)
    workspace.finish_run(run, "cancelled", message="stopped before the first round")
    plan = first.Plan.of(workspace, {"toy": corpora_there})
    (one,) = plan.open()
    plan.began(one, run)
    first._prepare(workspace, first.FirstStart())
    (resumed,) = workspace.runs("toy")
    assert (resumed.id, resumed.status) == (run, "done")


def test_two_servers_prepare_a_workspace_once(workspace: Workspace, samples: Path) -> None:
    with (workspace.directory / "first-start.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = first.FirstStart()
        first._prepare(workspace, second)
    assert second.done and workspace.runs() == [] and workspace.corpora() == []
