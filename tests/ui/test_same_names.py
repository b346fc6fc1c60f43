"""Corpora that were given the same name stay two: no click on any page changes which one is on screen."""

from __future__ import annotations

import pytest

from engine.store.workspace import Workspace
from tests.ui import harness

PAGES = ("errors", "tune", "annotate", "document", "corpora", "compare", "train")


@pytest.fixture
def twins(workspace: Workspace) -> tuple[str, str]:
    """The same documents added twice under one name, and a run."""
    harness.trained(workspace, *harness.add_samples(workspace))
    documents = harness.sample_documents(4)
    first, second = (workspace.add_corpus("dev", documents, split="dev") for _ in range(2))
    return first, second


@pytest.mark.parametrize("page", PAGES)
def test_no_box_mixes_them_up_and_no_click_leaves_one_for_the_other(twins: tuple[str, str], page: str) -> None:
    for corpus in twins:
        at = harness.open_page(page, corpus=corpus)
        assert not at.exception
        for box in [*at.selectbox, *at.multiselect]:
            assert len(set(box.options)) == len(box.options), f"{box.key}: {box.options}"
        run = harness.parameter(at, "run")
        # With every click the browser sends back the label that the box showed.
        at.selectbox(key="sidebar.corpus").set_value(at.selectbox(key="sidebar.corpus").value).run()
        assert (harness.parameter(at, "corpus"), harness.parameter(at, "run")) == (corpus, run)
