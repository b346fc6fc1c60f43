"""The beam page: what it gives its components, and what a click, a width and a pin do."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import pytest

from engine.corpora import read
from engine.data.document import NIL, Document
from engine.data.pins import LinkPin
from engine.settings import with_values
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.disambiguation.scored import NEVER
from engine.tasks.disambiguation.task import Disambiguation, DisambiguationModel
from engine.tasks.disambiguation.trace import DisambiguationTrace
from engine.tasks.saving import save_model
from tests.ui import harness
from ui.views.disambiguation import data as view
from ui.views.see import pins

TASK = Disambiguation()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "disambiguation"


@cache
def model() -> DisambiguationModel:
    settings = with_values(TASK.learner("bibsg").settings, {"trees": "20", "check_every": "10"})
    train, dev = read(SAMPLES / "train.jsonl"), read(SAMPLES / "dev.jsonl")
    return list(TASK.rounds(train, dev, "bibsg", settings, Resources()))[-1].model


@cache
def document(number: int) -> Document:
    return read(SAMPLES / "test.jsonl")[number]


def traced(document: Document, *pins: LinkPin) -> DisambiguationTrace:
    scored = TASK.score([document], model(), pins={document.id: pins})
    return TASK.trace(scored.at(NEVER), pins=pins)


@pytest.fixture
def opened(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    """The page on the test corpus, with a link's parameters."""
    monkeypatch.setattr(registry, "TASKS", {"disambiguation": "engine.tasks.disambiguation.task:Disambiguation"})
    registry.get.cache_clear()
    corpus = workspace.add_corpus("disambiguation", read(SAMPLES / "test.jsonl"), split="dev")
    run = workspace.start_run("disambiguation", "bibsg", asdict(model().settings), train=corpus, dev=corpus)
    path = workspace.model_path(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_model(TASK, model(), path)
    workspace.finish_run(run, "done", bias=NEVER)

    def open_page(**query: str):
        at = harness.open_page("disambiguation", run=run, corpus=corpus, **query)
        assert not at.exception
        return at

    return open_page


def test_the_beam_shows_every_step_of_the_trace(opened) -> None:
    at = opened(doc="test-04")
    shown = harness.components(at)["disambiguation.beam"]["columns"]
    trace = traced(document(3))
    one = trace.passes[0 if trace.chosen == "forward" else 1]
    assert [c["surface"] for c in shown] == [trace.decisions[s.mention].surface for s in one.steps]
    assert [len(c["cells"]) for c in shown] == [len(s.hypotheses) for s in one.steps]
    assert all(sum(cell["chosen"] for cell in column["cells"]) == 1 for column in shown)


def test_a_curve_that_takes_long_does_not_keep_the_page_waiting(opened, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, curve = threading.Event(), Disambiguation.curve

    def slow(self, scored, outline=None):
        assert gate.wait(timeout=600)
        return curve(self, scored, outline)

    monkeypatch.setattr(Disambiguation, "curve", slow)
    monkeypatch.setattr("ui.background.beside.PATIENCE", 0.0)
    at = opened(doc="test-04")
    assert "disambiguation.beam" in harness.components(at) and "see.strip" not in harness.components(at)
    assert any("Computing precision and recall" in bar.proto.text for bar in at.get("progress"))
    gate.set()
    monkeypatch.setattr("ui.background.beside.PATIENCE", 600.0)
    at.run()
    assert "see.strip" in harness.components(at)


def test_both_directions_can_be_looked_at(opened) -> None:
    ways = {
        way: harness.components(opened(doc="test-04", way=way))["disambiguation.beam"]
        for way in ("forward", "backward")
    }
    surfaces = {way: [c["surface"] for c in shown["columns"]] for way, shown in ways.items()}
    assert surfaces["forward"] == surfaces["backward"][::-1]


def test_a_width_of_one_keeps_one(opened) -> None:
    columns = harness.components(opened(doc="test-04", width="1"))["disambiguation.beam"]["columns"]
    assert all(sum(cell["kept"] for cell in column["cells"]) == 1 for column in columns)


def test_a_selected_candidate_is_explained(opened) -> None:
    at = opened(doc="test-04", sel="m1.1")
    trace = traced(document(3))
    why = harness.components(at)["disambiguation.why"]
    assert why["total"] == pytest.approx(trace.decisions[1].options[1].score)
    [box] = [one for one in at.selectbox if one.label == "Candidate"]
    assert box.value == 1


def test_a_pin_moves_the_choice(opened) -> None:
    at = opened(doc="test-04", sel="m1.1")
    other = traced(document(3)).decisions[1].options[1].entity
    at.button(key="disambiguation.pin.True").click().run()
    assert not at.exception
    spans = harness.components(at)["disambiguation.text"]["spans"]
    assert next(s for s in spans if s["key"] == "m1")["label"] == other
    assert at.query_params["pins"]


def test_an_address_that_makes_no_sense_does_no_harm(opened) -> None:
    for sel in ("m99", "m1.99", "x", "m-1", "m0.gold"):
        opened(doc="test-04", sel=sel, width="17")


def test_verdicts_are_sentences_of_our_own() -> None:
    kinds = {view.verdict(traced(document(n)))[:1] for n in range(12)}
    assert kinds <= {"✓", "✗"}


def test_an_entity_that_is_no_candidate_is_nobodys_right_answer() -> None:
    """Neither the headline nor the beam may call a mention right that the table calls missed."""
    n = next(n for n in range(12) if traced(document(n)).verdict == "right" and traced(document(n)).decisions)
    layer = document(n).gold
    lost = replace(layer.mentions[0], entity="An entity that nobody proposed")
    other = document(n).with_layer("gold", replace(layer, mentions=(lost, *layer.mentions[1:])))
    trace = traced(other)
    assert trace.verdict == "candidate missing" and trace.n_wrong == trace.n_out_of_reach == 1
    assert "1 mention wrong" in view.verdict(trace) and "Candidate missing" in view.verdict(trace)
    for one in trace.passes:
        [column] = [column for column in view.columns(trace, one) if column.key == "m0"]
        assert column.missing and not any(cell.gold for cell in column.cells)


def pinned_away():
    """A document that is all right, with the right entity of a mention forbidden: the trace, the pin, the mention."""
    for n in range(12):
        before = traced(document(n))
        for m, decision in enumerate(before.decisions):
            if before.verdict == "right" and decision.entity == decision.gold and len(decision.options) > 2:
                pin = LinkPin(document(n).gold.mentions[m].span, decision.entity, holds=False)
                trace = traced(document(n), pin)
                if trace.verdict == "pinned away":
                    return document(n), trace, pin, m
    raise AssertionError("no such document among the samples")


def test_a_pin_is_named_where_it_forbids_the_right_one(opened) -> None:
    document, trace, pin, m = pinned_away()
    at = opened(doc=document.id, sel=f"m{m}", pins=pins.encode(pin))
    words = harness.words_on(at)
    assert "**Pinned away**: your pin forbids the right one" in words
    assert "Search error" not in words and "Model error" not in words
    (column,) = (c for c in harness.components(at)["disambiguation.beam"]["columns"] if c["key"] == f"m{m}")
    assert column["pinned_away"] and not column["fell"]
    # What may still flip the decision is among what the pin leaves.
    sentence = view.runner_up(trace.decisions[m])
    assert f"leads {pin.entity} by" not in sentence and f"{pin.entity} scores higher" not in sentence
    assert sentence in words
    assert view.option_rows(trace.decisions[m])[0][""].endswith("⊘")


def test_a_pin_that_leaves_one_candidate_says_that_nothing_flips() -> None:
    document, _, pin, m = pinned_away()
    held = traced(document, LinkPin(pin.span, pin.entity)).decisions[m]
    assert "only candidate that your pin leaves" in view.runner_up(held)
    nil = traced(document, LinkPin(pin.span, NIL)).decisions[m]
    assert view.runner_up(nil) == "Your pin leaves nothing but NIL."


def test_an_entity_that_only_a_pin_names_is_all_that_the_pin_leaves() -> None:
    one = document(3)
    scored = TASK.score([one], model()).at(NEVER)
    decision = TASK.trace(scored, pins=[LinkPin(one.gold.mentions[1].span, "Nobody (such)")]).decisions[1]
    assert view.runner_up(decision) == "Your pin leaves nothing but Nobody (such)."


def test_tables_hold_every_mention_and_candidate() -> None:
    trace = traced(document(3), LinkPin(document(3).gold.mentions[0].span, NIL))
    rows = view.decision_rows(trace)
    assert rows[0]["choice"] == "NIL"
    assert len(rows) == len(document(3).gold.mentions)
    assert len(view.option_rows(trace.decisions[1])) == rows[1]["candidates"]
    drawn = view.spans(trace, (LinkPin(document(3).gold.mentions[0].span, NIL),))
    assert drawn[0].pinned and not drawn[1].pinned


def test_without_a_selection_the_page_opens_on_a_wrong_mention_or_else_the_most_doubtful() -> None:
    seen = set()
    for trace in (traced(document(n)) for n in range(12)):
        wrong = [m for m, one in enumerate(trace.decisions) if one.gold not in (None, NIL) and one.entity != one.gold]
        at = view.selected(trace, None).mention
        seen.add(bool(wrong))
        if wrong:
            assert at == wrong[0]
        elif trace.decisions:
            assert trace.decisions[at].confidence == min(one.confidence for one in trace.decisions)
    assert seen == {True, False}
