"""The coreference page: text and trees of a trained sample model, what selecting, moving and pinning show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.pins import ClusterPin
from engine.settings import with_values
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Model, Resources
from engine.tasks.coreference.task import Coreference
from engine.tasks.coreference.trace import CoreferenceTrace
from engine.tasks.saving import save_model
from tests.ui.harness import components, open_page, words_on
from ui.shell import layout
from ui.views.coreference import data as view
from ui.views.coreference import runs as coreference_runs
from ui.views.see.pins import decode, encode

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "coreference"


@pytest.fixture(scope="module")
def trained() -> tuple[list[Document], Model]:
    task = Coreference()
    documents = read(SAMPLE / "dev.conll")
    settings = with_values(task.learner(None).settings, {"n_rounds": "3", "beam": "4"})
    *_, last = task.rounds(read(SAMPLE / "train.conll")[:8], documents[:2], "delayed-laso", settings, Resources())
    return documents, last.model


@pytest.fixture(scope="module")
def trace(trained: tuple[list[Document], Model]) -> CoreferenceTrace:
    documents, model = trained
    task = Coreference()
    return task.trace(task.scored(documents[:1], model))


def test_every_clustered_mention_has_one_bar_per_entity_it_is_in(
    trace: CoreferenceTrace, trained: tuple[list[Document], Model]
) -> None:
    drawn = view.spans(trace, trained[0][0])
    predicted, _ = view.numbers(trace)
    assert {(s.start, s.end) for s in drawn if s.predicted} == {
        (m.start, m.end) for m in trace.mentions if m.predicted >= 0
    }
    assert {(s.start, s.end) for s in drawn if s.gold} == {m.span for m in trained[0][0].gold.mentions}
    assert len(set(predicted.values())) == len(predicted), "two entities never share a number"


def test_rows_lead_to_the_rows_of_their_antecedents(trace: CoreferenceTrace) -> None:
    rows = view.tree_rows(trace)
    for row in rows:
        arc = trace.predicted[int(row.key[1:]) - 1]
        assert (row.head == -1) == (arc.head == 0)
        if row.head >= 0:
            assert rows[row.head].key == f"m{arc.head}"


def test_moving_a_mention_changes_only_its_entity(trace: CoreferenceTrace) -> None:
    predicted, _ = view.numbers(trace)
    one = next(i for i, m in enumerate(trace.mentions, 1) if m.predicted >= 0)
    place = (trace.mentions[one - 1].start, trace.mentions[one - 1].end)
    target = next(n for c, n in predicted.items() if c != trace.mentions[one - 1].predicted)
    after = view.moved(trace, one, str(target))
    joined = next(cluster for cluster in after if place in cluster)
    cluster = next(c for c, n in predicted.items() if n == target)
    assert {(m.start, m.end) for m in trace.mentions if m.predicted == cluster} <= set(joined)
    assert all(place not in other for other in view.moved(trace, one, view.NEW))


def test_the_grid_has_a_row_per_sentence_with_a_mention(trace: CoreferenceTrace) -> None:
    columns, table = view.grid(trace)
    assert len(table) == len({m.sentence for m in trace.mentions})
    assert all(set(row) == {"sentence", *columns} for row in table)
    assert {cell for row in table for name, cell in row.items() if name != "sentence"} <= {"S", "O", "X", "–"}


def test_the_replay_finds_what_an_iteration_did_with_a_document(trained: tuple[list[Document], Model]) -> None:
    history = trained[1].state.history
    item = view.replay(history, history[0]["documents"][0]["id"], 2)
    assert item is not None and 0 < item["read"] <= item["mentions"]
    assert view.replay(history, "no such document", 2) is None


@pytest.fixture
def on_screen(
    workspace: Workspace, trained: tuple[list[Document], Model], monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """The page with a run in the workspace: ids of corpus and run."""
    monkeypatch.setattr(registry, "TASKS", {"coreference": "engine.tasks.coreference.task:Coreference"})
    registry.get.cache_clear()
    documents, model = trained
    corpus = workspace.add_corpus("Stories", documents, split="dev")
    run = workspace.start_run("coreference", "delayed-laso", {"features": "nonlocal"}, train="", dev=corpus)
    save_model(Coreference(), model, workspace.model_path(run))
    workspace.finish_run(run, "done", scores=dict(model.scores), bias=model.bias)
    return corpus, run


def test_the_page_draws_text_and_trees_and_explains_the_selected_arc(on_screen: tuple[str, str]) -> None:
    corpus, run = on_screen
    at = open_page("coreference", corpus=corpus, run=run)
    assert not at.exception
    drawn = components(at)
    assert drawn["coreference.text"]["spans"]
    rows = drawn["coreference.tree"]["rows"]
    linked = next(row for row in rows if row["head"] >= 0)
    assert "coreference.why" not in drawn
    at = open_page("coreference", corpus=corpus, run=run, sel=linked["key"])
    assert not at.exception
    why = components(at)["coreference.why"]
    assert why["rows"]
    assert why["total"] == pytest.approx(linked["score"], abs=1e-6)


def test_a_pin_keeps_two_mentions_apart_on_the_page(on_screen: tuple[str, str]) -> None:
    corpus, run = on_screen
    at = open_page("coreference", corpus=corpus, run=run)
    before = components(at)["coreference.tree"]["rows"]
    linked = next(row for row in before if row["head"] >= 0)
    at = open_page("coreference", corpus=corpus, run=run, sel=linked["key"])
    at.button(key="coreference.pin.False").click().run()
    assert not at.exception
    assert "do not corefer" in words_on(at)
    # Heads are counted in the rows that are drawn, which are other ones now.
    after = components(at)["coreference.tree"]["rows"]
    heads = {row["key"]: after[row["head"]]["key"] if row["head"] >= 0 else "" for row in after}
    assert heads.get(linked["key"]) != before[linked["head"]]["key"]


def test_who_says_the_opposite_has_changed_his_mind(on_screen: tuple[str, str]) -> None:
    corpus, run = on_screen
    at = open_page("coreference", corpus=corpus, run=run)
    linked = next(row for row in components(at)["coreference.tree"]["rows"] if row["head"] >= 0)
    at = open_page("coreference", corpus=corpus, run=run, sel=linked["key"])
    at.button(key="coreference.pin.False").click().run()
    (written,) = np.atleast_1d(at.query_params["pins"])
    pair = decode(written)
    assert isinstance(pair, ClusterPin) and not pair.holds
    at = open_page("coreference", corpus=corpus, run=run, sel=linked["key"], pins=encode(replace(pair, holds=True)))
    at.button(key="coreference.pin.False").click().run()
    assert not at.exception and list(np.atleast_1d(at.query_params["pins"])) == [encode(pair)]


def test_pins_that_clash_are_named_and_can_be_taken_out(on_screen: tuple[str, str], trace: CoreferenceTrace) -> None:
    corpus, run = on_screen
    a, b, c = ((one.start, one.end) for one in trace.mentions[:3])
    clashing = [encode(ClusterPin(a, b)), encode(ClusterPin(b, c)), encode(ClusterPin(a, c, False))]
    at = open_page("coreference", corpus=corpus, run=run, doc=trace.document, pins=clashing)
    assert not at.exception
    assert "pinned together and apart" in words_on(at)
    at.button(key="pins.remove.2").click().run()
    assert "coreference.tree" in components(at) and at.query_params["pins"] == clashing[:2]


def test_a_document_without_mentions_shows_its_text_and_says_what_to_do(
    workspace: Workspace, on_screen: tuple[str, str]
) -> None:
    _, run = on_screen
    signs = replace(Document.from_words("signs", [["+", "-", "+"]]), columns={"pos": ("SYM",) * 3})
    at = open_page("coreference", corpus=workspace.add_corpus("Signs", [signs]), run=run)
    assert not at.exception and components(at)["coreference.text"]["text"] == signs.text
    assert "looks like a mention" in words_on(at)


def test_a_gold_mention_that_nothing_proposed_is_explained(workspace: Workspace, on_screen: tuple[str, str]) -> None:
    _, run = on_screen
    words = replace(Document.from_words("odd", [["Ada", "quickly", "left"]]), columns={"pos": ("NNP", "RB", "VBD")})
    gold = Layer((Mention(*words.char_range(0, 1)), Mention(*words.char_range(1, 2))), clusters=((0, 1),))
    corpus = workspace.add_corpus("Odd", [words.with_layer(GOLD, gold)])
    at = open_page("coreference", corpus=corpus, run=run, sel="x1")
    assert not at.exception and "was not proposed" in words_on(at) and "quickly" in words_on(at)


def test_differences_show_wrong_arcs_with_both_their_heads(trace: CoreferenceTrace) -> None:
    shown = {row.key for row in view.tree_rows(trace, which="differences")}
    wrong = [arc.dependent for arc in trace.predicted if not arc.right]
    heads = [tree[number - 1].head for number in wrong for tree in (trace.predicted, trace.latent)]
    assert shown == {f"m{number}" for number in (*wrong, *heads) if number}
    assert wrong and len(shown) < len(trace.mentions)


def test_entities_of_the_grid_go_by_a_name_where_they_have_one(trace: CoreferenceTrace) -> None:
    last = {one.gold: number for number, one in enumerate(trace.mentions) if one.gold >= 0}
    named = set(list(last.values())[::2])
    mentions = [replace(one, type="N" if number in named else "C") for number, one in enumerate(trace.mentions)]
    columns, _ = view.grid(replace(trace, mentions=tuple(mentions)), gold=True)
    _, gold = view.numbers(trace)
    for cluster, number in gold.items():
        first = next(one for one in trace.mentions if one.gold == cluster)
        expected = trace.mentions[last[cluster]] if last[cluster] in named else first
        [written] = {word for word in expected.text.split() if word.casefold() == expected.head}
        assert f"{number} {written}" in columns
    assert any(column != column.casefold() for column in columns), "names are written as in the text"


def test_the_replay_opens_where_the_updates_of_the_document_end(
    on_screen: tuple[str, str], trained: tuple[list[Document], Model]
) -> None:
    busy = [{"id": "a", "updates": [3]}, {"id": "b", "updates": []}]
    idle = [{"id": "a", "updates": []}, {"id": "b", "updates": []}]
    history = [{"iteration": i, "documents": busy if i < 3 else idle} for i in (1, 2, 3, 4)]
    assert (view.last_busy(history, "a"), view.last_busy(history, "b")) == (2, 4)
    corpus, run = on_screen
    at = open_page("coreference", corpus=corpus, run=run)
    at.session_state["coreference.tabs"] = "Training replay"
    at.run()
    known = trained[1].state.history
    first = known[0]["documents"][0]["id"]
    assert at.slider(key=f"coreference.replay.iteration.{first}").value == view.last_busy(known, first)


def test_runs_of_one_policy_on_other_data_are_compared_too(
    workspace: Workspace, on_screen: tuple[str, str], trained: tuple[list[Document], Model]
) -> None:
    corpus, run = on_screen
    own = next(one for one in workspace.runs() if one.id == run)
    for digest in ("other data", "other data", own.data_hash):
        again = workspace.start_run("coreference", "delayed-laso", {"features": "nonlocal"}, train="", dev=corpus)
        save_model(Coreference(), trained[1], workspace.model_path(again))
        workspace.set_data_hash(again, digest)
        workspace.finish_run(again, "done", scores={}, bias=0.0)
    found = coreference_runs.newest_by_policy(own)
    assert [one.data_hash for one in found.values()] == [own.data_hash, "other data"]
    assert len({*found}) == 2


def test_runs_with_another_beam_agenda_history_loss_or_window_are_policies_of_their_own(
    workspace: Workspace, on_screen: tuple[str, str], trained: tuple[list[Document], Model]
) -> None:
    corpus, run = on_screen
    own = next(one for one in workspace.runs() if one.id == run)
    changes = ({"beam": 100}, {"agenda": "trees"}, {"history": "gold"}, {"window": 9}, {"augment": 0.0})
    for changed in (*changes, changes[-1]):
        settings = {**own.settings, **changed}
        again = workspace.start_run("coreference", own.learner, settings, train="", dev=corpus)
        save_model(Coreference(), trained[1], workspace.model_path(again))
        workspace.set_data_hash(again, own.data_hash)
        workspace.finish_run(again, "done", scores={}, bias=0.0)
    found = coreference_runs.newest_by_policy(own)
    assert len(found) == 1 + len(changes)
    for changed in changes:
        ((name, value),) = changed.items()
        assert sum(f"{name} {value}" in one for one in found) == 1


def test_the_comparison_says_at_which_bias_its_numbers_hold(
    on_screen: tuple[str, str], trained: tuple[list[Document], Model]
) -> None:
    corpus, run = on_screen
    at = open_page("coreference", corpus=corpus, run=run)
    at.session_state["coreference.tabs"] = "Policies compared"
    at.run()
    (table,) = [frame.value for frame in at.dataframe if "minus this run" in frame.value]
    assert list(table["abstain bias"]) == [layout.three(trained[1].bias)]
    assert "at abstain bias 0" in words_on(at)


def test_a_case_has_a_margin_and_its_antecedents_are_in_the_text(on_screen: tuple[str, str]) -> None:
    corpus, run = on_screen
    at = open_page("errors", corpus=corpus, run=run)
    assert not at.exception
    (details,) = [frame.value for frame in at.dataframe if "attribute" in frame.value]
    assert "margin" in set(details["attribute"]) and "confidence" not in set(details["attribute"])
    rows = components(at)["errors.cases"]["rows"]
    key = next(row["key"] for row in rows if "|miss|" in row["key"])
    drawn = components(open_page("errors", corpus=corpus, run=run, sel=key))["errors.text"]
    (gold,) = [span for span in drawn["spans"] if span["label"] == "gold antecedent"]
    assert drawn["text"][gold["start"] : gold["end"]] == key.split("|")[3]
