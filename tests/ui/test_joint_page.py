"""The joint page on the sample sentences: what the graph is given, and what switches, weights and pins change."""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from engine.corpora import read
from engine.data.pins import RelationPin, TypePin
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.joint.constraints import Arguments, Count, SameType
from engine.tasks.joint.constraints.language import parse, to_toml
from engine.tasks.joint.state import with_constraints
from engine.tasks.joint.task import Joint
from engine.tasks.saving import load_model, save_model
from tests.ui import harness
from ui.components.graph import Arrow, Node, payload
from ui.shell import layout
from ui.views.joint import address, decision, words
from ui.views.joint import data as view
from ui.views.joint import export as joint_export
from ui.views.joint import graph as joint_graph
from ui.views.see import pins

SAMPLES = harness.ROOT / "sample_data" / "joint"
TASK = Joint()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    train, dev = read(SAMPLES / "train.jsonl"), read(SAMPLES / "dev.jsonl")
    resources = Resources(constraints=SAMPLES / "constraints.toml")
    *_, last = TASK.rounds(train, [], "lp", TASK.learner("lp").settings, resources)
    path = tmp_path_factory.mktemp("joint") / "model.zip"
    save_model(TASK, last.model, path)
    return last.model, path, dev


def trace_of(document, model):
    return TASK.trace(TASK.score([document], model))


@pytest.fixture
def opened(workspace: Workspace, trained, monkeypatch):
    """The workspace with the sample corpus and its run; returns the ids and a broken sentence."""
    model, path, dev = trained
    monkeypatch.setattr(registry, "TASKS", {"joint": "engine.tasks.joint.task:Joint"})
    registry.get.cache_clear()
    corpus = workspace.add_corpus("Sample", dev, split="dev")
    run = workspace.start_run("joint", "lp", dataclasses.asdict(model.settings), train="", dev=corpus)
    target = workspace.model_path(run)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(Path(path).read_bytes())
    workspace.finish_run(run, "done", bias=model.bias)
    broken = next(d for d in dev if any(v.hard and v.pairs for v in trace_of(d, model).before_violations))
    return {"run": run, "corpus": corpus, "doc": broken.id}


def graph_of(at):
    assert not at.exception
    return harness.components(at)["joint.graph"]


def test_the_graph_shows_the_violation_by_name_before_and_none_after(opened, trained):
    at = harness.open_page("joint", **opened)
    drawn = graph_of(at)
    named = {name for arrow in drawn["before"] for name in arrow["violations"]}
    assert named & {one.name for one in trained[0].state.constraints}
    assert not any(arrow["violations"] for arrow in drawn["after"] if not arrow["missed"])
    assert "violation" in harness.words_on(at)


def test_a_switched_off_constraint_is_in_the_address_and_changes_the_graph(opened, trained):
    model, _, dev = trained
    document = next(d for d in dev if d.id == opened["doc"])
    names = [v.name for v in trace_of(document, model).before_violations if v.hard]
    index = [one.name for one in model.state.constraints].index(names[0])
    on = graph_of(harness.open_page("joint", **opened))
    off = graph_of(harness.open_page("joint", **opened, off=str(index)))
    assert names[0] not in {name for arrow in off["before"] for name in arrow["violations"]}
    assert on["version"] != off["version"]


def scores_on(at):
    """P, R and F as the knob has them at its cursor, and every line of scores of the page."""
    strip = harness.components(at)["see.strip"]
    arrays = {
        name: np.frombuffer(base64.b64decode(strip[name]), "<f8" if name == "bias" else "<i4")
        for name in ("bias", "correct", "predicted")
    }
    k = int(np.searchsorted(arrays["bias"], strip["value"], side="right")) - 1
    correct, predicted = int(arrays["correct"][k]), int(arrays["predicted"][k])
    p, r = correct / predicted, correct / strip["gold"]
    lines = [one.value for one in at.caption if "relations P" in one.value]
    return f"P {layout.percent(p)} R {layout.percent(r)} F {layout.percent(2 * p * r / (p + r))}", lines


