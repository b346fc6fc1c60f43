"""An annotation project is set up on the pages from nothing: labels, members, documents dealt out, what is learnt."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from engine.data.document import Document
from engine.data.edits import AddMention, MarkDone
from engine.data.plain_text import tokenised
from engine.store.workspace import Workspace
from engine.workbench.team import labelling
from tests.ui import harness
from ui.background import jobs


def raw(workspace: Workspace, n: int = 3) -> str:
    return workspace.add_corpus("Raw", [tokenised(Document(f"d{i}", "Ann lives in Oslo.")) for i in range(n)])


def opened(part: str, corpus: str, user: str = "lea") -> AppTest:
    at = harness.open_page("annotate", corpus=corpus, user=user)
    at.session_state["annotate.part"] = part
    return at.run()


def field(at: AppTest, label: str) -> object:
    return next(one for one in [*at.text_input, *at.multiselect, *at.checkbox, *at.selectbox] if one.label == label)


def press(at: AppTest, label: str) -> AppTest:
    return next(one for one in at.button if one.label == label).click().run()


def test_a_label_set_is_made_from_nothing_and_every_step_can_be_taken_back(workspace: Workspace) -> None:
    corpus = raw(workspace)
    log = workspace.annotations(corpus)
    at = opened("Labels", corpus)
    field(at, "New types").input(" PER, LOC ,PER,, ")
    at = press(at, "Add types")
    field(at, "New relation").input("lives_in")
    field(at, "From (none: any type)").select("PER")
    field(at, "To (none: any type)").select("LOC")
    at = press(at, "Add the relation")
    field(at, "New labels of the document").input("news")
    at = press(at, "Add document labels")
    made = labelling.defined(log)
    assert made is not None and not at.exception
    assert [(one.name, one.key) for one in made.types] == [("PER", "1"), ("LOC", "2")]
    assert [(one.name, one.heads, one.tails, one.symmetric) for one in made.relations] == [
        ("lives_in", ("PER",), ("LOC",), False)
    ]
    assert [one.name for one in made.labels] == ["news"]
    field(at, "New relation").input("lives_in")
    at = press(at, "Add the relation")
    assert "there is a relation 'lives_in' already" in harness.words_on(at)
    assert labelling.defined(log) == made
    for _ in range(3):
        at = at.button(key="labels.undo").click().run()
    assert labelling.defined(log) is None


def test_members_are_added_by_name_and_documents_dealt_out(workspace: Workspace) -> None:
    corpus = raw(workspace)
    at = opened("People", corpus)
    field(at, "New members").input("anna, bob")
    at = press(at, "Add")
    assert workspace.project(corpus).members == {"lea": "lead", "anna": "annotator", "bob": "annotator"}
    at.checkbox(key="project.blind").check().run()
    at = at.button(key="project.save").click().run()
    assert workspace.project(corpus).blind
    at = at.button(key="project.deal").click().run()
    assert workspace.project(corpus).assigned == {f"d{i}": ("anna", "bob") for i in range(3)}
    field(at, "New members").input("bob")
    field(at, "Role").select("curator")
    at = press(at, "Add")
    found = workspace.project(corpus)
    assert found.members["bob"] == "curator" and found.blind, "adding changes nothing else"
    assert not at.exception


def test_the_only_lead_cannot_be_made_something_else(workspace: Workspace) -> None:
    corpus = raw(workspace)
    workspace.set_up_project(corpus, members={"lea": "lead", "anna": "annotator"})
    at = opened("People", corpus)
    field(at, "New members").input("lea")
    at = press(at, "Add")
    assert "a project needs a lead" in harness.words_on(at)
    assert workspace.project(corpus).members["lea"] == "lead"


def test_training_on_the_train_page_leaves_out_what_is_not_done(workspace: Workspace) -> None:
    corpus = raw(workspace)
    first, second, _ = workspace.documents(corpus)
    log = workspace.annotations(corpus)
    for document in (first, second):
        log.append(document, AddMention("m", 0, 3, type="PER"), user="lea")
    log.append(first, MarkDone(), user="lea")
    at = harness.open_page("train", task="toy", corpus=corpus)
    (asked,) = [one for one in at.toggle if one.label == "Only documents that are done"]
    assert not asked.value, "nobody has planned who does what"
    workspace.set_up_project(corpus, members={"lea": "lead"})
    at = harness.open_page("train", task="toy", corpus=corpus)
    (asked,) = [one for one in at.toggle if one.label == "Only documents that are done"]
    assert asked.value
    at.button(key="train.start").click().run()
    run = harness.parameter(at, "job")
    assert jobs.read_spec(workspace.directory, run).only_done
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"
