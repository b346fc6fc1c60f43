"""The desk: every action of the editor is one row of the log, once; what does not fit is refused in words."""

from dataclasses import replace

import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.edits import AddMention
from engine.data.labels import EntityType, LabelSet, RelationType
from engine.store.workspace import Workspace
from engine.workbench.team import labelling
from ui.tab import download
from ui.tab.messages import unheard
from ui.views.annotate import widgets
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, Seat, own_layer, perform, perform_all
from ui.views.annotate.history import describe, history
from ui.views.annotate.vocabulary import Vocabulary

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
    ack: dict[str, int] = {}
    perform_all(desk, unheard(first, ack))
    told = perform_all(desk, unheard([*first, add(2, 10, 12)], ack))
    assert ack == {"n1-": 2} and told is not None and told.message == ""
    assert perform_all(desk, unheard(first, ack)) is None
    assert len(desk.log.history()) == 2
    # After a restart the server has forgotten what it acknowledged; the log has not.
    perform_all(desk, [*first, {"client": "n1-", "seq": 3, "action": "undo"}])
    perform_all(desk, [{"client": "n1-", "seq": 3, "action": "undo"}])
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
    (relation,) = vocabulary.labels.relations
    assert (relation.name, relation.heads, relation.tails) == ("Live_In", ("PER",), ("LOC",))
    assert vocabulary.search("os") == [("Oslo", 1)]


def test_the_editor_is_given_ids_versions_and_comments(desk):
    perform(desk, action(1, {"kind": "Comment", "target": "g0", "text": "who?"}))
    shown = payload(desk, Vocabulary.of([DOCUMENT]))
    assert shown["version"] == 1
    assert [(target, thread[0]["text"], thread[0]["author"]) for target, thread in shown["comments"]] == [
        ("g0", "who?", "anna")
    ]


def test_history_tells_who_did_what_with_before_and_after_latest_first(desk):
    perform(desk, action(1, {"kind": "SetType", "id": "g0", "type": "ORG"}))
    perform(desk, {"client": "n1-", "seq": 2, "action": "undo"})
    perform(desk, action(3, {"kind": "RemoveMention", "id": "g1"}))
    perform(desk, action(4, {"kind": "MarkDone", "done": True}))
    rows = history(DOCUMENT, desk.rows(), GOLD)
    assert [(row["what"], row["before"], row["after"]) for row in rows] == [
        ("mark done", "not done", "done"),
        ("remove mention", "“Oslo” · LOC · Oslo; “Ann” Live_In “Oslo”", ""),
        ("takes back no. 1", "“Ann” · ORG", "“Ann” · PER"),
        ("set type", "“Ann” · PER", "“Ann” · ORG"),
    ]
    assert {row["who"] for row in rows} == {"anna"} and describe(None, 7) == "takes back no. 7"


def test_an_edit_made_at_another_document_is_written_there(desk):
    other = Document.from_words("e", [["Ben"]])
    here = Desk(desk.log, DOCUMENT, "anna", find={"e": other}.get)
    outcome = perform(here, {**add(1, 0, 3), "document": "e", "layer": GOLD})
    assert outcome.document == "e" and [row.document for row in desk.log.history()] == ["e"]
    assert "no document 'x'" in perform(here, {**add(2, 0, 3), "document": "x", "layer": GOLD}).message


def test_the_layer_of_somebody_else_cannot_be_written(desk):
    assert "belongs to somebody else" in perform(desk, {**add(1, 0, 3), "layer": "ben"}).message
    perform(desk, {**add(1, 0, 3), "layer": "anna"})
    assert [row.layer for row in desk.log.history()] == ["anna"]
    assert own_layer("gold") != GOLD


def test_both_sides_of_a_conflict_are_told_and_mine_can_be_insisted_on(desk):
    ben = Desk(desk.log, DOCUMENT, "ben")
    perform(desk, action(1, {"kind": "SetType", "id": "g0", "type": "ORG"}, base=0))
    told = perform_all(ben, [{**action(1, {"kind": "SetType", "id": "g0", "type": "LOC"}, base=0), "client": "n2-"}])
    shown = payload(ben, Vocabulary.of([DOCUMENT]), outcome=told)["clash"]
    assert (shown["who"], shown["theirs"], shown["mine"]) == ("anna", "“Ann” · ORG", "“Ann” · LOC")
    again = {**action(2, shown["edit"], base=desk.log.version("d")), "client": "n2-"}
    assert perform(ben, again).message == "" and desk.state().mentions["g0"].type == "LOC"


