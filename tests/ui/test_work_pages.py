"""Tune, Errors, Compare, Annotate: the pages draw what the engine says, and what is done there reaches the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention
from engine.data.edits import AddMention, Comment, MarkDone, SetLabel, SetType
from engine.metrics.cases import Case, cases
from engine.metrics.errors import Error, Filter, stage_table
from engine.store.workspace import Workspace
from engine.tasks.saving import load_model
from tests.ui import harness
from tests.ui.toy import Toy
from ui.shell import cache
from ui.views.annotate import widgets as annotate_widgets
from ui.views.annotate.desk import Seat
from ui.views.annotate.history import history
from ui.views.annotate.team import agreements
from ui.views.compare import data as compare_data
from ui.views.compare import results
from ui.views.errors import data as errors_data
from ui.views.see import walk
from ui.views.tune import data as tune_data


@pytest.fixture
def trained(workspace: Workspace) -> tuple[Workspace, str, str]:
    """A workspace with a finished run of the toy; the run and its dev corpus."""
    train, dev = harness.add_samples(workspace)
    return workspace, harness.trained(workspace, train, dev), dev


def test_the_tune_page_hands_the_browser_the_whole_curve(trained: tuple[Workspace, str, str]) -> None:
    _, run, dev = trained
    at = harness.open_page("tune", run=run, corpus=dev)
    assert not at.exception
    chart = harness.components(at)["tune.chart"]
    low, high = chart["window"]
    assert chart["n"] > 1 and chart["run"] == run and low < high
    assert chart["band"]["bias"][0] <= low and high <= chart["band"]["bias"][-1], "the band covers the window"
    assert "answers are right" in harness.words_on(at)


def test_every_number_of_a_report_is_a_row() -> None:
    by_type = {"<b>x": {"recall": 1.0}, "f1_muc": {"f1": 0.5}}
    report = {"f1": 0.5, "strict": {"f1": 0.25}, "documents": 3, "by_type": by_type, "name": "x"}
    assert [(row["score"], row["percent"], row["count"]) for row in tune_data.score_rows(report)] == [
        ("F1", 50.0, None),
        ("strict · F1", 25.0, None),
        ("documents", None, 3),
        ("by type · <b>x · recall", 100.0, None),
        ("by type · f1_muc · F1", 50.0, None),
    ]


def test_keeping_and_locking_a_bias_is_written_down(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    at = harness.open_page("tune", run=run, corpus=dev, bias="0.5")
    before = load_model(Toy(), workspace.model_path(run))
    at.button(key="tune.keep").click().run()
    assert workspace.run(run).bias == 0.5
    # The command line predicts with it too, and the model is otherwise the one it was.
    kept = load_model(Toy(), workspace.model_path(run))
    assert kept.bias == 0.5 and (kept.state, kept.data_hash) == (before.state, before.data_hash)
    assert at.button(key="tune.reveal").disabled
    at.button(key="tune.lock").click().run()
    assert workspace.lock_of(run) is not None
    at.button(key="tune.reveal").click().run()
    looks = workspace.looks(run)
    assert len(looks) == 1 and looks[0].bias == 0.5
    assert "was chosen on" in harness.words_on(at)


def test_a_report_is_about_gold_as_it_was_scored(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    of, info = workspace.run(run), workspace.corpus(dev)
    before = results.report(of, info, None).markdown()
    workspace.annotations(dev).append(workspace.documents(dev)[0], SetType("g0", "ORG"), user="ben")
    after = results.report(of, info, None).markdown()
    assert info.hash in before and "gold as imported" in before
    assert info.hash not in after and "gold edited" in after
    workspace.annotations(dev).undo(user="ben")
    undone = results.report(of, info, None).markdown()
    assert info.hash in undone and "gold as imported" in undone


def test_errors_add_up_and_a_stage_in_the_address_narrows_them(trained: tuple[Workspace, str, str]) -> None:
    _, run, dev = trained
    at = harness.open_page("errors", run=run, corpus=dev)
    assert not at.exception
    every = harness.components(at)["errors.cases"]["rows"]
    narrowed = harness.open_page("errors", run=run, corpus=dev, stage="mention not proposed")
    some = harness.components(narrowed)["errors.cases"]["rows"]
    table = harness.components(at)["errors.table"]
    assert table["heads"][:2] == ["stage", "all"] and table["chosen"] is None
    assert sum(row["counts"][0] for row in table["rows"]) == len(every) > len(some) > 0
    assert all(row["counts"][0] == sum(row["counts"][1:]) for row in table["rows"]), "all types are on screen here"
    assert {row["note"] for row in some} == {"mention not proposed"}
    place = [row["name"] for row in table["rows"]].index("mention not proposed")
    assert harness.components(narrowed)["errors.table"]["chosen"] == [place, 0]


def test_the_same_cases_asked_for_by_a_cell_are_a_new_list(trained: tuple[Workspace, str, str]) -> None:
    """The keyboard goes on in the list that a click opened, also where it holds what was there before."""
    _, run, dev = trained
    stage = "mention not proposed"
    whole = harness.components(harness.open_page("errors", run=run, corpus=dev, stage=stage))["errors.cases"]
    types = harness.components(harness.open_page("errors", run=run, corpus=dev, stage=stage, type="LOC"))
    again = harness.components(harness.open_page("errors", run=run, corpus=dev, stage=stage))["errors.cases"]
    assert whole["version"] == again["version"] != types["errors.cases"]["version"]


def test_types_beyond_the_columns_are_counted_and_rows_without_errors_are_not_drawn() -> None:
    table = stage_table(
        [
            Error("d", "miss", "scored lower", f"type {i}", 0, 1, "x", "", 0.5)
            for i in range(errors_data.TYPES + 3)
            for _ in range(20 - i)
        ]
    )
    columns = errors_data.columns_of(table)
    assert len(columns) == errors_data.TYPES + 1 and columns[-1].name == "3 more types"
    assert columns[-1].types == tuple(f"type {i}" for i in range(errors_data.TYPES, errors_data.TYPES + 3))
    (row,) = errors_data.stage_rows(table, ["scored lower"], 0.5, {"scored lower": 1.0})
    assert row.counts[0] == sum(row.counts[1:]) and row.facts == ("100.0", "+50.0") and row.help


def test_a_relation_is_one_case_with_both_arguments_marked() -> None:
    document = Document("d", "The NRC, in Rockville, said so.")
    missed = Error("d", "miss", "scored lower", "Based", 4, 21, "Based", "Lives", 0.5, arguments=((4, 7), (12, 21)))
    (case,) = cases([missed, replace(missed, kind="false alarm", type="Lives")])
    row = errors_data.case_row(case, document)
    assert row["title"] == "NRC → Rockville: Lives (gold: Based)" and row["sign"] == "✗"
    assert errors_data.case_row(Case(missed, None), document)["title"] == "NRC → Rockville: Based"
    assert [(one.start, one.end) for one in errors_data.case_spans(case, document)] == [(4, 7), (12, 21)]


def test_an_error_is_corrected_where_it_is(trained: tuple[Workspace, str, str]) -> None:
    _, run, dev = trained
    at = harness.open_page("errors", run=run, corpus=dev)
    (link,) = [link.proto for link in at.get("page_link") if link.proto.label == "Correct it"]
    said = {name: values[0] for name, values in parse_qs(link.query_string.lstrip("?")).items()}
    start, end = (int(number) for number in said["sel"].removeprefix("@").split("-"))
    opened = harness.components(harness.open_page("annotate", **said))["annotate.editor"]
    assert opened["document"] == said["doc"] and opened["place"] == [start, end]
    beyond = harness.open_page("annotate", **{**said, "sel": "@5-99999"})
    assert harness.components(beyond)["annotate.editor"]["place"] is None


def test_doubted_gold_becomes_the_stage_to_blame(trained: tuple[Workspace, str, str]) -> None:
    from engine.data.edits import DoubtGold

    workspace, run, dev = trained
    document = workspace.documents(dev)[0]
    before = harness.components(harness.open_page("errors", run=run, corpus=dev))["errors.cases"]["rows"]
    assert not any(row["note"] == "gold marked wrong" for row in before)
    for i in range(len(document.gold.mentions)):
        workspace.annotations(dev).append(document, DoubtGold(f"g{i}"), user="anna")
    after = harness.components(harness.open_page("errors", run=run, corpus=dev))["errors.cases"]["rows"]
    assert any(row["note"] == "gold marked wrong" for row in after) and len(after) == len(before)


def test_two_runs_are_compared_with_intervals_and_differing_settings(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    other = harness.trained(workspace, workspace.run(run).train, dev, stops=("London",))
    at = harness.open_page("compare", run=run, corpus=dev, other=other)
    assert not at.exception
    scores = at.dataframe[0].value
    assert list(scores["score"]) == ["precision", "recall", "F1"] and "p (Holm)" in scores
    rows = compare_data.setting_rows(workspace.run(run), workspace.run(other), {})
    assert rows == [{"setting": "stops", "A": "none", "B": "London"}]


def test_a_lone_run_offers_to_train_another_or_import(trained: tuple[Workspace, str, str]) -> None:
    _, run, dev = trained
    at = harness.open_page("compare", run=run, corpus=dev)
    assert "only one system" in harness.words_on(at)


def test_the_editor_is_given_the_document_and_edits_show_everywhere(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    document = workspace.documents(dev)[0]
    at = harness.open_page("annotate", run=run, corpus=dev)
    assert not at.exception
    shown = harness.components(at)["annotate.editor"]
    assert shown["text"] == document.text and [one["name"] for one in shown["types"]] == ["PER", "LOC"]
    workspace.annotations(dev).append(document, SetType("g0", "ORG"), user="ben")
    again = harness.components(harness.open_page("annotate", run=run, corpus=dev))["annotate.editor"]
    assert {m["id"]: m["type"] for m in again["mentions"]}["g0"] == "ORG" and again["version"] == 1
    drawn = harness.components(harness.open_page("document", corpus=dev))["document.text"]["spans"]
    assert any("ORG" in span["label"] for span in drawn) or any(span["gold"] for span in drawn)


def test_a_version_can_be_frozen_and_both_golds_are_scored(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    at = harness.open_page("annotate", run=run, corpus=dev)
    at.session_state["annotate.part"] = "Versions and scores"
    at.run()
    at.text_input(key="annotate.version").set_value("v1").run()
    at.button(key="annotate.freeze").click().run()
    assert [version.name for version in workspace.versions(dev)] == ["v1"]
    golds = [list(frame.value["gold"]) for frame in at.dataframe if "gold" in frame.value]
    assert ["as imported", "v1", "now"] in golds
    # Every page says which gold its scores are about, once it is not the one that came with the corpus.
    assert "Gold: " not in harness.words_on(harness.open_page("tune", run=run, corpus=dev))
    workspace.annotations(dev).append(workspace.documents(dev)[0], SetType("g0", "ORG"), user="ben")
    assert "Gold: v1 + edits" in harness.words_on(harness.open_page("tune", run=run, corpus=dev))
    workspace.freeze(dev, "v2", user="ben")
    assert "Gold: v2" in harness.words_on(harness.open_page("tune", run=run, corpus=dev)).splitlines()


def test_a_bulk_answer_over_many_documents_is_one_undo(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    log = workspace.annotations(dev)
    at = harness.open_page("annotate", run=run, corpus=dev, user="anna")
    at.session_state["annotate.part"] = "Bulk"
    at.run()
    before = [document.gold for document in workspace.gold_documents(dev)]
    # The model calls words that were mentions "word", with full confidence.
    at.text_input(key="annotate.bulk.words").set_value("word").run()
    at.button(key="annotate.accept").click().run()
    rows = log.history()
    assert len({row.document for row in rows}) == len(rows) > 1 and len({row.batch for row in rows}) == 1
    assert all("word" in {m.type for m in d.gold.mentions} for d in workspace.gold_documents(dev))
    log.undo(user="anna")
    assert [document.gold for document in workspace.gold_documents(dev)] == before
    at.checkbox(key="annotate.bulk.begun").check().run()
    at.button(key="annotate.reject").click().run()
    assert "0 suggestions" in harness.words_on(at)


def test_only_what_changes_gold_makes_it_another_gold(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    document = workspace.documents(dev)[0]
    log = workspace.annotations(dev)
    log.append(document, Comment("g0", "who?"), user="anna")
    log.append(document, MarkDone(), user="anna")
    log.append(document, SetLabel("mine", True), user="anna", layer="anna")
    assert "Gold: " not in harness.words_on(harness.open_page("tune", run=run, corpus=dev))
    log.append(document, SetType("g0", "ORG"), user="anna")
    assert "Gold: edited" in harness.words_on(harness.open_page("tune", run=run, corpus=dev))
    workspace.freeze(dev, "v1", user="anna")
    log.append(document, Comment("g0", ""), user="anna")
    assert "Gold: v1" in harness.words_on(harness.open_page("tune", run=run, corpus=dev)).splitlines()


def test_the_queue_leaves_out_what_is_done_in_every_order(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    documents = workspace.documents(dev)
    workspace.annotations(dev).append(documents[0], MarkDone(), user="ben")
    workspace.annotations(dev).append(documents[1], SetType("g0", "ORG"), user="ben")  # begun is not done
    for order in ("document order", "uncertainty", "margin", "diversity"):
        at = harness.open_page("annotate", run=run, corpus=dev, order=order)
        assert f"{len(documents) - 1} of {len(documents)} documents are still to be done" in harness.words_on(at), order
        listed = next(list(frame.value["document"]) for frame in at.dataframe if "document" in frame.value)
        assert set(listed) == {document.id for document in documents[1:]}
    at = harness.open_page("annotate", run=run, corpus=dev, order="disagreement")
    assert "needs a second run" in harness.words_on(at)


def test_annotators_with_own_layers_are_compared_and_adjudicated(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    document = workspace.documents(dev)[0]
    log = workspace.annotations(dev)
    for user, kind in (("anna", "PER"), ("ben", "ORG")):
        log.append(document, AddMention(f"{user}1", 0, 3, kind), user=user, layer=user)
        log.append(document, AddMention(f"{user}2", 4, 7, "LOC"), user=user, layer=user)
    at = harness.open_page("annotate", run=run, corpus=dev, doc=document.id)
    at.session_state["annotate.part"] = "People"
    at.run()
    assert "1 agreed annotation not in gold yet, 1 open question" in harness.words_on(at)
    at.button(key="people.take").click().run()
    (reason,) = [box for box in at.text_input if str(box.key).startswith("people.reason")]
    reason.set_value("guideline 3")
    at.button(key="people.answer.1").click().run()
    gold = log.state(document)
    credited = {m.span: (m.type, m.extra["agreed"]) for m in gold.layer().mentions if "agreed" in m.extra}
    assert credited == {(0, 3): ("PER", ["anna"]), (4, 7): ("LOC", ["anna", "ben"])}
    assert "Gold is complete" in harness.words_on(at)
    rows = log.history(document.id, layer="gold")
    assert len(rows) == 2, "taking over is one action, and so is the answer"
    assert "settled as anna said (guideline 3)" in history(document, rows, "gold")[0]["after"]
    log.undo(user="annotator")
    at.run()
    assert "1 open question" in harness.words_on(at)


def test_who_is_compared_can_be_chosen_and_is_the_pair_with_most_in_common(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    documents = workspace.documents(dev)
    log = workspace.annotations(dev)
    for user, kind, of in (("anna", "PER", (0, 1)), ("ben", "ORG", (0, 1)), ("carl", "LOC", (1, 2))):
        for i in of:
            log.append(documents[i], AddMention(f"{user}{i}", 0, 3, kind), user=user, layer=user)
    assert agreements.closest(log, agreements.annotators(log)) == ["anna", "ben"]

    def opened(**query: str) -> str:
        at = harness.open_page("annotate", run=run, corpus=dev, doc=documents[1].id, **query)
        at.session_state["annotate.part"] = "People"
        at.run()
        return harness.words_on(at)

    assert "2 open questions, in 2 documents; 1 in this one." in opened()
    said = opened(people="carl")
    assert "two or more" in said and "open question" not in said
    at = harness.open_page("annotate", run=run, corpus=dev, doc=documents[1].id)
    at.session_state["annotate.part"] = "People"
    at.run()
    at.multiselect(key="people.names").set_value(["anna", "ben", "carl"]).run()
    assert "Agreement of anna, ben, carl" in harness.words_on(at)
    assert "1 open question, in 1 document; 1 in this one." in harness.words_on(at)


def test_what_a_bag_gives_everybody_is_nothing_to_agree_on() -> None:
    bag = Bag("Ann", "Oslo", (Member(0, 1),))
    gold = Layer((Mention(0, 3, "PER"), Mention(13, 17, "LOC")))
    document = Document("d", "Ann lives in Oslo", layers={GOLD: gold}, bag=bag)
    layers = {name: [replace(gold, labels=(name,))] for name in ("anna", "ben")}
    assert agreements.used([document], layers) == ["label"]
    more = {**layers, "ben": [replace(gold, mentions=(*gold.mentions, Mention(4, 9)))]}
    assert agreements.used([document], more) == ["span", "label"]


def test_curve_rows_hold_every_operating_point(trained: tuple[Workspace, str, str]) -> None:
    from ui.shell import cache

    workspace, run, dev = trained
    info, of = workspace.corpus(dev), workspace.run(run)
    curve = cache.task("toy").curve(cache.scored(of, info))
    assert len(tune_data.curve_rows(curve)) == len(curve.bias)


def test_a_slice_holds_several_conditions_comes_back_as_it_was_and_can_be_forgotten(workspace: Workspace) -> None:
    chosen = [
        Filter("stage", ("scored lower",)),
        Filter("kind", ("miss", "false alarm")),
        Filter("words", low=1.0, high=3.5),
    ]
    workspace.save_slice("long ones", "toy", errors_data.slice_json(chosen))
    assert errors_data.saved_filters(workspace.saved_slices("toy")["long ones"]) == chosen
    assert errors_data.saved_filters({"attribute": "words", "values": None, "low": 1.0, "high": None}) == [
        Filter("words", low=1.0)
    ]
    workspace.remove_slice("long ones", "other")
    assert workspace.saved_slices("toy")
    workspace.remove_slice("long ones", "toy")
    assert not workspace.saved_slices("toy")


def test_attributes_narrow_together_with_the_cell_and_say_what_fixing_them_brings(
    trained: tuple[Workspace, str, str],
) -> None:
    _, run, dev = trained
    at = harness.open_page("errors", run=run, corpus=dev)
    every = harness.components(at)["errors.cases"]["rows"]
    at.multiselect(key="errors.attributes").set_value(["stage", "type"]).run()
    at.multiselect(key="errors.values.stage").set_value(["mention not proposed"]).run()
    at.multiselect(key="errors.values.type").set_value(["PER"]).run()
    kept = harness.components(at)["errors.cases"]["rows"]
    assert not at.exception and 0 < len(kept) < len(every)
    assert kept == [row for row in every if row["note"] == "mention not proposed" and row["key"].endswith("|PER")]
    at.button(key="errors.worth").click().run()
    assert not at.exception and "if exactly these were corrected" in harness.words_on(at)


def test_moving_the_knob_of_tune_evaluates_nothing_that_nobody_chose(
    trained: tuple[Workspace, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run, dev = trained
    calls: list[float | None] = []
    report = cache.report
    monkeypatch.setattr(cache, "report", lambda run, info, bias=None: (calls.append(bias), report(run, info, bias))[1])
    at = harness.open_page("tune", run=run, corpus=dev)
    scores = at.selectbox(key="tune.score").options
    assert calls == [None] and len(scores) > 3
    for bias in ("0.25", "1.5"):
        at.query_params["bias"] = bias
        at.run()
        assert not at.exception and at.selectbox(key="tune.score").options == scores
    assert calls == [None]


def test_predictions_that_lack_documents_are_said_to_and_a_report_stays_with_its_pair(
    trained: tuple[Workspace, str, str],
) -> None:
    workspace, run, dev = trained
    documents = workspace.documents(dev)
    layers = {document.id: document.layers[GOLD] for document in documents}
    workspace.add_layer(dev, "one", {documents[0].id: layers[documents[0].id]})
    workspace.add_layer(dev, "all", layers)
    at = harness.open_page("compare", run=run, corpus=dev, other=f"{results.IMPORTED}one")
    assert f"{len(documents) - 1} of {len(documents)} documents have no prediction" in harness.words_on(at)
    at.session_state["compare.tabs"] = "Report"
    at.run()
    at.button(key="compare.report").click().run()
    assert at.get("download_button")
    at.selectbox(key="compare.other").select(f"{results.IMPORTED}all").run()
    assert not at.exception and not at.get("download_button")
    assert "have no prediction" not in harness.words_on(at)


def test_the_vocabulary_is_that_of_the_corpus(trained: tuple[Workspace, str, str]) -> None:
    workspace, _, dev = trained
    assert Path(workspace.directory).is_dir()
    types = annotate_widgets.vocabulary(workspace.corpus(dev), Seat("anna", "gold", False, 0.0)).labels.types
    assert [(one.name, one.key, one.colour) for one in types] == [("PER", "1", 0), ("LOC", "2", 1)]


def _numbers_behind(at: Any) -> dict[str, int]:
    """What the control on Compare says of each set of cases."""
    told = (str(option).rsplit(": ", 1) for option in at.segmented_control(key="compare.which").options)
    return {name: int(number) for name, number in told}


def test_imported_predictions_are_compared_case_by_case(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    documents = workspace.documents(dev)
    workspace.add_layer(dev, "theirs", {document.id: document.gold for document in documents})
    at = harness.open_page("compare", run=run, corpus=dev, other="imported: theirs")
    assert not at.exception
    numbers = _numbers_behind(at)
    gold = sum(len(document.gold.mentions) for document in documents)
    found = [numbers[name] for name in ("found by both", "only by A", "only by B", "by neither")]
    assert sum(found) == gold and numbers["only by A"] == 0 < numbers["only by B"]
    assert numbers["false alarms only in B"] == numbers["false alarms in both"] == 0, "they say what gold says"
    assert len(harness.components(at)["compare.cases"]["rows"]) == numbers["only by B"]
    at.segmented_control(key="compare.which").set_value("only by A").run()
    assert "the reason for these misses is unknown" in harness.words_on(at)


def test_list_and_detail_show_one_case_and_nothing_else_steps(trained: tuple[Workspace, str, str]) -> None:
    _, run, dev = trained
    at = harness.open_page("errors", run=run, corpus=dev)
    rows = harness.components(at)["errors.cases"]["rows"]
    for said, expected in ((None, 0), (rows[2]["key"], 2), ("gone", 0)):
        query = {} if said is None else {"sel": said}
        at = harness.open_page("errors", run=run, corpus=dev, **query)
        drawn = harness.components(at)
        assert drawn["errors.cases"]["selected"] == rows[expected]["key"]
        assert drawn["errors.text"]["doc"] == rows[expected]["key"].split("|")[0]
        # The sidebar would step to a document that no case on screen is about.
        assert not drawn["sidebar.keys"]["steps"] and "sidebar.next" not in {button.key for button in at.button}
    assert harness.components(harness.open_page("document", corpus=dev))["sidebar.keys"]["steps"]


def test_the_document_goes_along_with_the_case(
    trained: tuple[Workspace, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, run, dev = trained

    def go_to_the_last(rows: list[dict[str, str]], *, on_select: Callable[[str], None], **_: Any) -> None:
        on_select(rows[-1]["key"])

    monkeypatch.setattr(walk, "cases", go_to_the_last)
    at = harness.open_page("errors", run=run, corpus=dev, doc="d0")
    document = harness.parameter(at, "sel").split("|")[0]
    assert harness.parameter(at, "doc") == document != "d0"


def test_the_antecedents_of_a_case_are_the_nearest_before_it() -> None:
    mentions = tuple(Mention(at, at + 1) for at in range(5))
    error = Error("d", "miss", "scored lower", "pronoun", 3, 4, "c", "a", 1.8)
    gold, predicted = Layer(mentions, clusters=((0, 2, 3, 4),)), Layer(mentions, clusters=((1, 3), (0, 2)))
    drawn = errors_data.antecedents(error, gold, predicted)
    assert [(one.start, one.gold, one.predicted) for one in drawn] == [(2, True, False), (1, False, True)]
    assert [one.start for one in errors_data.antecedents(error, gold, None)] == [2]
    assert errors_data.antecedents(replace(error, start=0, end=1), gold, predicted) == []


def test_what_both_found_can_be_walked_too(trained: tuple[Workspace, str, str]) -> None:
    workspace, run, dev = trained
    other = harness.trained(workspace, workspace.run(run).train, dev)
    at = harness.open_page("compare", run=run, corpus=dev, other=other)
    numbers = _numbers_behind(at)
    at.segmented_control(key="compare.which").set_value("found by both").run()
    assert not at.exception
    drawn = harness.components(at)
    assert len(drawn["compare.both"]["rows"]) == numbers["found by both"] > 0
    (span,) = drawn["compare.both.text"]["spans"]
    assert span["gold"] and span["predicted"] and span["end"] > span["start"]
