"""A label is renamed or merged everywhere as one action, and one undo takes all of it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.edits import AddMention, SetType
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.workbench.team import labelling

GIVEN = Layer((Mention(0, 3, "PER"), Mention(13, 17, "LOC")), relations=(Relation(0, 1, "in"), Relation(0, 1, "at")))
DOCUMENTS = [Document(f"d{i}", "Ann lives in Oslo", layers={GOLD: GIVEN}) for i in range(2)]


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    workspace.add_corpus("c", DOCUMENTS)
    yield workspace
    workspace.close()


def types(space: Workspace, layer: str = GOLD) -> list[list[str | None]]:
    states = space.annotations("c").states(DOCUMENTS, layer=layer)
    return [[m.type for m in state.layer().mentions] for _, state in states]


def test_a_type_is_renamed_in_the_set_in_gold_and_in_every_layer(space: Workspace) -> None:
    log = space.annotations("c")
    log.append(DOCUMENTS[0], AddMention("a1", 0, 3, "PER"), user="anna", layer="anna")
    space.freeze("c", "v1", user="lea")
    assert labelling.rename(log, DOCUMENTS, "type", "PER", "Person", user="lea") == 2
    assert types(space) == [["Person", "LOC"]] * 2 and types(space, "anna")[0] == ["Person"]
    labels = labelling.current(log, DOCUMENTS)
    assert [(one.name, one.key) for one in labels.types] == [("LOC", "1"), ("Person", "2")]
    assert labels.relations[0].heads == ("Person",)
    assert log.layers() == {GOLD, "anna"} and log.edited_documents() == {"d0", "d1"}
    assert [m.type for m in space.gold_documents("c", "v1")[0].gold.mentions] == ["PER", "LOC"], "frozen stays"
    # One undo, from the label set or from the editor, takes back all of it, and a redo brings it back.
    assert labelling.undo(log, user="lea")
    assert types(space) == [["PER", "LOC"]] * 2 and types(space, "anna")[0] == ["PER"]
    assert labelling.defined(log) is None and not labelling.undo(log, user="lea")
    log.redo(user="lea", layer=GOLD)
    assert types(space) == [["Person", "LOC"]] * 2 and types(space, "anna")[0] == ["Person"]
    assert labelling.defined(log) == labels


def test_merging_leaves_no_relation_twice(space: Workspace) -> None:
    log = space.annotations("c")
    labelling.rename(log, DOCUMENTS, "relation", "at", "in", user="lea")
    assert [[r.type for r in state.layer().relations] for _, state in log.states(DOCUMENTS)] == [["in"], ["in"]]
    assert [one.name for one in labelling.current(log, DOCUMENTS).relations] == ["in"]


def test_types_stand_in_the_order_of_their_first_use(space: Workspace) -> None:
    log = space.annotations("c")
    before = labelling.current(log, DOCUMENTS).types
    for name in ("ZZZ", "AAA", "MMM"):
        log.append(DOCUMENTS[0], SetType("g0", name), user="anna")
    after = labelling.current(log, DOCUMENTS).types
    assert after[:2] == before and [one.name for one in after[2:]] == ["ZZZ", "AAA", "MMM"]


def test_what_the_set_does_not_have_cannot_be_renamed(space: Workspace) -> None:
    with pytest.raises(InputError, match="no type 'ORG'"):
        labelling.rename(space.annotations("c"), DOCUMENTS, "type", "ORG", "Org", user="lea")
