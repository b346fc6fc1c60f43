"""The linking page on the sample tweets: what the lattice is given, and what clicks, pins, own text and tabs change."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from engine.corpora import read
from engine.data.document import Document
from engine.data.pins import LinkPin
from engine.store.workspace import Workspace
from engine.tasks.base import Model
from engine.tasks.linking.task import Linking
from engine.tasks.linking.trace import CandidateTrace, LinkingTrace
from engine.workbench.own_text import LONGEST
from engine.workbench.verdicts import points
from tests.ui import harness, tiny
from ui.figures import curves
from ui.shell import layout, naming
from ui.views.linking import data as linking
from ui.views.linking import learners, words
from ui.views.see import own as own_text
from ui.views.see import pins

TASK = Linking()


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {learner: tiny.linking(learner) for learner in tiny.LEARNERS}


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return read(tiny.SAMPLES / "dev.jsonl")


@pytest.fixture(scope="module")
def trace(models: dict[str, Model], documents: list[Document]) -> LinkingTrace:
    """A tweet with overlapping names, guessed titles, and several gold links."""
    document = next(d for d in documents if d.id == "dev-020")
    return TASK.trace(TASK.score([document], models["s-mart"]))


@pytest.fixture
def opened(workspace: Workspace, models: dict[str, Model], documents: list[Document], monkeypatch: pytest.MonkeyPatch):
    """The page on the sample corpus; `opened.runs` has a run of each learner."""
    harness.register(monkeypatch, {"linking": "engine.tasks.linking.task:Linking"})
    corpus = workspace.add_corpus("Sample", documents, split="dev")
    workspace.add_corpus("Bare", [Document("bare", "Obama met Queen in New York")])
    runs = {learner: tiny.add_run(workspace, TASK, model, corpus) for learner, model in models.items()}

    def open_page(**query: str):
        at = harness.open_page("linking", **{"corpus": corpus, "run": runs["s-mart"], "doc": "dev-020", **query})
        assert not at.exception
        return at

    open_page.runs = runs
    return open_page


def lattice(at) -> dict[str, Any]:
    return harness.components(at)["linking.lattice"]


def candidates(at) -> dict[int, dict[str, Any]]:
    return {one["id"]: one for block in lattice(at)["blocks"] for one in block["candidates"]}


def declined(trace: LinkingTrace) -> CandidateTrace:
    """A candidate that is not chosen and shares words with one that is."""
    return next(one for one in trace.candidates if one.blocked_by and one.known)


def test_the_lattice_holds_every_candidate_of_the_trace(opened, trace: LinkingTrace) -> None:
    at = opened()
    given = lattice(at)
    assert given["tokens"] == [token.text for token in trace.tokens]
    drawn = candidates(at)
    assert set(drawn) == {one.id for one in trace.candidates}
    assert {id for id, one in drawn.items() if one["chosen"]} == set(trace.chosen)
    assert {id for id, one in drawn.items() if not one["known"]} == {c.id for c in trace.candidates if not c.known}
    for number, gold in enumerate(trace.gold):
        assert {id for id, one in drawn.items() if number in one["golds"]} == set(gold.candidates)
    assert given["judged"] and f"{len(trace.gold)} gold" in harness.words_on(at)
    assert harness.components(at)["see.strip"]["n"] > 1


def test_the_selected_candidate_is_explained_with_those_it_excludes(opened, trace: LinkingTrace) -> None:
    one = trace.candidates[trace.chosen[0]]
    at = opened(sel=str(one.id))
    assert lattice(at)["selected"] == str(one.id)
    words = harness.words_on(at)
    assert f"{one.surface} → {one.entity}" in words
    rivals = linking.excluded(trace, one)
    assert f"It shares words with {len(one.blocks)} candidates: {rivals}." in words
    assert harness.components(at)["linking.why"]["total"] == pytest.approx(one.score)


def test_those_excluded_are_named_likeliest_first_and_counted(trace: LinkingTrace) -> None:
    one = max(trace.candidates, key=lambda c: len(c.blocks))
    everything = linking.excluded(trace, one, most=10_000).split("; ")
    assert len(everything) == len(one.blocks)
    likeliest = max((trace.candidates[i] for i in one.blocks), key=lambda c: (c.marginal, c.score))
    assert everything[0].endswith(likeliest.entity)
    assert linking.excluded(trace, one, most=2) == "; ".join(everything[:2]) + f"; and {len(everything) - 2} more"
    assert linking.excluded(trace, dataclasses.replace(one, blocks=())) == ""


def test_a_guessed_title_says_so(opened, trace: LinkingTrace) -> None:
    guess = next(one for one in trace.candidates if not one.known)
    known = next(one for one in trace.candidates if one.known)
    assert words.GUESSED in harness.words_on(opened(sel=str(guess.id)))
    assert words.GUESSED not in harness.words_on(opened(sel=str(known.id)))


def test_a_selection_by_place_lands_on_a_candidate_and_nonsense_on_none(opened, trace: LinkingTrace) -> None:
    one = trace.candidates[trace.chosen[0]]
    at = opened(sel=f"@{one.start}-{one.end}")
    assert lattice(at)["selected"] == str(one.id)
    for sel in ("99999", "x", "-1"):
        assert "chosen" in harness.words_on(opened(sel=sel))


def test_a_pin_and_a_ban_decide_anew(opened, trace: LinkingTrace) -> None:
    one = declined(trace)
    at = opened(sel=str(one.id))
    assert not candidates(at)[one.id]["chosen"]
    at.button(key="linking.pin").click().run()
    drawn = candidates(at)
    assert drawn[one.id]["chosen"] and drawn[one.id]["pinned"] == "on"
    assert not any(drawn[i]["chosen"] for i in one.blocks)
    assert pins.decode(harness.parameter(at, "pins")) == LinkPin((one.start, one.end), one.entity)
    at.button(key="linking.forbid").click().run()
    drawn = candidates(at)
    assert not drawn[one.id]["chosen"] and drawn[one.id]["pinned"] == "off"
    at.button(key="linking.free").click().run()
    assert {id for id, c in candidates(at).items() if c["chosen"]} == set(trace.chosen)
    assert "pins" not in at.query_params


def test_own_text_is_decoded_and_not_judged(opened, models: dict[str, Model]) -> None:
    at = opened()
    at.text_input(key="linking.own").set_value("Obama met Queen in New York").run()
    assert harness.parameter(at, "text") == "Obama met Queen in New York"
    given = lattice(at)
    own = TASK.trace(TASK.score([Document("own", "Obama met Queen in New York")], models["s-mart"]))
    assert given["tokens"] == ["Obama", "met", "Queen", "in", "New", "York"]
    assert {id for id, one in candidates(at).items() if one["chosen"]} == set(own.chosen) != set()
    assert not given["judged"] and not given["gold"]
    assert " right" not in harness.words_on(at).split("chosen")[1].split(";")[0]
    assert "gold" not in at.dataframe[-1].value.columns


def test_own_text_says_what_it_is_and_goes_with_the_document(opened) -> None:
    own = "Obama met Queen in New York"
    at = opened(text=own, pins=pins.encode(LinkPin((0, 5), "Barack Obama")))
    assert "This is your text, not dev-020." in harness.words_on(at)
    at.button(key="linking.back").click().run()
    assert not at.exception
    assert lattice(at)["doc"] == "dev-020"
    assert "text" not in at.query_params and "pins" not in at.query_params
    at.text_input(key="linking.own").set_value(own).run()
    assert lattice(at)["doc"].startswith("your text")
    at.button(key="sidebar.next").click().run()
    assert not at.exception
    assert "text" not in at.query_params and lattice(at)["doc"] == harness.parameter(at, "doc") != "dev-020"
    assert at.text_input(key="linking.own").value == ""
    # Back to the address with the text, as the browser's Back key goes: a link like any other.
    at.query_params["text"] = own
    at.run()
    assert lattice(at)["doc"].startswith("your text")


def test_a_long_own_text_is_cut_and_says_so(opened) -> None:
    at = opened(text="Obama met Queen . " * 250)
    assert f"the first {layout.count(LONGEST)} are read" in harness.words_on(at)
    assert len(" ".join(lattice(at)["tokens"])) <= LONGEST
    assert own_text.shortened("ab " * 2000).endswith("ab")
    assert len(own_text.shortened("a" * 5000)) == LONGEST
    assert own_text.shortened("Obama") == "Obama"


def test_the_closest_decisions_are_always_there_and_can_be_told_apart(opened, models: dict[str, Model]) -> None:
    trace = TASK.trace(TASK.score([Document("own", "Queen Queen Queen")], models["s-mart"]).at(200.0))
    assert all(c.marginal < 0.02 for c in trace.candidates), "nothing is in doubt"
    changes = [abs(flip.change) for flip in trace.closest]
    assert changes == sorted(changes)
    rows = linking.doubtful_rows(trace)
    assert len(rows) == 3
    assert len({row["link"] for row in rows}) == 3
    at = opened(text="Queen Queen Queen", bias="200.0")
    table = next(one.value for one in at.dataframe if "flips at" in one.value.columns)
    assert list(table["link"]) == [row["link"] for row in rows] and "Queen (word 1) → " in " ".join(table["link"])


def test_only_the_span_of_gold_is_gold(trace: LinkingTrace) -> None:
    found = trace.gold[0]
    one = trace.candidates[found.candidates[0]]
    wider = dataclasses.replace(found, start=one.start, end=one.end + 1)
    for gold, exact in ((dataclasses.replace(found, start=one.start, end=one.end), [0]), (wider, [])):
        data = linking.lattice_data(dataclasses.replace(trace, gold=(gold,)), selected=None, run="r", judged=True)
        (drawn,) = (c for block in data["blocks"] for c in block["candidates"] if c["id"] == one.id)
        assert (drawn["golds"], drawn["exact"]) == ([0], exact)


def test_the_list_of_keys_has_those_of_the_view(opened) -> None:
    listed = harness.components(opened())["sidebar.keys"]["keys"]
    assert [["p"], "pin the candidate"] in listed and [["?"], "show or hide this list"] in listed


def test_a_corpus_without_gold_is_not_judged_but_a_text_without_links_in_one_with_gold_is(
    opened, documents: list[Document]
) -> None:
    bare = opened(corpus="bare", doc="bare")
    assert not lattice(bare)["judged"] and "Nobody has annotated this text" in harness.words_on(bare)
    empty = next(d for d in documents if not any(m.is_linked for m in d.gold.mentions))
    assert lattice(opened(doc=empty.id))["judged"]


def test_learners_are_compared_with_the_run_on_screen(opened) -> None:
    at = opened(tab="Learners compared")
    table = at.dataframe[0].value
    assert sorted(table["learner"]) == ["perceptron", "s-mart (on screen)"]
    other = table[table["learner"] == "perceptron"].iloc[0]
    own = table[table["learner"] != "perceptron"].iloc[0]
    assert other["F1 − on screen"] == points((other["F1"] - own["F1"]) / 100)
    assert other["p (Holm)"] == other["p"] and own["p"] != own["p"], "no test of a run against itself"
    assert all(table["best F1"] >= table["F1"]) and all(table["best F1"] >= table["F1 at bias 0"])
    assert all(table["strict F1"] <= table["F1"] + 1e-9)
    # Nobody beside it: the run stands alone, and the address remembers that.
    at.multiselect(key="linking.with").set_value([]).run()
    assert not at.exception
    assert list(at.dataframe[0].value["learner"]) == ["s-mart (on screen)"]
    assert harness.parameter(at, "with") == ""


def test_several_runs_of_a_learner_can_stand_beside_and_have_their_names(
    opened, workspace: Workspace, models: dict[str, Model]
) -> None:
    again = tiny.add_run(workspace, TASK, models["perceptron"], "sample-dev")
    beside = [opened.runs["perceptron"], again]
    table = opened(tab="Learners compared", **{"with": ",".join([*beside, "gone"])}).dataframe[0].value
    assert set(table["learner"]) == {
        "s-mart (on screen)",
        *(naming.run_label(workspace.run(run), with_task=False) for run in beside),
    }
    others = table[table["learner"] != "s-mart (on screen)"]
    # The two are one model: equal differences, and both p-values are corrected for two tests.
    assert others["F1 − on screen"].nunique() == 1
    before, corrected = ([float(p.removeprefix("< ")) for p in others[name]] for name in ("p", "p (Holm)"))
    assert corrected == pytest.approx([min(1.0, 2 * p) for p in before], abs=0.002)


def test_tables_show_characters_that_would_be_invisible(trace: LinkingTrace) -> None:
    one = dataclasses.replace(trace.candidates[0], surface="a\u202eb", entity="c\u200bd")
    hostile = dataclasses.replace(trace, candidates=(one, *trace.candidates[1:]))
    row = next(row for row in linking.candidate_rows(hostile, judged=True) if row["span"].startswith("a⟨"))
    assert (row["span"], row["entity"]) == ("a⟨RLO⟩b", "c⟨ZWSP⟩d")


def test_learners_are_not_compared_without_gold(opened) -> None:
    at = opened(corpus="bare", doc="bare", tab="Learners compared")
    assert "no gold to compare learners on" in harness.words_on(at)


def test_biases_of_any_scale_share_one_axis(models: dict[str, Model], documents: list[Document]) -> None:
    curve = TASK.curve(TASK.scored(documents, models["s-mart"]))
    stretched = dataclasses.replace(curve, bias=curve.bias * 1000)
    bias = curve.best_bias()
    figure = curves.f_figure({"a": (curve, bias), "<b>": (stretched, 1000 * bias)}, unit="links", dark=False)
    first, marks, second, same = figure.data
    assert list(first.x) == list(second.x) and list(first.y) == list(second.y)
    assert (marks.x[0], marks.y[0]) == (same.x[0], same.y[0])
    assert marks.x[0] == pytest.approx(100 * curve.predicted[curve.index_at(bias)] / curve.gold)
    assert second.name == "&lt;b&gt;"


def test_by_default_one_run_of_every_other_learner_stands_beside(workspace: Workspace) -> None:
    for learner in ("a", "b", "a", "c", "b"):
        workspace.start_run("linking", learner, {}, train="", dev="")
    newest_first = workspace.runs("linking")
    beside = learners.newest_of_each(newest_first[1:], newest_first[0])
    assert [workspace.run(id).learner for id in beside] == ["c", "a"]
