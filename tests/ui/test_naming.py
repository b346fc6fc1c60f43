"""A run is called the same on every page, and the list of runs can be searched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.shell import naming
from ui.views.train import data


@pytest.fixture
def runs(workspace: Workspace) -> tuple[str, str, str]:
    train, dev = harness.add_samples(workspace)
    first, second = harness.trained(workspace, train, dev), harness.trained(workspace, train, dev, epochs=2)
    workspace.describe_run(first, name="with the new lexicon", note="too slow", starred=True)
    return dev, first, second


def test_every_page_calls_a_run_by_the_same_name(workspace: Workspace, runs: tuple[str, str, str]) -> None:
    dev, first, second = runs
    label = naming.run_label(workspace.run(second), with_task=False)
    assert naming.run_label(workspace.run(first)).startswith("toy · ★ with the new lexicon · count · ")
    compare = harness.open_page("compare", run=first, corpus=dev)
    assert label in compare.selectbox(key="compare.other").options
    assert label in harness.open_page("tune", run=first, corpus=dev).multiselect(key="tune.others").options
    fill = harness.open_page("document", run=first, corpus=dev).selectbox(key="document.fill")
    assert f"run {label}" in fill.options and second not in " ".join(fill.options)
    listed = next(one.value for one in harness.open_page("train").dataframe if one.key == "train.runs")
    assert f"toy · {label}" in list(listed["run"])


def test_runs_are_found_by_any_of_their_words(workspace: Workspace, runs: tuple[str, str, str]) -> None:
    _, first, second = runs
    labels = naming.corpus_labels(workspace.corpora())
    found = {
        search: {run.id for run in data.found_runs(workspace.runs(), search, labels)}
        for search in ("", "SLOW lexicon", "toy sample", "slow quick")
    }
    assert found == {"": {first, second}, "SLOW lexicon": {first}, "toy sample": {first, second}, "slow quick": set()}


def test_the_list_of_runs_can_be_searched(runs: tuple[str, str, str]) -> None:
    at = harness.open_page("train")
    at.text_input(key="train.search").set_value("lexicon").run()
    listed = next(one.value for one in at.dataframe if one.key == "train.runs")
    assert len(listed) == 1 and listed["note"][0] == "too slow"
    at.text_input(key="train.search").set_value("nobody").run()
    assert "No run matches." in harness.words_on(at)


def test_an_added_model_is_told_what_it_was_trained_and_chosen_on(
    workspace: Workspace, runs: tuple[str, str, str]
) -> None:
    dev, first, _ = runs
    workspace.attach_corpora(first, train=["sample-train"], dev=[dev])
    assert (workspace.run(first).train, workspace.run(first).dev) == ("sample-train", dev)


def test_a_run_that_ended_is_set_beside_the_best_of_the_others(
    workspace: Workspace, runs: tuple[str, str, str]
) -> None:
    _, first, second = runs
    workspace.finish_run(first, "done", scores={"f1": 0.5}, bias=0.0)
    workspace.finish_run(second, "done", scores={"f1": 0.75}, bias=0.0)
    told = harness.words_on(harness.open_page("train", job=first))
    assert "25.0 points less than the best of the other runs on the same corpus, count" in told
    assert "25.0 points more than" in harness.words_on(harness.open_page("train", job=second))
    # On other texts, or from other mentions, there is nothing to be set beside.
    one, other = workspace.run(first), workspace.run(second)
    path = ("f1",)
    assert data.best_beside(one, [one], path) is None
    assert data.best_beside(one, [replace(other, dev="elsewhere")], path) is None
    assert data.best_beside(one, [replace(other, settings={"mentions": "gold"})], path) is None
    assert data.best_beside(one, [other], path) == (other, -0.25)
