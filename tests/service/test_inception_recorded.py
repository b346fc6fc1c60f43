"""Requests as INCEpTION sends them, written by hand in the documented shape: UTF-16 offsets, tokens, an empty tail of
features. Read by dkpro-cassis, answered, and read by it again, with nothing lost and nothing but suggestions added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.data.document import Document
from engine.tasks.registry import get
from tests.service.serving import client_of, serving_systems
from tests.tasks.test_contract import trained

cassis = pytest.importorskip("cassis", reason="dkpro-cassis is not installed: pip install -r requirements-test.txt")

RECORDED = Path(__file__).parent / "recorded"
ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"


def request(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDED / f"inception-{name}.json").read_text(encoding="utf-8"))
    return found


def cas_of(asked: dict[str, Any], xmi: str) -> Any:
    return cassis.load_cas_from_xmi(xmi, typesystem=cassis.load_typesystem(asked["typeSystem"]))


def answered(name: str) -> tuple[Any, Any]:
    """The CAS that was sent, and the one that came back."""
    asked = request(name)
    with client_of(serving_systems(name)) as client:
        answer = client.post(f"/inception/{name}/predict", json=asked)
    assert answer.status_code == 200, answer.text
    return cas_of(asked, asked["document"]["xmi"]), cas_of(asked, answer.json()["document"])


def is_suggestion(one: Any) -> bool:
    return bool(getattr(one, "inception_internal_predicted", False))


def kept(cas: Any) -> list[tuple[str, int, int]]:
    return sorted((one.type.name, one.begin, one.end) for one in cas.select_all_annotations() if not is_suggestion(one))


def test_links_of_a_recorded_request_are_those_of_predict() -> None:
    asked = request("linking")
    text = cas_of(asked, asked["document"]["xmi"]).sofa_string
    [layer] = get("linking").predict([Document("d", text)], trained("linking"))
    sent, back = answered("linking")
    assert kept(back) == kept(sent) and back.sofa_string == text
    found = [one for one in back.select(ENTITY) if is_suggestion(one)]
    best: dict[tuple[int, int], Any] = {}
    for one in found:
        place = (one.begin, one.end)
        if place not in best or one.identifier_score > best[place].identifier_score:
            best[place] = one
    assert best.keys() == {mention.span for mention in layer.mentions} and layer.mentions
    for mention in layer.mentions:
        assert best[mention.span].identifier.endswith(str(mention.entity).replace(" ", "_"))
        assert best[mention.span].get_covered_text() == sent.sofa_string[mention.start : mention.end]


def test_relations_of_a_recorded_request_join_spans_that_were_sent() -> None:
    sent, back = answered("joint")
    assert kept(back) == kept(sent)
    spans = {(one.begin, one.end) for one in sent.select(ENTITY)}
    arcs = [one for one in back.select("custom.Relation") if is_suggestion(one)]
    assert arcs
    for arc in arcs:
        assert {(end.begin, end.end) for end in (arc.Governor, arc.Dependent)} <= spans
        assert (arc.begin, arc.end) == (arc.Dependent.begin, arc.Dependent.end) and arc.label
