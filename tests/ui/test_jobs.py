"""Training in the background: it can be stopped at any moment, goes on where it was, and survives its server."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.corpora import data_hash
from engine.data.document import Document
from engine.data.errors import InputError
from engine.store import modelfile
from engine.store.workspace import RoundInfo, RunInfo, Workspace
from engine.tasks.base import AnyModel, AnyTask, Report
from engine.tasks.saving import load_model
from engine.workbench.experiments import choosing
from tests.ui import harness
from tests.ui.toy import Toy
from ui.background import jobs, worker
from ui.shell import models
from ui.views.train import words

pytestmark = pytest.mark.thorough


def test_a_cancelled_run_keeps_the_model_of_its_last_round(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=500, pause=0.05)
    harness.wait_for(workspace, run, rounds=2)
    assert jobs.state(workspace, run).alive
    jobs.cancel(workspace, run)
    harness.wait_for(workspace, run)
    state = jobs.state(workspace, run)
    assert state.run.status == "cancelled"
    made = len(state.rounds)
    assert 2 <= made < 500
    # "met" is not a mention: each round takes one off for each of the six documents.
    assert load_model(Toy(), workspace.model_path(run)).state["met"] == -6 * made


def test_a_resumed_run_ends_as_if_it_had_never_been_stopped(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    run = harness.start(workspace, [train], dev=[dev], epochs=12, pause=0.1)
    harness.wait_for(workspace, run, rounds=2)
    jobs.cancel(workspace, run)
    harness.wait_for(workspace, run)
    assert jobs.can_resume(workspace, workspace.run(run))
    before = {one.index: one.details["process"] for one in workspace.rounds(run)}
    jobs.resume(workspace, run)
    harness.wait_for(workspace, run)
    after = {one.index: one.details["process"] for one in workspace.rounds(run)}
    assert before and {index: after[index] for index in before} == before, "no round was made again"
    assert not workspace.checkpoint_path(run).exists()
    whole = harness.start(workspace, [train], dev=[dev], epochs=12)
    harness.wait_for(workspace, whole)
    assert [one.index for one in workspace.rounds(run)] == list(range(1, 13))
    assert workspace.run(run).data_hash == data_hash(list(workspace.gold_documents(workspace.run(run).train)))
    assert workspace.run(run).status == "done"
    assert workspace.run(run).scores == workspace.run(whole).scores
    resumed, unbroken = (load_model(Toy(), workspace.model_path(one)).state for one in (run, whole))
    assert resumed == unbroken


def test_a_cancelled_run_that_is_resumed_at_once_is_not_killed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "GRACE", 0.5)
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=20, pause=0.1)
    harness.wait_for(workspace, run, rounds=1)
    jobs.cancel(workspace, run)
    while jobs.is_alive(workspace, run):
        pass
    jobs.resume(workspace, run)
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"


def test_a_run_whose_documents_changed_since_it_was_stopped_begins_again(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=12, pause=0.1)
    harness.wait_for(workspace, run, rounds=2)
    jobs.cancel(workspace, run)
    harness.wait_for(workspace, run)
    before = {one.details["process"] for one in workspace.rounds(run)}
    header, parts = modelfile.read(workspace.checkpoint_path(run))
    about = {**header["about"], "training documents": "others"}
    modelfile.write(workspace.checkpoint_path(run), {**header, "about": about}, parts)
    jobs.resume(workspace, run)
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"
    assert before.isdisjoint(one.details["process"] for one in workspace.rounds(run))
    assert "had other training documents" in jobs.spec_path(workspace.directory, run).with_suffix(".log").read_text()


def test_a_run_that_was_stopped_after_its_last_round_is_done_once_it_is_resumed(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    whole = harness.trained(workspace, train, dev, epochs=2)
    run = harness.start(workspace, [train], dev=[dev], epochs=2, pause=1.0)
    harness.wait_for(workspace, run, rounds=1)
    jobs.cancel(workspace, run)
    harness.wait_for(workspace, run)
    assert [one.index for one in workspace.rounds(run)] == [1, 2] and workspace.run(run).status == "cancelled"
    jobs.resume(workspace, run)
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done" and workspace.run(run).scores == workspace.run(whole).scores


def test_a_killed_run_is_found_dead_and_its_rounds_are_kept(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=500, pause=0.05)
    harness.wait_for(workspace, run, rounds=1)
    os.kill(int(jobs.lock_path(workspace.directory, run).read_text()), signal.SIGKILL)
    harness.wait_for(workspace, run)
    state = jobs.state(workspace, run)
    assert not state.alive
    assert state.run.status == "failed"
    assert state.rounds


def test_another_server_sees_a_run_alive_and_can_cancel_it(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=500, pause=0.05)
    harness.wait_for(workspace, run, rounds=1)
    # What only the server that started it knows is taken away.
    mine = jobs._processes.pop((str(workspace.directory), run))
    assert jobs.is_alive(workspace, run)
    jobs.cancel(workspace, run)
    mine.wait(timeout=20)
    assert workspace.run(run).status == "cancelled"


def test_a_run_on_an_empty_corpus_fails_with_a_sentence(workspace: Workspace) -> None:
    workspace.add_corpus("Nothing", [])
    run = harness.start(workspace, ["nothing"])
    harness.wait_for(workspace, run)
    state = jobs.state(workspace, run)
    assert state.run.status == "failed"
    assert "no document to learn from" in state.run.message


def test_a_run_whose_process_is_still_being_started_is_not_called_dead(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, _ = harness.add_samples(workspace)
    launch, looking = jobs._launch, []

    def slowly(there: Workspace, run: str) -> None:
        looking.append(threading.Thread(target=jobs.state, args=(there, run)))
        looking[0].start()
        looking[0].join(timeout=0.3)
        launch(there, run)

    monkeypatch.setattr(jobs, "_launch", slowly)
    run = harness.start(workspace, [train], epochs=1)
    looking[0].join()
    assert workspace.run(run).status != "failed"
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"


@pytest.mark.parametrize(
    ("log", "told"),
    [
        ("", jobs.KILLED),  # SIGKILL, as the system does it
        ("Traceback ...\nMemoryError", jobs.NO_MEMORY),
        ("Traceback ...\nnumpy._core._exceptions._ArrayMemoryError: Unable to allocate 9. TiB", jobs.NO_MEMORY),
        ("Traceback ...\nKeyError: 'x'", "KeyError: 'x'"),
    ],
)
def test_a_training_that_ran_out_of_memory_says_so_and_what_to_do(workspace: Workspace, log: str, told: str) -> None:
    train, _ = harness.add_samples(workspace)
    run = workspace.start_run("toy", "count", {}, train=train, dev="")
    path = jobs.spec_path(workspace.directory, run)
    path.parent.mkdir(exist_ok=True)
    path.write_text("{}")
    path.with_suffix(".log").write_text(log)
    found = jobs.state(workspace, run).run
    assert (found.status, found.message) == ("failed", told)
    assert jobs.can_resume(workspace, found)


def test_a_model_file_becomes_a_run_and_what_is_none_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    run = harness.trained(workspace, *harness.add_samples(workspace))
    file = tmp_path / "theirs.zip"
    file.write_bytes(workspace.model_path(run).read_bytes())
    adopted = workspace.run(models.adopt(workspace, file))
    trained = workspace.run(run)
    assert adopted.id != run and adopted.status == "done"
    assert (adopted.settings, adopted.bias, adopted.data_hash) == (trained.settings, trained.bias, trained.data_hash)
    assert load_model(Toy(), workspace.model_path(adopted.id)).state == load_model(Toy(), file).state
    assert (adopted.name, adopted.train, adopted.dev) == ("theirs", trained.train, "")
    file.write_bytes(b"PK not a model")
    with pytest.raises(InputError, match="not a model file"):
        models.adopt(workspace, file)
    assert len(workspace.runs()) == 2


def test_a_model_that_breaks_the_process_that_tries_it_becomes_no_run(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = harness.trained(workspace, *harness.add_samples(workspace))
    file = tmp_path / "theirs.zip"
    file.write_bytes(workspace.model_path(run).read_bytes())
    killed = tmp_path / "killed"
    killed.write_text("#!/bin/sh\nkill -SEGV $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr("ui.background.trial.sys.executable", str(killed))
    with pytest.raises(InputError, match="broke the process"):
        models.adopt(workspace, file)
    assert [one.id for one in workspace.runs()] == [run]


def test_a_run_is_removed_only_after_asking(workspace: Workspace) -> None:
    run = harness.trained(workspace, *harness.add_samples(workspace))
    at = harness.open_page("train", job=run)
    assert not at.exception and at.button(key="train.remove").disabled
    at.checkbox(key=f"train.sure.{run}").check().run()
    at.button(key="train.remove").click().run()
    assert not at.exception and workspace.runs() == [] and not workspace.model_path(run).exists()


def test_another_server_does_not_call_a_run_dead_that_is_being_started(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process looks at the run after it was recorded and before its worker is up."""
    train, _ = harness.add_samples(workspace)
    launch, said = jobs._launch, []
    look = (
        "import sys; from pathlib import Path; from engine.store.workspace import Workspace\n"
        "from ui.background import jobs\n"
        "w = Workspace.open(Path(sys.argv[1])); run = w.runs()[0].id; print('here', flush=True)\n"
        "print(jobs.state(w, run).run.status)"
    )

    def slowly(there: Workspace, run: str) -> None:
        command = [sys.executable, "-c", look, str(there.directory)]
        said.append(subprocess.Popen(command, cwd=harness.ROOT, stdout=subprocess.PIPE, text=True))
        assert said[0].stdout is not None and said[0].stdout.readline() == "here\n"
        with pytest.raises(subprocess.TimeoutExpired):  # it looks now, and has to wait for whoever starts the run
            said[0].wait(timeout=3)
        launch(there, run)

    monkeypatch.setattr(jobs, "_launch", slowly)
    run = harness.start(workspace, [train], epochs=1)
    said[0].communicate(timeout=60)
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"