def test_what_others_say_stands_beside_as_suggestions_that_can_be_taken(desk):
    desk.log.append(DOCUMENT, AddMention("b1", 13, 17, "LOC"), user="ben", layer="ben")
    mine = Desk(desk.log, DOCUMENT, "anna", "anna", beside=("ben",))
    (offer,) = payload(mine, Vocabulary.of([DOCUMENT]))["suggestions"]
    assert (offer["by"], offer["value"], offer["start"]) == ("ben", "LOC", 13)
    perform(mine, {"client": "n1-", "seq": 1, "action": "accept", "keys": [offer["key"]]})
    assert [(m.start, m.type) for m in mine.state().layer().mentions] == [(13, "LOC")]
    assert payload(mine, Vocabulary.of([DOCUMENT]))["suggestions"] == []


def test_the_queue_says_what_comes_next(desk):
    ask = {"client": "n1-", "seq": 1, "action": "next"}
    assert "done" in perform(desk, ask).message
    assert perform(Desk(desk.log, DOCUMENT, "anna", next_up=lambda: "e"), ask).document == "e"


def test_keys_and_colours_stay_when_somebody_adds_a_type(desk):
    """The review: a colleague's "AAA" renumbered the palette, and 4 wrote another type."""
    before = payload(desk, Vocabulary.of([DOCUMENT]))["types"]
    for seq, kind in enumerate(("ZZZ", "AAA"), 1):
        perform(desk, action(seq, {"kind": "SetType", "id": "g0", "type": kind}))
    labels = labelling.current(desk.log, [DOCUMENT])
    after = payload(desk, Vocabulary.of([DOCUMENT], labels))["types"]
    assert after[:2] == before and [one["name"] for one in after[2:]] == ["ZZZ", "AAA"]
    assert len({one["key"] for one in after}) == len({one["colour"] for one in after}) == 4


def test_what_the_label_set_does_not_license_is_refused_with_the_reason(desk):
    labels = LabelSet((EntityType("PER", "1"), EntityType("LOC", "2")), (RelationType("Live_In", ("PER",), ("LOC",)),))
    strict = replace(desk, labels=replace(labels, locked=True))
    turned = {"kind": "AddRelation", "id": "x", "head": "g1", "tail": "g0", "type": "Live_In"}
    again = {"kind": "AddRelation", "id": "x", "head": "g0", "tail": "g1", "type": "Live_In"}
    assert "from PER to LOC, not from LOC to PER" in perform(strict, action(1, turned)).message
    assert "there already" in perform(strict, action(2, again)).message
    assert "no type 'ORG'" in perform(strict, action(3, {"kind": "SetType", "id": "g0", "type": "ORG"})).message
    assert "does not hold for LOC" in perform(strict, action(4, {"kind": "SetType", "id": "g0", "type": "LOC"})).message
    assert "not said in the editor" in perform(strict, action(5, {"kind": "Settle", "question": "q", "by": []})).message
    assert desk.log.history() == []


@pytest.fixture
def open_page(tmp_path, monkeypatch):
    """A page that anna has open: its workspace, corpus, seat and desk, what its tab keeps, and how often it was drawn
    again as a whole."""
    space = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    corpus = space.corpus(space.add_corpus("a", [DOCUMENT]))
    desk, seat = Desk(space.annotations(corpus.id), DOCUMENT, "anna"), Seat("anna", "gold", False, 0.0)
    kept, drawn_again = {"annotate.drawn": desk.log.version("d")}, []
    monkeypatch.setattr(widgets.login, "must_still_be_in", lambda: None)
    monkeypatch.setattr(widgets.login, "person", lambda: "anna")
    monkeypatch.setattr(widgets.cache, "workspace", lambda: space)
    monkeypatch.setattr(widgets.session, "keep", kept.__setitem__)
    monkeypatch.setattr(widgets.session, "value", lambda key, default=None: kept.get(key, default))
    monkeypatch.setattr(widgets.st, "rerun", lambda: drawn_again.append(True))
    yield space, corpus, seat, desk, kept, drawn_again
    space.close()