def test_the_knob_has_the_scores_of_the_constraints_on_screen(opened, trained):
    everything_off = ",".join(map(str, range(len(trained[0].state.constraints))))
    seen = set()
    for off in ("", everything_off):
        at = harness.open_page("joint", **opened, **({"off": off} if off else {}))
        assert not at.exception
        knob, lines = scores_on(at)
        assert knob in lines[0]
        assert len(lines) == (2 if off else 1), "the run's own scores stand beside where they differ"
        seen.add(knob)
    assert len(seen) == 2, "the sample depends on its constraints"


def test_a_basic_run_is_judged_under_constraints_and_alone(opened, workspace, trained):
    model, _, dev = trained
    save_model(TASK, dataclasses.replace(model, learner="basic"), workspace.model_path(opened["run"]))
    at = harness.open_page("joint", **opened)
    knob, lines = scores_on(at)
    assert knob in lines[0]
    alone = TASK.evaluate(dev, TASK.predict(dev, dataclasses.replace(model, learner="basic")))["relations"]["micro"]
    assert f"F {layout.percent(alone['f1'])}" in lines[1] and "each classifier alone" in lines[1]


def test_constraints_that_not_every_sentence_can_keep_leave_no_curve(opened, workspace, trained):
    model, _, _ = trained
    many = Count(name="fifty killings", relation="Kill", at_least=50, enabled=False)
    save_model(TASK, with_constraints(model, [many]), workspace.model_path(opened["run"]))
    at = harness.open_page("joint", **opened, off="0", ledger="1")
    assert not at.exception
    assert harness.components(at)["see.strip"]["empty"] == words.CANNOT_HOLD
    assert "contradict each other" in at.error[0].value


def test_changed_constraints_are_kept_in_the_run_and_decide_from_then_on(opened, workspace, trained):
    model, _, dev = trained
    path = workspace.model_path(opened["run"])
    at = harness.open_page("joint", **opened)
    assert at.button(key="joint.keep").disabled, "there is nothing to keep"
    at = harness.open_page("joint", **opened, off="0,2", weights="1:2.5")
    knob, _ = scores_on(at)
    wanted = address.changed(model.state.constraints, "0,2", "1:2.5")
    at.button(key="joint.keep").click().run()
    assert not at.exception
    assert "off" not in at.query_params and "weights" not in at.query_params
    kept = load_model(TASK, path)
    assert kept.state.constraints == wanted and kept.bias == model.bias
    assert [one["weight"] for one in harness.components(at)["joint.constraints"]["rows"]][1] == 2.5
    now, lines = scores_on(at)
    assert now == knob and len(lines) == 1
    micro = TASK.evaluate(dev, TASK.predict(dev, kept))["relations"]["micro"]
    assert f"F {layout.percent(micro['f1'])}" in now


def test_what_is_on_screen_is_read_back_from_its_toml():
    wanted = address.changed(CONSTRAINTS, "0,2", "0:0.30000000000000004,1:hard")
    assert parse(to_toml(wanted)) == wanted != CONSTRAINTS


def test_asking_for_a_relation_puts_it_somewhere(opened):
    drawn = graph_of(harness.open_page("joint", **opened, force="Kill"))
    here = [a for a in drawn["after"] if not a["missed"] and _on(a["on"], drawn["bias"])]
    assert "Kill" in {arrow["label"] for arrow in here}


def test_pins_that_clash_are_explained_on_the_page(opened, trained):
    document = next(d for d in trained[2] if d.id == opened["doc"])
    first, second = (m.span for m in document.gold.mentions[:2])
    at = harness.app()
    for name, value in opened.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("pages/joint.py")
    for name, value in opened.items():
        at.query_params[name] = value
    clash = [RelationPin(first, second, "Kill"), TypePin(second, "Org")]
    at.query_params["pins"] = [pins.encode(pin) for pin in clash]
    at.run()
    assert not at.exception
    assert at.error and "contradict each other" in at.error[0].value


