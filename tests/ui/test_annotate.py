"""The desk: every action of the editor is one row of the log, once; what does not fit is refused in words."""

import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.store.workspace import Workspace
from ui.annotate import Desk, Vocabulary, describe, history, payload, perform, perform_all

DOCUMENT = Document.from_words("d", [["Ann", "lives", "in", "Oslo", "👩🏽‍🚀"]]).with_layer(
    GOLD, Layer((Mention(0, 3, "PER"), Mention(13, 17, "LOC", "Oslo")), relations=(Relation(0, 1, "Live_In"),))
)


@pytest.fixture
def desk(tmp_path):
    space = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    yield Desk(space.annotations(space.add_corpus("a", [DOCUMENT])), DOCUMENT, "anna")
    space.close()


def action(seq, edit=None, **more):
    return {"client": "n1-", "seq": seq, "action": "edit", "edit": edit, **more}


def add(seq, start, end):
    return action(seq, {"kind": "AddMention", "id": f"m{seq}", "start": start, "end": end, "type": "PER"})


def test_a_queue_sent_again_is_written_once(desk):
    first = [add(1, 4, 9)]
    ack, _ = perform_all(desk, first, {})
    ack, told = perform_all(desk, [*first, add(2, 10, 12)], ack)
    assert ack == {"n1-": 2} and told.message == ""
    assert len(desk.log.history()) == 2
    # After a restart the server has forgotten what it acknowledged; the log has not.
    perform_all(desk, [*first, {"client": "n1-", "seq": 3, "action": "undo"}], {})
    perform_all(desk, [{"client": "n1-", "seq": 3, "action": "undo"}], {})
    assert [m.start for m in desk.state().layer().mentions] == [0, 4, 13]


def test_offsets_of_an_emoji_survive(desk):
    start = DOCUMENT.text.index("👩")
    perform(desk, add(1, start, len(DOCUMENT.text)))
    mention = desk.state().layer().mentions[-1]
    assert DOCUMENT.surface(mention) == "👩🏽‍🚀"


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (add(1, 5, 999), "no part of the text"),
        (add(1, 5, 5), "no part of the text"),
        (action(1, {"kind": "RemoveMention", "id": "g9"}), "gone"),
        (action(1, {"kind": "Explode"}), "no edit"),
        ({"client": "n1-", "seq": 1, "action": "undo"}, "nothing to undo"),
        ({"client": "n1-", "seq": 1, "action": "dance"}, "not known"),
    ],
)
def test_what_does_not_fit_is_refused_in_words_and_not_written(desk, sent, says):
    assert says in perform(desk, sent).message
    assert desk.log.history() == []


def test_a_conflict_is_told_and_the_other_edit_stays(desk):
    ben = Desk(desk.log, DOCUMENT, "ben")
    perform(desk, action(1, {"kind": "SetType", "id": "g0", "type": "ORG"}, base=0))
    outcome = perform(ben, {**action(1, {"kind": "SetType", "id": "g0", "type": "LOC"}, base=0), "client": "n2-"})
    assert "anna" in outcome.message
    assert desk.state().layer().mentions[0].type == "ORG"


def test_relations_are_offered_between_the_types_they_were_seen_with():
    vocabulary = Vocabulary.of([DOCUMENT])
    assert vocabulary.relations[0].type == "Live_In"
    assert (vocabulary.relations[0].heads, vocabulary.relations[0].tails) == (("PER",), ("LOC",))
    assert vocabulary.search("os") == [("Oslo", 1)]


def test_the_editor_is_given_ids_versions_and_comments(desk):
    perform(desk, action(1, {"kind": "Comment", "target": "g0", "text": "who?"}))
    shown = payload(desk, Vocabulary.of([DOCUMENT]), ack={"n1-": 1})
    assert shown["version"] == 1 and shown["ack"] == {"n1-": 1}
    assert {m["id"]: m["comment"] for m in shown["mentions"]} == {"g0": "who?", "g1": ""}


def test_history_tells_who_did_what_latest_first(desk):
    perform(desk, action(1, {"kind": "SetType", "id": "g0", "type": "ORG"}))
    perform(desk, {"client": "n1-", "seq": 2, "action": "undo"})
    rows = history(desk)
    assert [row["what"] for row in rows] == ["takes back no. 1", "set type: id g0, type ORG"]
    assert describe(None, 7) == "takes back no. 7"
