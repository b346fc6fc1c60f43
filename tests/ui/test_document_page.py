"""The Document page: layers of two runs and gold, differences only, notes, and gold that is wrong."""

from __future__ import annotations

import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.edits import Comment, DoubtGold, place_target
from engine.store.workspace import Workspace
from tests.ui import harness
from ui.views.document import data
from ui.views.document.data import Chosen


def links(**entities: str) -> Layer:
    places = {"ann": (0, 3), "bo": (4, 6), "cy": (7, 9)}
    return Layer(tuple(Mention(*places[name], entity=entity) for name, entity in entities.items()))


LAYERS = {
    GOLD: links(ann="Ann", bo="Bo", cy="Cy"),
    "A": links(ann="Ann", bo="Bob"),
    "B": links(ann="Ann", bo="Bo"),
}


def labels(second: str, *, differences: bool = False, outline: str = GOLD) -> dict[str, tuple[bool, bool]]:
    chosen = Chosen(outline, "A", second, "entity", differences, LAYERS if outline in LAYERS else {})
    if outline not in LAYERS:
        chosen = Chosen(outline, "A", second, "entity", differences, {n: LAYERS[n] for n in ("A", "B")})
    return {span.label: (span.gold, span.predicted) for span in data.drawn(chosen)}


def test_two_layers_are_outline_and_fill_and_agreement_can_be_hidden() -> None:
    everything = {"Ann": (True, True), "Bo": (True, False), "Bob": (False, True), "Cy": (True, False)}
    assert labels(data.NONE) == everything
    del everything["Ann"]
    assert labels(data.NONE, differences=True) == everything


def test_with_a_second_run_every_label_says_who_has_it() -> None:
    shown = labels("B")
    assert shown == {"Ann · AB": (True, True), "Bo · B": (True, False), "Bob · A": (False, True), "Cy": (True, False)}
    assert "Ann · AB" not in labels("B", differences=True)
    assert labels("B", differences=True, outline=data.NONE) == {"Bob · A": (False, True), "Bo · B": (False, True)}


@pytest.fixture
def runs(workspace: Workspace) -> list[str]:
    harness.add_samples(workspace)
    found = []
    for stops in ((), ("London",)):
        found.append(harness.trained(workspace, "sample-train", "sample-dev", epochs=2, stops=stops))
    return found


def test_the_page_draws_two_runs_and_takes_verdicts(workspace: Workspace, runs: list[str]) -> None:
    second = f"run count · {runs[0]}"
    at = harness.open_page("document", corpus="sample-dev", run=runs[1], second=second, by="type", sel="@13-20")
    assert not at.exception
    drawn = harness.components(at)["document.text"]
    assert any(span["label"].endswith(" · AB") for span in drawn["spans"])
    # The place resolves to the span that stands there: Charles.
    selected = next(span for span in drawn["spans"] if span["key"] == drawn["selected"])
    document = workspace.documents("sample-dev")[0]
    assert selected["start"] < 20 and selected["end"] > 13 and document.id == "d0"
    [wrong] = [toggle for toggle in at.toggle if toggle.label == "Gold is wrong here"]
    wrong.set_value(True).run()
    [note] = [box for box in at.text_input if box.label == "Note"]
    note.set_value("two people?").run()
    assert not at.exception
    edits = [row.edit for row in workspace.annotations("sample-dev").history()]
    span = selected["start"], selected["end"]
    gold = [f"g{i}" for i, mention in enumerate(document.gold.mentions) if mention.span == span]
    target = gold[0] if gold else place_target(*span)
    assert edits == [DoubtGold(target), Comment(target, "two people?")]
    # Gold itself is untouched.
    now, before = workspace.gold_documents("sample-dev"), workspace.documents("sample-dev")
    assert [one.gold for one in now] == [one.gold for one in before]


def test_a_document_of_labels_only_can_be_doubted_too(workspace: Workspace) -> None:
    document = Document.from_words("d", [["Ann", "in", "Bonn"]], layers={GOLD: Layer(labels=("lives in",))})
    workspace.add_corpus("Labels", [document])
    at = harness.open_page("document", corpus="labels")
    [wrong] = [toggle for toggle in at.toggle if toggle.label == "Gold is wrong here"]
    wrong.set_value(True).run()
    assert [row.edit for row in workspace.annotations("labels").history()] == [DoubtGold("label lives in")]
