"""The annotation log: undo and redo without end, conflicts that are seen, merges that lose nothing."""

import json
import multiprocessing
import os
import random
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention
from engine.data.edits import (
    AddMention,
    Comment,
    EditRefused,
    MarkDone,
    RemoveMention,
    SetEntity,
    SetLabel,
    SetSpan,
    SetType,
    Together,
    to_json,
)
from engine.store import database
from engine.store.annotations import EditConflict, LogRow, live, stacks
from engine.store.workspace import Workspace

ONE = Document("1", "Oslo wins", layers={GOLD: Layer(mentions=(Mention(0, 4), Mention(5, 9)))})
TWO = Document("2", "Oslo wins", layers={GOLD: Layer(mentions=(Mention(0, 4),))})
BAG = Document(
    "3",
    "Oslo wins",
    layers={GOLD: Layer(mentions=(Mention(5, 9, "ORG"), Mention(0, 4, "LOC")), labels=("based in",))},
    bag=Bag("wins", "Oslo", (Member(0, 1),)),
)
"""The tail stands before the head, and so do they in the list: the order is the document's own."""


@pytest.fixture
def bags(database_url, tmp_path):
    space = Workspace.open(tmp_path, database_url)
    space.add_corpus("b", [BAG])
    yield space
    space.close()


@pytest.fixture
def log(database_url, tmp_path):
    space = Workspace.open(tmp_path, database_url)
    yield space.annotations(space.add_corpus("a", [ONE, TWO]))
    space.close()


def entity(log, document=ONE, index=0):
    return log.state(document).layer().mentions[index].entity


