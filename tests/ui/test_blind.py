"""A blind annotator is shown the text and their own layer, and nothing that others or a model have said."""

from __future__ import annotations

import json

import pytest

from engine.data.document import Document
from engine.data.edits import AddMention, Comment
from engine.store.workspace import Workspace
from tests.ui import harness

SECRET = "Secret_Entity"


@pytest.fixture
def project(workspace: Workspace) -> tuple[str, str, Document]:
    """A project of anna and ben, of whom ben has worked; a run that would suggest; the corpus and a document."""
    train, dev = harness.add_samples(workspace)
    run = harness.trained(workspace, train, dev)
    document = workspace.documents(dev)[0]
    workspace.set_up_project(
        dev, members={"lea": "lead", "cora": "curator", "anna": "annotator", "ben": "annotator"}, blind=True
    )
    log = workspace.annotations(dev)
    log.append(document, AddMention("b1", 0, 3, "PER", SECRET), user="ben", layer="ben")
    log.append(document, Comment("", f"is this {SECRET}?", "c", "ben"), user="ben", layer="ben")
    log.append(document, AddMention("g", 0, 3, "PER", SECRET), user="lea")
    return run, dev, document


def test_what_the_server_sends_to_a_blind_annotator_holds_nothing_of_others(
    project: tuple[str, str, Document],
) -> None:
    run, dev, document = project
    for part in ("Queue", "History", "Labels", "My progress"):
        at = harness.open_page("annotate", run=run, corpus=dev, doc=document.id, user="anna")
        at.session_state["annotate.part"] = part
        at.session_state["annotate.asked"] = {"id": "x", "text": "Secret", "start": 0, "end": 3}
        at.run()
        assert not at.exception
        shown = harness.components(at)["annotate.editor"]
        assert (shown["mentions"], shown["suggestions"], shown["comments"]) == ([], [], [])
        assert SECRET not in json.dumps(shown), "an entity of gold or of another layer is offered"
        assert SECRET not in harness.words_on(at)
        assert [tab.label for tab in at.tabs] == ["Queue", "History", "Labels", "My progress"]
        assert not [box for box in at.sidebar.selectbox if box.label == "Run"]
        frames = json.dumps([frame.value.to_dict() for frame in at.dataframe], default=str)
        assert SECRET not in frames and "ben" not in frames


@pytest.mark.parametrize("part", ["Bulk", "People", "Versions and scores"])
def test_a_part_that_is_closed_cannot_be_asked_for_by_name(project: tuple[str, str, Document], part: str) -> None:
    run, dev, document = project
    at = harness.open_page("annotate", run=run, corpus=dev, doc=document.id, user="anna", layer="seeing")
    at.session_state["annotate.part"] = part
    at.run()
    assert part not in [tab.label for tab in at.tabs]
    assert SECRET not in json.dumps(harness.components(at)["annotate.editor"]) + harness.words_on(at)


@pytest.mark.parametrize("page", ["document", "errors", "compare", "tune", "corpora", "train", "experiments"])
def test_other_pages_show_nothing_of_the_corpus(project: tuple[str, str, Document], page: str) -> None:
    run, dev, document = project
    at = harness.open_page(page, run=run, corpus=dev, doc=document.id, user="anna")
    told = harness.words_on(at) + json.dumps(harness.components(at))
    assert "annotated blind" in told and SECRET not in told and document.text not in told


@pytest.mark.parametrize("user", ["lea", "cora"])
def test_leads_and_curators_see_everything(project: tuple[str, str, Document], user: str) -> None:
    run, dev, document = project
    at = harness.open_page("annotate", run=run, corpus=dev, doc=document.id, user=user)
    shown = harness.components(at)["annotate.editor"]
    assert SECRET in json.dumps(shown["mentions"]) and "People" in [tab.label for tab in at.tabs]
