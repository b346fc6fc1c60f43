"""Every page: with nothing, with a corpus, and its one main action."""

from __future__ import annotations

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks.registry import get
from tests.ui import harness, tiny
from tests.ui.conftest import SYSTEMS
from ui.tab import pages
from ui.views.see import frame as see

PAGES = tuple(info.name for entries in pages.groups().values() for info in entries)
WITHOUT_SYSTEM = tuple(name for name in PAGES if name not in SYSTEMS)


@pytest.fixture
def page(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A page of the navigation: a system's own with the systems there are, any other with the toy."""
    if request.param in SYSTEMS:
        harness.register(monkeypatch, SYSTEMS)
    return str(request.param)


every_page = pytest.mark.parametrize("page", PAGES, indirect=True)


def add_bare(workspace: Workspace) -> str:
    """Two documents that nobody has annotated, one of them without a word."""
    return workspace.add_corpus("Bare", [Document("a", "No annotation here."), Document("b", "")])


@every_page
def test_an_empty_workspace_says_what_to_do_next(page: str, workspace: Workspace) -> None:
    at = harness.open_page(page)
    assert not at.exception
    words = harness.words_on(at)
    missing = ("corpus", "no run", "no document", "has been trained", "no experiment")
    assert any(word in words for word in missing) or page == "corpora"
    assert at.get("page_link") or at.get("file_uploader")


@every_page
def test_an_empty_corpus_and_a_bare_document_show_no_traceback(page: str, workspace: Workspace) -> None:
    workspace.add_corpus("Nothing", [])
    at = harness.open_page(page, corpus="nothing")
    assert not at.exception
    add_bare(workspace)
    for doc in ("a", "b"):
        at = harness.open_page(page, corpus="bare", doc=doc)
        assert not at.exception
        assert harness.parameter(at, "doc") == doc


@every_page
def test_a_model_meets_a_bare_document_and_an_empty_corpus(page: str, workspace: Workspace) -> None:
    """With a run on screen: whatever the page draws or says instead, it stands."""
    task = page if page in SYSTEMS else "toy"
    run = tiny.add_run(workspace, get(task), tiny.model(task), add_bare(workspace))
    workspace.add_corpus("Nothing", [])
    for query in ({"corpus": "bare", "doc": "a"}, {"corpus": "bare", "doc": "b"}, {"corpus": "nothing"}):
        at = harness.open_page(page, run=run, **query)
        assert not at.exception
        assert not at.error
        assert harness.parameter(at, "run") == run
        assert {name: harness.parameter(at, name) for name in query} == query


@pytest.mark.parametrize("page", WITHOUT_SYSTEM, indirect=True)
def test_an_address_that_names_nothing_opens_with_what_is_there(page: str, workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page(page, corpus="gone", doc="gone", run="gone", bias="nan", sel="gone", pins="{", job="gone")
    assert not at.exception
    assert harness.parameter(at, "corpus") == "sample-dev"
    assert harness.parameter(at, "doc") == "d0"


def test_the_document_view_draws_gold_with_offsets_in_code_points(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("document", corpus="sample-train", doc="d3", by="entity")
    drawn = harness.components(at)["document.text"]
    spans = {span["label"]: drawn["text"][span["start"] : span["end"]] for span in drawn["spans"]}
    assert spans["Ada Lovelace"] == "Ada Lovelace" and spans["London"] == "London"
    assert all(span["gold"] and not span["predicted"] for span in drawn["spans"])


def test_next_and_previous_step_through_documents_and_stop_at_the_ends(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("document", corpus="sample-dev")
    seen = []
    for _ in range(5):
        seen.append(harness.components(at)["document.text"]["doc"])
        at.button(key="sidebar.next").click().run()
    assert seen == ["d0", "d1", "d2", "d3", "d3"]
    at.button(key="sidebar.previous").click().run()
    assert harness.parameter(at, "doc") == "d2"


def test_the_search_narrows_the_documents_and_goes_to_the_first(workspace: Workspace) -> None:
    texts = ("red apple", "green pear", "red pear")
    workspace.add_corpus("Fruit", [Document(f"f{i}", text) for i, text in enumerate(texts)])
    at = harness.open_page("document")
    at.text_input(key="sidebar.search").set_value("PEAR").run()
    assert harness.parameter(at, "doc") == "f1"
    assert at.selectbox(key="sidebar.document.1").options == ["f1", "f2"]
    at.button(key="sidebar.next").click().run()
    assert harness.parameter(at, "doc") == "f2"


def test_what_was_chosen_is_still_chosen_on_the_next_page(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("document", corpus="sample-dev", doc="d2")
    at.switch_page("pages/corpora.py").run()
    assert (harness.parameter(at, "corpus"), harness.parameter(at, "doc")) == ("sample-dev", "d2")


def test_choosing_another_corpus_drops_the_document_and_the_selection(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("document", corpus="sample-train", doc="d5", sel="gold:1")
    at.selectbox(key="sidebar.corpus").set_value("sample-dev").run()
    assert harness.parameter(at, "doc") == "d0"
    assert "sel" not in at.query_params


def test_a_corpus_is_counted_exported_and_removed(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("corpora", corpus="sample-train", view="Statistics")
    numbers = {metric.label: metric.value for metric in at.metric}
    assert numbers["documents"] == "6" and numbers["mentions"] == "24" and numbers["linked"] == "18"
    at = harness.open_page("corpora", corpus="sample-train", view="Export")
    at.button(key="corpora.prepare").click().run()
    assert at.get("download_button")
    at.checkbox(key="corpora.sure").check().run()
    at.button(key="corpora.remove").click().run()
    assert [info.id for info in workspace.corpora()] == ["sample-dev"]
    assert not at.exception


def test_training_starts_is_followed_and_can_be_used(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    at = harness.open_page("train", task="toy")
    at.number_input(key="train.toy.count.epochs").set_value(3).run()
    at.button(key="train.start").click().run()
    run = harness.parameter(at, "job")
    harness.wait_for(workspace, run)
    info = workspace.run(run)
    assert (info.status, info.train, info.dev, info.settings["epochs"]) == ("done", train, dev, 3)
    at = harness.open_page("train", task="toy", job=run)
    assert [point[0] for point in harness.components(at)["train.rounds"]["objective"]] == [1, 2, 3]
    at = harness.open_page("document", corpus=dev, run=run)
    assert harness.components(at)["see.strip"]["n"] > 1
    drawn = harness.components(at)["document.text"]["spans"]
    assert any(span["predicted"] for span in drawn)


def test_a_run_that_breaks_says_why_and_offers_to_go_on(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    run = harness.start(workspace, [train], fail=True)
    harness.wait_for(workspace, run)
    at = harness.open_page("train", task="toy", job=run)
    assert not at.exception
    assert "the toy broke" in harness.words_on(at)
    assert at.button(key="train.resume")


@every_page
def test_hostile_words_never_reach_markdown(page: str, workspace: Workspace) -> None:
    evil = "<script>alert(1)</script> ![x](http://evil.example/x.png) [a](javascript:alert(1))"
    workspace.add_corpus(evil, [Document(evil, evil)])
    at = harness.open_page(page)
    assert not at.exception
    for kind in ("markdown", "caption", "title", "subheader", "error", "warning", "success"):
        assert not any("evil" in str(element.value) for element in getattr(at, kind)), kind


def test_two_visitors_do_not_disturb_each_other(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    one = harness.open_page("document", corpus="sample-train", doc="d1")
    other = harness.open_page("document", corpus="sample-dev", doc="d2")
    one.button(key="sidebar.next").click().run()
    other.button(key="sidebar.previous").click().run()
    assert (harness.parameter(one, "corpus"), harness.parameter(one, "doc")) == ("sample-train", "d2")
    assert (harness.parameter(other, "corpus"), harness.parameter(other, "doc")) == ("sample-dev", "d1")


def test_the_form_and_the_run_beside_it_are_of_one_system(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.register(monkeypatch, SYSTEMS)
    harness.add_samples(workspace)
    runs = {}
    for system, learner in (("linking", "perceptron"), ("disambiguation", "local"), ("linking", "s-mart")):
        runs[learner] = workspace.start_run(system, learner, {})
        workspace.finish_run(runs[learner], "done")

    def shown(at: AppTest) -> tuple[str, str]:
        """The system in the form, and the learner of the run beside it."""
        titles = {get(system).title for system in SYSTEMS}
        (head,) = [str(one.value) for one in at.text if str(one.value).split(" · ")[0] in titles]
        return str(at.selectbox(key="train.task").value), head.split(" · ")[1]

    at = harness.open_page("train")
    assert shown(at) == ("linking", "s-mart")
    at = harness.open_page("train", job=runs["local"])
    assert shown(at) == ("disambiguation", "local")
    at.selectbox(key="train.task").set_value("linking").run()
    assert shown(at) == ("linking", "s-mart") and "job" not in at.query_params
    at.selectbox(key="train.task").set_value("joint").run()
    assert "Nothing has been trained for joint" in harness.words_on(at)


def test_one_action_is_one_step_of_the_browsers_back_key(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every write to the address is one."""
    written: list[str] = []
    send = QueryParams._send_query_param_msg

    def noted(self: QueryParams) -> None:
        send(self)
        written.append("")

    train, dev = harness.add_samples(workspace)
    run = harness.trained(workspace, train, dev)
    place = harness.sample_documents()[2].gold.mentions[0].span
    chosen = {"corpus": dev, "run": run, "doc": "d2", "sel": see.place(*place)}
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", noted)
    at = harness.open_page("document")
    written.clear()
    at.switch_page("pages/corpora.py")
    at.query_params.clear()  # as the browser does
    at.run()
    assert len(written) == 1, "what was settled is written at once"
    at = harness.open_page("document", **chosen)
    written.clear()
    at.run()
    assert not written and harness.parameter(at, "sel") == chosen["sel"]
    assert harness.components(at)["document.text"]["selected"].startswith(("gold:", "predicted:"))
    at.button(key="sidebar.next").click().run()
    assert len(written) == 1, "the document and what goes with it"


def test_each_system_has_a_box_of_runs_of_its_own(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels differ from page to page, and the browser sends the label back: a shared box would choose a run of that
    name."""
    harness.register(monkeypatch, SYSTEMS)
    keys = [
        {str(box.key) for box in harness.open_page(page).selectbox if "sidebar.run" in str(box.key)}
        for page in ("errors", "linking", "joint")
    ]
    assert keys == [{"sidebar.run.any"}, {"sidebar.run.linking"}, {"sidebar.run.joint"}]