def test_undo_and_redo_walk_the_whole_history_across_documents(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna")
    log.append(TWO, SetEntity("g0", "B"), user="anna")
    log.append(ONE, SetEntity("g0", "C"), user="anna")
    assert [log.undo(user="anna").document for _ in range(3)] == ["1", "2", "1"]
    assert log.undo(user="anna") is None
    assert (entity(log), entity(log, TWO)) == (None, None)
    assert [log.redo(user="anna").document for _ in range(3)] == ["1", "2", "1"]
    assert log.redo(user="anna") is None
    assert (entity(log), entity(log, TWO)) == ("C", "B")


def test_a_clock_that_jumps_back_changes_no_order(log, monkeypatch):
    years = iter(range(2026, 1970, -1))
    monkeypatch.setattr("engine.store.annotations._now", lambda: f"{next(years)}-05-03T10:00:00+00:00")
    for name in ("A", "B"):
        log.append(ONE, SetEntity("g0", name), user="anna")
    assert [row.edit.entity for row in log.history(ONE.id)] == ["A", "B"] and entity(log) == "B"
    log.undo(user="anna")
    assert entity(log) == "A"


def test_a_fresh_edit_closes_the_way_back(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna")
    log.undo(user="anna")
    log.append(ONE, SetType("g0", "LOC"), user="anna")
    log.undo(user="anna")
    log.redo(user="anna")
    assert log.redo(user="anna") is None
    assert entity(log) is None


def test_undo_takes_back_only_the_users_own_edits(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna")
    log.append(ONE, SetEntity("g1", "B"), user="ben")
    log.undo(user="anna")
    assert (entity(log), entity(log, index=1)) == (None, "B")


def test_a_bulk_action_is_undone_as_one(log):
    log.append(ONE, Together((SetEntity("g0", "A"), SetEntity("g1", "B"))), user="anna")
    log.undo(user="anna")
    assert (entity(log), entity(log, index=1)) == (None, None)


def test_independent_edits_of_two_people_merge(log):
    seen = log.version("1")
    log.append(ONE, SetEntity("g0", "A"), user="anna", base=seen)
    log.append(ONE, SetEntity("g1", "B"), user="ben", base=seen)
    assert (entity(log), entity(log, index=1)) == ("A", "B")


def test_the_second_of_two_clashing_edits_sees_the_conflict_and_writes_nothing(log):
    seen = log.version("1")
    log.append(ONE, SetEntity("g0", "A"), user="anna", base=seen)
    with pytest.raises(EditConflict, match="anna") as conflict:
        log.append(ONE, SetEntity("g0", "B"), user="ben", base=seen)
    assert conflict.value.theirs[0].edit == SetEntity("g0", "A")
    assert entity(log) == "A"
    log.append(ONE, SetEntity("g0", "B"), user="ben", base=log.version("1"))
    assert entity(log) == "B"


def test_an_undo_by_another_is_a_conflict_too(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna")
    seen = log.version("1")
    log.undo(user="anna")
    with pytest.raises(EditConflict):
        log.append(ONE, SetEntity("g0", "B"), user="ben", base=seen)


def test_an_edit_that_does_not_fit_is_refused_and_not_logged(log):
    with pytest.raises(EditRefused):
        log.append(ONE, RemoveMention("g7"), user="anna")
    assert log.history() == []


def test_the_state_at_any_version_can_be_asked_for(log):
    first = log.append(ONE, SetEntity("g0", "A"), user="anna")
    log.append(ONE, SetEntity("g0", "B"), user="anna")
    assert log.state(ONE, upto=first).layer().mentions[0].entity == "A"
    assert log.state(ONE, upto=0).layer() == ONE.gold


def test_done_and_a_comment_leave_a_bag_as_it_came(bags):
    corpus = bags.corpora()[0].id
    bags.annotations(corpus).append(BAG, MarkDone(), user="anna")
    bags.annotations(corpus).append(BAG, Comment("", "sure?"), user="anna")
    assert bags.gold_documents(corpus) == [BAG]


TAKES_AN_ARGUMENT = [RemoveMention("g0"), SetSpan("g1", 1, 4), Together((SetType("g0", "PER"), RemoveMention("g1")))]


@pytest.mark.parametrize("edit", TAKES_AN_ARGUMENT)
def test_an_argument_of_a_bag_can_be_neither_removed_nor_moved(bags, edit):
    log = bags.annotations(bags.corpora()[0].id)
    with pytest.raises(EditRefused, match="the pair that the bag asks about"):
        log.append(BAG, edit, user="anna")
    assert log.history() == []


@pytest.mark.parametrize("edit", TAKES_AN_ARGUMENT)
def test_a_log_that_took_an_argument_before_that_was_refused_is_still_read(bags, edit):
    corpus = bags.corpora()[0].id
    log = bags.annotations(corpus)
    log.append(BAG, SetType("g1", "GPE"), user="anna")
    with bags._engine.begin() as connection:
        row = {"corpus": corpus, "document": BAG.id, "layer": GOLD, "user": "anna", "time": ""}
        connection.execute(database.edits.insert().values(**row, edit=json.dumps(to_json(edit))))
    (document,) = bags.gold_documents(corpus)
    assert [m.type for m in document.gold.mentions] == ["ORG", "GPE"] and document.bag == BAG.bag
    log.undo(user="anna")
    log.undo(user="anna")
    assert bags.gold_documents(corpus) == [BAG]


def test_an_annotators_own_layer_starts_empty_and_stays_apart(log):
    log.append(ONE, AddMention("a1", 0, 4, "LOC"), user="anna", layer="anna")
    assert len(log.state(ONE, layer="anna").layer().mentions) == 1
    assert log.state(ONE).layer() == ONE.gold
    assert log.edited_documents(layer="anna") == {"1"}


def test_an_own_layer_of_a_bag_starts_with_the_pair_and_can_be_frozen_and_read(bags):
    corpus = bags.corpora()[0].id
    log = bags.annotations(corpus)
    assert log.state(BAG, layer="anna").layer() == Layer(BAG.gold.mentions)
    log.append(BAG, SetLabel("capital of", True), user="anna", layer="anna")
    bags.freeze(corpus, "mine", user="anna", layer="anna")
    (mine,) = bags.gold_documents(corpus, "mine")
    assert mine.gold.labels == ("capital of",) and mine.bag == BAG.bag
    with pytest.raises(EditRefused, match="the pair that the bag asks about"):
        log.append(BAG, RemoveMention("g0"), user="anna", layer="anna")


def test_what_is_sent_twice_is_done_once(log):
    first = log.append(ONE, SetEntity("g0", "A"), user="anna", token="t1")
    log.append(ONE, SetEntity("g0", "B"), user="anna", token="t2")
    assert log.append(ONE, SetEntity("g0", "A"), user="anna", token="t1") == first
    assert entity(log) == "B"
    log.undo(user="anna", token="t3")
    assert log.undo(user="anna", token="t3") is None
    assert entity(log) == "A"


def test_what_comes_between_reading_and_writing_is_seen(log, monkeypatch):
    base, read = log.append(ONE, SetEntity("g1", "X"), user="bob"), log.history

    def meanwhile(*edits):
        """Bob is faster: he writes when the history has been read and the lock is not yet held."""

        def history(*args, **kwargs):
            rows = read(*args, **kwargs)
            monkeypatch.setattr(log, "history", read)
            for edit in edits:
                log.append(ONE, edit, user="bob")
            return rows

        monkeypatch.setattr(log, "history", history)

    meanwhile(SetEntity("g0", "B"))
    with pytest.raises(EditConflict):
        log.append(ONE, SetEntity("g0", "A"), user="anna", base=base)
    assert entity(log) == "B"
    meanwhile(RemoveMention("g1"))
    with pytest.raises(EditRefused):
        log.append(ONE, SetEntity("g1", "A"), user="anna")
    meanwhile(AddMention("b", 5, 9))
    log.append(ONE, SetEntity("b", "A"), user="anna")
    assert log.state(ONE).mentions["b"].entity == "A"


def test_a_bulk_action_is_one_undo_over_all_its_documents(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna")
    log.append_all([(ONE, SetEntity("g0", "B")), (TWO, SetEntity("g0", "B"))], user="anna")
    assert (entity(log), entity(log, TWO)) == ("B", "B")
    log.undo(user="anna")
    assert (entity(log), entity(log, TWO)) == ("A", None)
    log.redo(user="anna")
    assert (entity(log), entity(log, TWO)) == ("B", "B")
    log.undo(user="anna")
    log.undo(user="anna")
    assert (entity(log), entity(log, TWO)) == (None, None)
    assert log.undo(user="anna") is None


def test_a_bulk_action_with_one_edit_that_does_not_fit_writes_nothing(log):
    with pytest.raises(EditRefused):
        log.append_all([(ONE, SetEntity("g0", "B")), (TWO, RemoveMention("g7"))], user="anna")
    assert log.history() == []


def test_the_same_person_in_two_tabs_does_not_overwrite_either(log):
    log.append(ONE, SetEntity("g0", "A"), user="anna", base=0, token="tab1:1")
    log.append(ONE, SetEntity("g0", "B"), user="anna", base=0, token="tab1:2")  # its own queue, sent in a row
    with pytest.raises(EditConflict):
        log.append(ONE, SetEntity("g0", "C"), user="anna", base=0, token="tab2:1")


def test_of_many_at_once_on_the_same_version_exactly_one_is_written(log):
    wins, conflicts = [], []

    def write(name):
        try:
            wins.append(log.append(ONE, SetEntity("g0", name), user=name, base=0))
        except EditConflict:
            conflicts.append(name)

    threads = [threading.Thread(target=write, args=(f"p{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1 and len(conflicts) == 7 and len(log.history()) == 1


def test_who_edited_what_can_be_asked_without_reading_the_log(log):
    log.append(ONE, AddMention("a1", 0, 4, "LOC"), user="anna", layer="anna")
    last = log.append(TWO, SetEntity("g0", "B"), user="ben")
    assert (log.users(), log.layers()) == ({"anna", "ben"}, {"anna", GOLD})
    assert log.edited_documents() == {"1", "2"} and log.edited_documents(upto=last - 1) == {"1"}
    assert (log.version(), log.version("1"), log.version("2")) == (last, 0, last)


actions = st.lists(st.sampled_from(["edit", "bulk", "undo", "redo"]), max_size=30)


@settings(max_examples=100)
@given(actions)
def test_the_log_behaves_like_two_stacks(script):
    rows: list[LogRow] = []
    done: list[tuple[str, ...]] = []
    undone: list[tuple[str, ...]] = []

    def write(edits: list[object], undoes: list[int | None]) -> None:
        batch = f"b{len(rows)}" if len(edits) > 1 else None
        for edit, target in zip(edits, undoes, strict=True):
            rows.append(LogRow(len(rows) + 1, "1", GOLD, "anna", "", edit, target, None, batch))

    for action in script:
        undoable, redoable = stacks(rows, "anna")
        if action in ("edit", "bulk"):
            names = tuple(str(len(rows) + i) for i in range(1 if action == "edit" else 3))
            write([SetEntity("g0", name) for name in names], [None] * len(names))
            done.append(names)
            undone.clear()
        elif action == "undo" and undoable:
            write([None] * len(undoable[-1]), [row.number for row in undoable[-1]])
            undone.append(done.pop())
        elif action == "redo" and redoable:
            write([None] * len(redoable[-1]), [row.number for row in redoable[-1]])
            done.append(undone.pop())
        assert [edit.entity for edit in live(rows)] == sorted((name for names in done for name in names), key=int)


def annotate_until_killed(directory: Path, corpus: str, acknowledged: int) -> None:
    """Edit, write the edit's number to the pipe once it is in the log, and so on without end."""
    log = Workspace.open(directory, f"sqlite:///{directory}/espalier.db").annotations(corpus)
    number = log.version("1")
    while True:
        number = log.append(ONE, SetEntity("g0", f"E{number}"), user="anna")
        os.write(acknowledged, number.to_bytes(4, "big"))


def test_twenty_kills_at_random_moments_lose_no_acknowledged_edit(tmp_path):
    url = f"sqlite:///{tmp_path}/espalier.db"
    space = Workspace.open(tmp_path, url)
    corpus = space.add_corpus("a", [ONE])
    space.close()
    rng = random.Random(1)
    context = multiprocessing.get_context("spawn" if sys.platform == "darwin" else "fork")
    for _ in range(20):
        ours, theirs = os.pipe()
        worker = context.Process(target=annotate_until_killed, args=(tmp_path, corpus, theirs))
        worker.start()
        os.close(theirs)
        told = os.read(ours, 4)  # at least one edit is acknowledged
        time.sleep(rng.uniform(0, 0.03))
        worker.kill()
        worker.join()
        while more := os.read(ours, 4096):
            told += more
        os.close(ours)
        last = int.from_bytes(told[len(told) // 4 * 4 - 4 : len(told) // 4 * 4], "big")
        space = Workspace.open(tmp_path, url)
        rows = space.annotations(corpus).history("1")
        assert rows[-1].number >= last and [row.number for row in rows] == list(range(1, len(rows) + 1))
        space.close()