def test_a_run_is_alive_for_other_servers_from_its_first_moment(workspace: Workspace) -> None:
    """The worker inherits the lock: there is no time between the start and the lock."""
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=1)
    process = jobs._processes.pop((str(workspace.directory), run))
    assert jobs._process_of(workspace, run) == process.pid, "known by its lock alone"
    process.wait(timeout=60)
    assert jobs._process_of(workspace, run) is None


def test_all_files_of_a_kind_reach_the_training() -> None:
    files = {"lexicon": ["a", "b"], "vectors": ["v.txt", "w.bin"], "constraints": ["c.toml"]}
    found = jobs.JobSpec("r", "disambiguation", "bsg", {}, ("train",), files=files).to_resources()
    assert found.vectors == (Path("v.txt"), Path("w.bin")) and found.lexicon == (Path("a"), Path("b"))
    assert found.constraints == Path("c.toml") and found.gazetteers == ()


def test_a_run_that_was_stopped_and_died_without_a_word_is_cancelled_not_failed(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=50, pause=0.1)
    harness.wait_for(workspace, run, rounds=1)
    number = jobs._process_of(workspace, run)
    assert number is not None
    jobs._stop_mark(workspace, run).touch()
    os.kill(number, signal.SIGKILL)
    harness.wait_for(workspace, run)
    assert jobs.state(workspace, run).run.status == "cancelled"