def test_forcing_an_option_adds_a_pin_to_the_address(opened):
    at = harness.open_page("joint", **opened)
    at.button(key="joint.pin.True").click().run()
    assert not at.exception
    assert at.query_params["pins"]


def boxes(at):
    return [box for box in at.selectbox if str(box.key).startswith("joint.option.")]


def test_what_is_explained_stays_when_a_constraint_is_switched(opened, trained):
    model, _, dev = trained
    everything_off = address.changed(
        model.state.constraints, ",".join(map(str, range(len(model.state.constraints)))), None
    )
    bare = with_constraints(model, everything_off)
    doubts = {d.id: [decision.first_look(trace_of(d, one)) for one in (model, bare)] for d in dev}
    document = next(d for d in dev if len(set(doubts[d.id])) == 2)
    at = harness.open_page("joint", **{**opened, "doc": document.id})
    first, box = graph_of(at)["selected"], boxes(at)[0]
    assert first == doubts[document.id][0] and str(box.key).endswith(f".{first}")
    at.query_params["off"] = ",".join(map(str, range(len(model.state.constraints))))
    at.run()
    assert graph_of(at)["selected"] == first and boxes(at)[0].key == box.key
    # Another document has a first decision of its own.
    at.button(key="sidebar.next").click().run()
    assert not at.exception
    assert boxes(at)[0].key != box.key


def test_a_pair_without_an_arrow_is_marked_at_its_mentions(opened, trained):
    document = next(d for d in trained[2] if d.id == opened["doc"])
    trace = trace_of(document, trained[0])
    at = harness.open_page("joint", **opened, sel="p0")
    assert tuple(graph_of(at)["ends"]) == tuple(trace.pairs[0]) == view.ends(trace, "p0")
    assert graph_of(harness.open_page("joint", **opened, sel="n0"))["ends"] == []


def test_probabilities_have_one_decimal(opened):
    at = harness.open_page("joint", **opened)
    table = next(one for one in at.dataframe if "p" in one.value.columns)
    assert table.value["p"].sum() == pytest.approx(100.0)
    assert json.loads(table.proto.columns)["p"]["type_config"]["format"] == layout.PERCENT


def test_the_ledger_is_written_when_asked_for(opened):
    at = harness.open_page("joint", **opened)
    assert "had integral solutions" not in harness.words_on(at)
    at = harness.open_page("joint", **opened, ledger="1")
    assert "had integral solutions" in harness.words_on(at)


def test_the_forced_decisions_of_the_corpus_stand_under_the_ledger(opened, trained):
    model, _, dev = trained
    at = harness.open_page("joint", **opened, force="Kill")
    table = next(one.value for one in at.dataframe if "right pair named" in one.value.columns)
    told = TASK.forced_decisions(TASK.scored(dev, model), "Kill")
    assert dict(zip(table["system"], table["right pair named"], strict=True)) == {
        name: one["right"] for name, one in told["systems"].items()
    }
    assert set(table["sentences that hold it"]) == {told["sentences"]}


def test_an_address_that_makes_no_sense_is_ignored(opened):
    at = harness.open_page("joint", **opened, off="99,x", weights="a:b,0:-3,0:nan", force="Marries", sel="p9999")
    assert graph_of(at)["nodes"]


CONSTRAINTS = (
    Arguments(name="a", relation="Kill", head=("Peop",)),
    Count(name="b", relation="Kill", at_most=1, weight=2.0),
    SameType(name="c", enabled=False),
)


@pytest.mark.parametrize(("off", "weights"), [("0", None), ("0,2", "1:hard"), (None, "0:0.5,1:3.25"), (None, None)])
def test_switches_and_weights_survive_the_address(off, weights):
    wanted = address.changed(CONSTRAINTS, off, weights)
    assert address.written(CONSTRAINTS, wanted) == (off, weights)
    assert address.changed(CONSTRAINTS, *address.written(CONSTRAINTS, wanted)) == wanted


