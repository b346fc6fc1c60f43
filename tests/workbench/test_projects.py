"""Projects: documents are dealt out evenly, everybody's progress is seen, blind annotators see nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.data.document import Document, Layer, Mention
from engine.data.edits import AddMention, Comment, MarkDone, Resolve
from engine.data.errors import InputError
from engine.store.projects import Project
from engine.store.workspace import Workspace
from engine.workbench.adjudication import standings, take_everything
from engine.workbench.team.changes import changelog, version_changes
from engine.workbench.team.comments import comments
from engine.workbench.team.progress import dealt, overview, seconds_spent

DOCUMENTS = [Document(f"d{i}", "Ann lives in Oslo") for i in range(4)]


def space(folder: Path) -> Workspace:
    workspace = Workspace.open(folder, f"sqlite:///{folder}/espalier.db")
    workspace.add_corpus("c", DOCUMENTS)
    return workspace


@given(some.integers(1, 40), some.integers(1, 6), some.integers(0, 5), some.data())
def test_documents_are_dealt_out_evenly_and_each_to_as_many_as_asked(
    n: int, people: int, seed: int, data: some.DataObject
) -> None:
    each = data.draw(some.integers(1, people))
    names, ids = [f"p{i}" for i in range(people)], [f"d{i}" for i in range(n)]
    given_ = dealt(ids, names, each, seed=seed)
    assert all(len(set(who)) == each for who in given_.values()) and set(given_) == set(ids)
    load = Counter(name for who in given_.values() for name in who)
    assert max(load[name] for name in names) - min(load[name] for name in names) <= 1
    assert dealt(ids, names, each, seed=seed, before=given_) == given_, "what was dealt stays"


def test_pauses_are_no_work() -> None:
    times = [f"2026-11-18T10:{minute:02}:00+00:00" for minute in (0, 2, 3, 50)]
    assert seconds_spent(times) == 20 + 120 + 60 + 20 and seconds_spent([]) == 0


def test_roles_say_who_may_what() -> None:
    named = Project({"lea": "lead", "cem": "curator", "anna": "annotator"}, blind=True)
    assert [named.leads(who) for who in ("lea", "cem", "anna", "stranger")] == [True, False, False, False]
    assert [named.curates(who) for who in ("lea", "cem", "anna", "stranger")] == [True, True, False, False]
    assert [named.is_blind_to(who) for who in ("lea", "cem", "anna", "stranger")] == [False, False, True, True]
    assert Project().leads("me") and Project().curates("me") and not Project(blind=True).is_blind_to("me")


def test_a_project_is_kept_and_progress_and_agreement_are_seen(tmp_path: Path) -> None:
    workspace = space(tmp_path)
    members = {"lea": "lead", "anna": "annotator", "bob": "annotator"}
    workspace.set_up_project("c", members=members, blind=True, deadline="2026-12-01")
    workspace.assign("c", {"d0": ["anna", "bob"], "d1": ["anna"]})
    assert workspace.project("c") == Project(members, {"d0": ("anna", "bob"), "d1": ("anna",)}, True, "2026-12-01")
    log = workspace.annotations("c")
    for who in ("anna", "bob"):
        log.append(DOCUMENTS[0], AddMention(f"{who}1", 0, 3, "PER"), user=who, layer=who)
        log.append(DOCUMENTS[0], MarkDone(), user=who, layer=who)
    log.append(DOCUMENTS[1], AddMention("anna2", 0, 3, "PER"), user="anna", layer="anna")
    found = overview(log, DOCUMENTS, workspace.project("c"))
    assert {key: share.progress for key, share in found.shares.items()} == {
        ("anna", "d0"): "done",
        ("anna", "d1"): "begun",
        ("bob", "d0"): "done",
    }
    assert found.agreement == {"anna": 1.0, "bob": 1.0} and found.seconds("anna") > 0
    workspace.set_up_project("c", members={"lea": "lead", "bob": "annotator"})
    assert workspace.project("c").assigned == {"d0": ("bob",)}, "who left has nothing to do any more"
    workspace.remove_corpus("c")
    assert workspace.project("c") == Project()


def test_what_is_no_project_is_refused_in_words(tmp_path: Path) -> None:
    workspace = space(tmp_path)
    for members, says in (({"anna": "annotator"}, "lead"), ({"lea": "boss"}, "role"), ({"gold": "lead"}, "name")):
        with pytest.raises(InputError, match=says):
            workspace.set_up_project("c", members=members)
    with pytest.raises(InputError, match="not a date"):
        workspace.set_up_project("c", members={"lea": "lead"}, deadline="soon")
    workspace.set_up_project("c", members={"lea": "lead"})
    with pytest.raises(InputError, match="not a member"):
        workspace.assign("c", {"d0": ["bob"]})
    with pytest.raises(InputError, match="no document"):
        workspace.assign("c", {"d9": ["lea"]})


def test_a_corpus_is_adjudicated_as_one_action_and_only_done_documents_are_gold(tmp_path: Path) -> None:
    workspace = space(tmp_path)
    log = workspace.annotations("c")
    for who, kind in (("anna", "PER"), ("bob", "PER")):
        for document in DOCUMENTS[:3]:
            log.append(document, AddMention(f"{who}{document.id}", 0, 3, kind), user=who, layer=who)
    log.append(DOCUMENTS[2], AddMention("anna9", 13, 17, "LOC"), user="anna", layer="anna")
    assert take_everything(log, standings(log, DOCUMENTS, ["anna", "bob"]), "all", "cem") == 3
    done = workspace.gold_documents("c", only_done=True)
    assert [document.id for document in done] == ["d0", "d1"], "d2 has an open question, d3 nobody touched"
    assert [m.extra["agreed"] for m in done[0].gold.mentions] == [["anna", "bob"]]
    workspace.freeze("c", "v1", user="cem")
    found = version_changes(log, DOCUMENTS, 0, workspace.version("c", "v1").upto, layer="gold")
    assert [(one.document, one.what, one.after, one.by) for one in found] == [
        (id, "added", "“Ann” · PER", "cem") for id in ("d0", "d1", "d2")
    ]
    assert "3 added, 0 removed, 0 changed." in changelog(found, "the import", "v1")
    log.undo(user="cem")
    assert workspace.gold_documents("c", only_done=True) == [] and workspace.gold_documents("c")[0].gold == Layer()
    assert len(workspace.gold_documents("c", "v1", only_done=True)) == 2, "frozen stays"
    gone = version_changes(log, DOCUMENTS, workspace.version("c", "v1").upto, log.version(), layer="gold")
    assert {(one.what, one.by) for one in gone} == {("removed", "cem")}


def test_comments_are_listed_over_the_corpus_with_what_they_are_about(tmp_path: Path) -> None:
    workspace = space(tmp_path)
    log = workspace.annotations("c")
    log.append(DOCUMENTS[0], AddMention("m", 0, 3), user="anna")
    log.append(DOCUMENTS[0], Comment("m", "who?", "1", "anna", "2026-11-18T10:00:00"), user="anna")
    log.append(DOCUMENTS[1], Comment("", "spam", "2", "bob", "2026-11-18T11:00:00"), user="bob", layer="bob")
    log.append(DOCUMENTS[1], Resolve(""), user="bob", layer="bob")
    assert [(one.document, one.about, one.author, one.resolved) for one in comments(log, DOCUMENTS)] == [
        ("d1", "the document", "bob", True),
        ("d0", "Ann", "anna", False),
    ]
    (noted,) = workspace.gold_documents("c", comments=True)[0].gold.mentions
    assert noted.extra["comments"][0] == {
        "author": "anna",
        "time": "2026-11-18T10:00:00",
        "text": "who?",
        "resolved": False,
    }
    assert workspace.gold_documents("c")[0].gold.mentions == (Mention(0, 3),), "not part of the annotation itself"


def test_a_text_that_nobody_looked_at_is_not_learnt_as_a_text_without_names(tmp_path: Path) -> None:
    workspace = space(tmp_path)
    log = workspace.annotations("c")
    assert workspace.learnable_documents("c") == []
    log.append(DOCUMENTS[0], AddMention("a", 0, 3, "PER"), user="anna")
    log.append(DOCUMENTS[1], MarkDone(True), user="anna")

    def learnt(corpus: str, only_done: bool) -> list[str]:
        return [document.id for document in workspace.learnable_documents(corpus, only_done=only_done)]

    assert learnt("c", False) == ["d0", "d1"], "edited, or done without a name in it"
    assert learnt("c", True) == ["d1"]
    # A corpus that came with gold is gold as a whole, until somebody sets marks in it.
    gold = [one.with_layer("gold", Layer((Mention(0, 3, type="PER"),))) for one in DOCUMENTS[:2]]
    workspace.add_corpus("with gold", [*gold, DOCUMENTS[2]])
    assert learnt("with-gold", False) == learnt("with-gold", True) == ["d0", "d1", "d2"]
    workspace.annotations("with-gold").append(gold[0], MarkDone(True), user="anna")
    assert learnt("with-gold", False) == ["d0", "d1", "d2"] and learnt("with-gold", True) == ["d0"]