def test_resuming_waits_for_the_process_that_is_being_stopped(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], epochs=6, pause=0.1)
    harness.wait_for(workspace, run, rounds=1)
    jobs.cancel(workspace, run)
    jobs.resume(workspace, run)
    assert jobs.is_alive(workspace, run)
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"
    assert [one.index for one in workspace.rounds(run)] == [1, 2, 3, 4, 5, 6]


def test_the_time_left_goes_by_the_pace_since_the_process_began() -> None:
    rounds = tuple(RoundInfo(i, 0.0, {}, {"after": 2, "elapsed": 2.0 * (i - 2)}) for i in (3, 4))
    info = RunInfo("r", "toy", "count", {}, 0, "", "", "", "running", "", None, {}, 0.0, "")
    assert jobs.JobState(info, rounds, 10, True).seconds_left == 12.0
    assert jobs.JobState(info, (), 10, True).seconds_left is None


def test_settings_are_chosen_on_dev_over_the_papers_values_first(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = dataclasses.replace(Toy.learners["count"], grid={"epochs": ("2", "3")})
    monkeypatch.setitem(Toy.learners, "count", info)
    whole = choosing.judge

    def judge(task: AnyTask, model: AnyModel, documents: list[Document]) -> Report:
        # The toy scores the same whatever it is told.
        return {**whole(task, model, documents), "f1": model.settings.epochs / 10}

    monkeypatch.setattr(choosing, "judge", judge)
    train, dev = harness.add_samples(workspace)
    run = workspace.start_run("toy", "count", dataclasses.asdict(info.settings), train=train, dev=dev)
    spec = jobs.JobSpec(run, "toy", "count", dataclasses.asdict(info.settings), (train,), (dev,), tunes=True)
    done = worker.train(workspace, spec)
    assert done is not None and done[1].settings.epochs == 3 and len(workspace.rounds(run)) == 3
    assert "epochs=3, chosen on dev" in workspace.run(run).message and "20.0 with epochs=2" in done[1].chosen
    with pytest.raises(InputError, match="on dev"):
        worker.train(workspace, dataclasses.replace(spec, dev=()))


def test_the_form_offers_the_papers_values_where_there_are_some(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.add_samples(workspace)
    assert not [one for one in harness.open_page("train").toggle if one.label == words.TUNES]
    info = dataclasses.replace(Toy.learners["count"], grid={"epochs": ("2", "3")})
    monkeypatch.setitem(Toy.learners, "count", info)
    (toggle,) = [one for one in harness.open_page("train").toggle if one.label == words.TUNES]
    assert "epochs 2, 3" in toggle.help and "2 trainings" in toggle.help