def test_types_and_arrows_follow_the_path_of_the_bias(trained):
    model, _, dev = trained
    for document in dev[:15]:
        trace = trace_of(document, model)
        arrows = joint_graph.after(trace, ())
        for bias in (trace.bias - 1.0, trace.bias, trace.bias + 1.0):
            (layer,) = TASK.predict([document], model, bias=bias)
            decided = {(r.head, r.tail, r.type) for r in layer.relations}
            drawn = {(a.head, a.tail, a.label) for a in arrows if not a.missed and _on(a.on, bias)}
            assert drawn == decided
            missed = {(a.head, a.tail, a.label) for a in arrows if a.missed and _on(a.on, bias)}
            assert missed == {(r.head, r.tail, r.type) for r in document.gold.relations} - decided
            for node, mention in zip(joint_graph.nodes(trace, ()), layer.mentions, strict=True):
                assert next(name for low, high, name in node.after if _on(((low, high),), bias)) == mention.type


def test_the_payload_has_a_version_of_its_content():
    one = payload([], [], [], bias=0.0, run="r")
    assert one["version"] == payload([], [], [], bias=1.0, run="r", selected="n0")["version"]


def _on(intervals, bias):
    return any((low is None or bias >= low) and (high is None or bias < high) for low, high in intervals)


def test_pinned_types_are_drawn_as_decided_not_as_the_path_without_pins_has_them(trained):
    model, _, dev = trained
    document = next(d for d in dev if len(d.gold.mentions) > 1)
    pin = TypePin(document.gold.mentions[0].span, "Other")
    trace = TASK.trace(TASK.score([document], model), pins=[pin])
    assert joint_graph.nodes(trace, [pin])[0].after == ((None, None, "Other"),)


def test_the_downloads_hold_what_is_drawn_and_escape_it(trained):
    model, _, dev = trained
    document = next(d for d in dev if trace_of(d, model).before_violations)
    trace = trace_of(document, model)
    hostile = tuple(f"<b>&\x01{surface}" for surface in trace.surfaces)
    trace = dataclasses.replace(trace, surfaces=hostile)
    nodes, before, after = (
        joint_graph.nodes(trace, ()),
        joint_graph.before(trace),
        joint_graph.after(trace, ()),
    )
    drawn = ElementTree.fromstring(joint_export.drawing(nodes, before, after, trace.bias))
    words = [element.text or "" for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert any(trace.before_violations[0].name in one for one in words)
    assert any(one.startswith("<b>&⟨U+0001⟩") for one in words)
    shown = [a for a in (*before, *after) if _on(a.on, trace.bias)]
    assert sum(a.label in one for a in shown for one in words) >= len(shown)
    saved = json.loads(joint_export.numbers(trace, document.text))
    assert saved["objective"] == pytest.approx(trace.objective)
    assert [pair["together"] for pair in saved["pairs"]] == [trace.space.labels[k] for k in trace.after_labels]
    assert saved["broken_alone"][0]["constraint"] == trace.before_violations[0].name


def test_what_breaks_a_constraint_and_what_is_wrong_have_signs_of_their_own():
    nodes = [Node(f"n{i}", "x", "Peop", ((None, None, "Peop"),)) for i in range(2)]
    always = ((None, None),)
    signs = {
        (True, ("a",)): "! ✓ Kill",
        (False, ("a",)): "! ✗ Kill",
        (None, ("a",)): "! Kill",
        (False, ()): "✗ Kill",
        (True, ()): "✓ Kill",
    }
    for (gold, violations), said in signs.items():
        arrow = Arrow("p0", 0, 1, "Kill", always, gold=gold, violations=violations)
        assert f">{said}</text>" in joint_export.drawing(nodes, [arrow], [], 0.0)
    assert "! red" in words.LEGEND and "✗ not in gold" in words.LEGEND


def test_a_graph_without_mentions_is_an_empty_drawing():
    assert ElementTree.fromstring(joint_export.drawing([], [], [], 0.0)) is not None
