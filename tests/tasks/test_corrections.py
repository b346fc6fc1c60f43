"""Corrections that a model cannot follow: they are kept, said in one sentence, and undone; the editor goes on."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from engine import corpora
from engine.data.document import Document
from engine.data.edits import AddRelation, RemoveMention, SetLabel, SetType, Together, to_json
from engine.store.workspace import Workspace
from engine.tasks.base import Model, Resources
from engine.tasks.registry import get
from ui.background.first import sample_files
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, perform
from ui.views.annotate.vocabulary import Vocabulary


@cache
def sample(name: str, split: str) -> tuple[Document, ...]:
    return tuple(corpora.read(sample_files(name)[split]))


@cache
def trained(name: str) -> Model:
    task = get(name)
    info = task.learner(None)
    rounds = task.rounds(sample(name, "train"), sample(name, "dev"), info.name, info.settings, Resources())
    return list(islice(rounds, 8))[-1].model


@pytest.fixture
def at(tmp_path):
    """A desk at a document of a sample, with a model."""
    space = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")

    def sit(name: str, document: Document, layer: str = "gold") -> Desk:
        log = space.annotations(space.add_corpus(name, [document]))
        return Desk(log, document, "anna", layer, get(name), trained(name))

    yield sit
    space.close()


def shown(desk):
    return payload(desk, Vocabulary.of([desk.document]))


def correct(desk, *edits):
    """The corrections as one action; what the editor shows after it."""
    edit = to_json(edits[0] if len(edits) == 1 else Together(edits))
    outcome = perform(desk, {"client": "n1-", "seq": 1, "action": "edit", "edit": edit})
    assert outcome.message == ""
    return shown(desk)


def check_undo(desk, before):
    assert perform(desk, {"client": "n1-", "seq": 2, "action": "undo"}).message == ""
    after = shown(desk)
    assert (after["mentions"], after["relations"], after["labels"], after["suggestions"], after["message"]) == (
        before["mentions"],
        before["relations"],
        before["labels"],
        before["suggestions"],
        before["message"],
    )


def related() -> Document:
    """A sentence with two mentions and more, whose types are gold."""
    return next(one for one in sample("joint", "dev") if len(one.gold.mentions) > 2)


def test_a_type_that_the_model_does_not_know_is_kept_and_named(at):
    desk = at("joint", related())
    before = shown(desk)
    after = correct(desk, SetType("g0", "Event"))
    assert after["mentions"][0]["type"] == "Event" and "does not know 'Event'" in after["message"]
    span = desk.document.gold.mentions[0].span
    assert not any((one["start"], one["end"]) == span and one["kind"] == "type" for one in after["suggestions"])
    check_undo(desk, before)


def test_a_relation_that_the_model_does_not_know_is_kept_and_named(at):
    desk = at("joint", related())
    before = shown(desk)
    after = correct(desk, AddRelation("new", "g0", "g1", "knows"))
    assert after["relations"][-1]["type"] == "knows" and "does not know 'knows'" in after["message"]
    check_undo(desk, before)


def test_a_type_and_a_relation_that_no_constraint_allows_together_are_kept_and_the_clash_is_said(at):
    document = related()
    desk = at("joint", document)
    before = shown(desk)
    after = correct(desk, SetType("g0", "Org"), AddRelation("new", "g0", "g1", "Kill"))
    assert (after["mentions"][0]["type"], after["relations"][-1]["type"]) == ("Org", "Kill")
    assert "cannot follow your corrections" in after["message"] and "is Org" in after["message"]
    check_undo(desk, before)


def test_what_was_said_of_a_mention_that_is_gone_holds_nobody_up(at):
    desk = at("joint", related())
    start, end = desk.document.gold.mentions[0].span
    said_no = {"kind": "Reject", "what": "type", "start": start, "end": end, "value": "Peop"}
    perform(desk, {"client": "n1-", "seq": 1, "action": "edit", "edit": said_no})
    perform(desk, {"client": "n1-", "seq": 2, "action": "edit", "edit": to_json(RemoveMention("g0"))})
    assert shown(desk)["message"] == ""


def bag(n: int) -> Document:
    return next(one for one in sample("distant", "dev") if one.bag is not None and len(one.bag.members) == n)


def test_a_label_that_the_model_does_not_know_is_kept_and_named(at):
    desk = at("distant", bag(2))
    before = shown(desk)
    after = correct(desk, SetLabel("brand new", True))
    assert "brand new" in after["labels"] and "does not know 'brand new'" in after["message"]
    check_undo(desk, before)


def test_more_labels_than_sentences_are_kept_and_those_that_clash_are_named(at):
    desk = at("distant", bag(1))
    before = shown(desk)
    names = [name for name in trained("distant").state.relations if name not in before["labels"]][:3]
    after = correct(desk, *(SetLabel(name, True) for name in names))
    assert set(names) <= set(after["labels"])
    assert "cannot hold together" in after["message"] and sum(name in after["message"] for name in names) >= 2
    check_undo(desk, before)


def test_a_relation_between_mentions_that_are_no_pair_of_the_bag_asks_the_model_nothing(at):
    desk = at("distant", bag(1))
    before = shown(desk)
    member = desk.document.bag.members[0]
    name = trained("distant").state.relations[0]
    after = correct(desk, AddRelation("new", f"g{member.tail}", f"g{member.head}", name))
    assert after["relations"][-1]["type"] == name and after["message"] == ""
    check_undo(desk, before)


def test_in_a_layer_of_ones_own_the_given_mentions_are_suggested_with_their_types(at):
    desk = at("joint", related(), layer="anna")
    offered = shown(desk)
    assert offered["mentions"] == []
    spans = {(one["start"], one["end"]) for one in offered["suggestions"] if one["kind"] == "type"}
    assert spans == {mention.span for mention in desk.document.gold.mentions}
    perform(desk, {"client": "n1-", "seq": 1, "action": "accept", "keys": [offered["suggestions"][0]["key"]]})
    assert len(shown(desk)["mentions"]) >= 1
