"""Large corpora: documents read page by page are those that were added, and searches find what is there."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from engine.corpora import data_hash
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.edits import AddMention
from engine.data.errors import InputError
from engine.store import corpora
from engine.store.large import incoming, paged, search, spooled
from engine.store.large.paged import PagedDocuments, Positions
from engine.store.large.room import Room
from engine.store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, database_url: str) -> Workspace:
    return Workspace.open(tmp_path, database_url)


def _documents(n: int) -> list[Document]:
    return [Document(f"d{i}", f"Text number {i} of Łódź.", layers={GOLD: Layer((Mention(0, 4),))}) for i in range(n)]


def test_pages_hold_what_was_added_and_what_was_edited(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged, "PAGE", 3)
    monkeypatch.setattr(paged, "STRIDE", 4)
    monkeypatch.setattr(paged, "KEPT_CHARACTERS", 100)
    added = _documents(11)
    corpus = workspace.add_corpus("many", added)
    found = PagedDocuments(workspace, corpus, 11)
    assert list(found) == added and [found[i] for i in range(-11, 11)] == [added[i] for i in range(-11, 11)]
    assert list(found[2:9]) == added[2:9] and list(found[9:2:-3]) == added[9:2:-3]
    assert found.at([7, 0]) == [added[7], added[0]] and found.edited() == []
    with pytest.raises(IndexError):
        found[11]
    log = workspace.annotations(corpus)
    log.append(added[5], AddMention("m", 5, 11, "N"), user="a")
    now = PagedDocuments(workspace, corpus, 11, upto=log.version())
    later = log.version()
    log.append(added[6], AddMention("m", 5, 11, "N"), user="a")
    assert len(now[5].gold.mentions) == 2 and now[6] == added[6], "gold is as it stood after one edit"
    assert now.edited() == [(added[5], now[5])] and list(now) == workspace_gold(workspace, corpus, later, added)
    assert list(found) == added


def workspace_gold(workspace: Workspace, corpus: str, upto: int, added: list[Document]) -> list[Document]:
    log = workspace.annotations(corpus)
    return [state.document(one) if state.mentions else one for one, state in log.states(added, upto=upto)]


def test_positions_are_asked_of_the_database(workspace: Workspace) -> None:
    added = _documents(5)
    corpus = workspace.add_corpus("many", added)
    workspace.add_corpus("other", [dataclasses.replace(added[0], id="x")])
    found = Positions(workspace, corpus, 5)
    assert dict(found) == {one.id: i for i, one in enumerate(added)} and "x" not in found and len(found) == 5
    assert workspace.positions_of(corpus, ["d3", "x", "d1", "d3"]) == {"d3": 3, "d1": 1}
    assert workspace.ids_at(corpus, [3, 1]) == ["d3", "d1"] and workspace.document_ids(corpus, 1, 3) == ["d1", "d2"]
    assert workspace.size_of(corpus) > sum(len(one.text) for one in added)


def test_positions_are_found_for_more_ids_than_a_database_takes_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "AT_ONCE", 2)
    corpus = workspace.add_corpus("many", _documents(7))
    assert workspace.positions_of(corpus, [f"d{i}" for i in range(6, 0, -1)]) == {f"d{i}": i for i in range(1, 7)}
    assert workspace.positions_of(corpus, []) == {}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("london", [0]),
        ("LOND", [0]),
        ("ondon", []),
        ("paris met", [1]),
        ("doc-2", [2]),
        ("zurich", [2]),
        ("京都", [3]),
        ("東京都", [3]),
        ("都京", []),
        ('"', []),
        ("met OR london", []),
        ("met* NEAR(", []),
        ("m", [1, 2]),
        ("don't", [2]),
    ],
)
def test_a_search_wants_every_word(tmp_path: Path, words: str, expected: list[int]) -> None:
    texts = ["Back in London.", "They met in Paris", "Zürich, if you don't mind", "東京都の人"]
    search.build(tmp_path / "search.db", ((f"doc-{i}", text) for i, text in enumerate(texts)))
    assert search.find(tmp_path / "search.db", words).tolist() == expected


def test_results_appear_whole_or_not_at_all_and_the_oldest_go(tmp_path: Path) -> None:
    room = Room(tmp_path / "computed", most_bytes=2500)
    with pytest.raises(ZeroDivisionError), room.making("a") as folder:
        (folder / "x").write_bytes(b"half")
        _ = 1 / 0
    assert room.folder("a") is None and not list(room.directory.iterdir())
    for name in "abc":
        with room.making(name) as folder:
            (folder / "x").write_bytes(b"0" * 1000)
        if name == "b":
            assert room.folder("a") is not None, "used again, so b is the older one"
    assert room.folder("b") is None and room.folder("a") is not None and room.folder("c") is not None
    with room.making("a") as folder:
        (folder / "x").write_bytes(b"later")
    kept = room.folder("a")
    assert kept is not None and (kept / "x").read_bytes() == b"0" * 1000, "who is first stays"


def test_what_was_computed_of_a_corpus_goes_with_it(tmp_path: Path) -> None:
    room = Room(tmp_path)
    keys = [("survey", "abc"), ("curve", "run", "c", "abc-3"), ("survey", "abcd")]
    for key in keys:
        with room.making(*key):
            pass
    (tmp_path / "0.999999999.x.part").mkdir()
    (tmp_path / f"0.{os.getpid()}.x.part").mkdir()
    room.forget("abc")
    room.sweep()
    assert [room.folder(*key) is not None for key in keys] == [False, False, True]
    assert [one.name for one in tmp_path.glob("*.part")] == [f"0.{os.getpid()}.x.part"], "somebody works on this one"


def test_a_corpus_is_added_from_a_stream(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "IN_MEMORY", 100)
    monkeypatch.setattr(incoming, "AT_ONCE", 2)
    added = _documents(7)
    corpus = workspace.add_corpus("many", iter(added))
    info = workspace.corpus(corpus)
    assert workspace.documents(corpus) == added and (info.n_documents, info.hash) == (7, data_hash(added))
    with pytest.raises(InputError, match="two documents have the id 'd3'"):
        workspace.add_corpus("twice", iter([*added, added[3]]))
    assert [one.id for one in workspace.corpora()] == [corpus]


def test_many_documents_wait_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    added = [*_documents(6), Document("half", "x\u2028y\ny", layers={"other": Layer()})]
    assert spooled.gathered(iter(added)) == tuple(added)
    monkeypatch.setattr(spooled, "FEW", 3)
    found = spooled.gathered(iter(added))
    assert isinstance(found, spooled.SpooledDocuments) and list(found) == added and len(found) == 7
    assert found[-1] == added[-1] and found[2] == added[2] and list(found[1:5:2]) == added[1:5:2]
    with pytest.raises(IndexError):
        found[7]
