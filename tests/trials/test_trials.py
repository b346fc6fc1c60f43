"""Each trial at a reduced size: that it runs, that it finds nothing, and that it would find something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.store.workspace import Workspace
from tests import postgres
from tests.trials import faults
from tests.trials.hostile import PAYLOADS, Poison, degenerate, poisoned
from tests.ui import harness

KILLS = {"annotating": 3, "training": 1, "uploading": 2, "database": 2}


def test_a_poisoned_corpus_means_the_same_and_holds_a_payload_in_every_name() -> None:
    documents = harness.sample_documents(3)
    found = poisoned(documents, Poison())
    for before, after in zip(documents, found, strict=True):
        old, new = before.layers["gold"], after.layers["gold"]
        assert [(m.start, m.end) for m in old.mentions] == [(m.start, m.end) for m in new.mentions]
        assert old.clusters == new.clusters and after.text.startswith(before.text)
        for mention in new.mentions:
            assert any(payload in (mention.type or "") for payload in PAYLOADS)
    assert len({document.id for document in degenerate()}) == len(degenerate())


@pytest.mark.slow
def test_no_acknowledged_work_is_lost_by_kills_or_a_full_disk(tmp_path: Path) -> None:
    for kind, kills, done, lost in faults.run(KILLS, seed=1):
        assert done >= kills and lost == 0, kind
    assert "none lost" in faults.full(tmp_path)


@pytest.mark.postgres
def test_no_acknowledged_work_is_lost_on_postgresql(tmp_path: Path) -> None:
    with postgres.running(tmp_path) as server:
        results = list(faults.run(KILLS, seed=1, server=server))
    assert [kind for kind, *_ in results][-1] == "annotating while the database is killed"
    for kind, kills, done, lost in results:
        assert done >= kills and lost == 0, kind


# Each with a browser of its own, which cannot be started twice in one process.
def trial(name: str, *options: str) -> str:
    command = [sys.executable, "-m", f"tests.trials.{name}", *options]
    ended = subprocess.run(command, cwd=harness.ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
def test_nothing_hostile_runs_or_breaks_a_page() -> None:
    pages = ("--pages", "joint", "errors", "document", "annotate")
    assert ": 0 faults" in trial("payloads", "--systems", "joint", "--schemes", "dark", *pages)


@pytest.mark.slow
def test_people_at_work_meet_no_fault(tmp_path: Path) -> None:
    harness.add_samples(Workspace.open(tmp_path))
    options = ("--sessions", "3", "--windows", "1", "--minutes", "0.3", "--unjudged")
    assert ", 0 failed" in trial("load", *options, "--workspace", str(tmp_path))


@pytest.mark.slow
def test_a_mend_that_is_taken_out_again_fails_its_test() -> None:
    assert "1 of 1 mends are guarded" in trial("findings", "13")