def test_a_page_that_is_open_follows_the_label_set_at_once(open_page):
    _, corpus, seat, desk, kept, drawn_again = open_page
    watch = widgets.watch.__wrapped__
    watch(corpus, seat, desk)
    assert drawn_again == []
    old = LabelSet((EntityType("PER", "1"), EntityType("LOC", "2", deprecated=True)))
    labelling.define(desk.log, old, user="lea")
    watch(corpus, seat, desk)
    assert drawn_again == [True], "others see the new set without an edit of theirs"
    widgets._hear(corpus, desk, iter([action(1, {"kind": "SetType", "id": "g0", "type": "LOC"})]))
    _, told = kept["annotate.told"]
    assert "LOC is deprecated" in told.message and desk.state().mentions["g0"].type == "PER"


def test_a_page_that_is_open_is_blind_as_soon_as_the_project_is(open_page):
    space, corpus, seat, desk, kept, drawn_again = open_page
    space.set_up_project(corpus.id, members={"lea": "lead", "anna": "annotator"}, blind=True)
    widgets.watch.__wrapped__(corpus, seat, desk)
    assert drawn_again == [True]
    widgets._hear(corpus, desk, iter([action(1, {"kind": "SetType", "id": "g0", "type": "LOC"})]))
    _, told = kept["annotate.told"]
    assert "annotated blind" in told.message and desk.log.history() == []


def test_comments_bear_the_name_of_whoever_writes_them(desk):
    said = {"kind": "Comment", "target": "g0", "text": "who?", "id": "n1-1", "author": "boss", "time": "1999"}
    perform(desk, action(1, said))
    ben = Desk(desk.log, DOCUMENT, "ben")
    perform(ben, {**action(1, {**said, "id": "n2-1", "text": "Ann Lee"}), "client": "n2-"})
    first, second = desk.state().comments["g0"]
    assert (first.author, first.text, second.author, second.text) == ("anna", "who?", "ben", "Ann Lee")
    assert first.time > "2020"
    assert "anna wrote this comment" in perform(ben, {**action(2, {**said, "text": ""}), "client": "n2-"}).message


def test_a_frozen_version_is_exported_as_the_same_bytes_whatever_happens_after(tmp_path):
    space = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    corpus = space.add_corpus("a", [DOCUMENT])
    desk = Desk(space.annotations(corpus), DOCUMENT, "anna")
    perform(desk, add(1, 4, 9))
    space.freeze(corpus, "v1", user="anna")
    formats = ("jsonl", "brat", "uimacas")
    first = {name: download.pack(space.gold_documents(corpus, "v1"), corpus, name) for name in formats}
    perform(desk, add(2, 10, 12))
    perform(desk, {"client": "n1-", "seq": 3, "action": "undo"})
    perform(desk, {"client": "n1-", "seq": 4, "action": "undo"})  # even what the version holds can be undone since
    assert {name: download.pack(space.gold_documents(corpus, "v1"), corpus, name) for name in formats} == first
    assert len(space.gold_documents(corpus)[0].gold.mentions) == 2
    space.close()


def test_a_colleagues_next_edit_is_suggested_though_their_layer_was_read_before(desk):
    document, log = desk.document, desk.log
    beside = replace(desk, layer="anna", beside=("bob",))
    for n in (1, 2):
        log.append(document, AddMention(f"b{n}", n, n + 1), user="bob", layer="bob")
        offered, _ = beside.suggestions(beside.rows(), beside.state())
        spans = {(one.decision.start, one.decision.end) for one in offered}
        assert spans == {(i, i + 1) for i in range(1, n + 1)}
    log.undo(user="bob", layer="bob")
    offered, _ = beside.suggestions(beside.rows(), beside.state())
    assert {one.decision.start for one in offered} == {1}
