"""The documents of files in blocks: none is lost, ids do not repeat, and what a first look finds is so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.formats import jsonl
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.workbench.blocks import looking as module
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.cut import Cut
from engine.workbench.blocks.sources import matched
from engine.workers.hiring import workers_of


def linked(id: str, entity: str) -> Document:
    return Document(id, "Nero sang.", layers={GOLD: Layer((Mention(0, 4, entity=entity),))})


def ids_of(documents: Sequence[Document]) -> frozenset[str]:
    return frozenset({documents[0].id})


def written(path: Path, *documents: Document) -> Path:
    corpora.write(documents, path)
    return path


@given(
    sizes=st.lists(st.integers(0, 30), max_size=40),
    documents=st.integers(1, 9),
    characters=st.integers(1, 60),
)
def test_blocks_hold_all_items_in_order_and_no_more_than_they_may(
    sizes: list[int], documents: int, characters: int
) -> None:
    blocks = list(Cut(documents, characters).blocks(sizes, lambda size: size))
    assert [size for block in blocks for size in block] == sizes
    for block in blocks:
        assert 1 <= len(block) <= documents
        assert sum(block[:-1]) < characters


def test_an_id_that_comes_twice_is_named_with_its_file(tmp_path: Path) -> None:
    one = written(tmp_path / "a.jsonl", linked("t1", "Nero"), linked("t2", "Nero"))
    two = written(tmp_path / "b.jsonl", linked("t3", "Nero"), linked("t2", "Nero"))
    with pytest.raises(InputError, match=r"b\.jsonl: document 't2' is also in .*a\.jsonl"):
        len(Corpus((one, two)))
    both = written(tmp_path / "c.jsonl", linked("t1", "Nero"), linked("t1", "Nero"))
    with pytest.raises(InputError, match=r"c\.jsonl: document 't1' occurs twice"):
        len(Corpus((both,)))


@pytest.mark.parametrize("small", [1, 1000])
def test_a_large_corpus_is_not_held_and_reads_the_same(
    tmp_path: Path, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", small)
    documents = [linked(f"t{i}", f"E{i % 3}") for i in range(9)]
    found = Corpus((written(tmp_path / "a.jsonl", *documents),), asks=ids_of)
    assert (found.look.kept is None) == (small == 1)
    assert [one.id for one in found] == [one.id for one in documents] and len(found) == 9
    assert found.look.asked == {one.id for one in documents}
    assert all(found.has(one.id) for one in documents) and not found.has("t9")


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_that_look_at_a_large_corpus_find_the_same(
    tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [linked(f"t{i}", f"E{i % 3}") if i % 5 else Document(f"t{i}", "Rome burned.") for i in range(700)]
    path = written(tmp_path / "a.jsonl", *documents)
    small = Corpus((path,), asks=ids_of).look
    assert small.kept is not None and [one.id for one in small.kept] == [one.id for one in documents]
    monkeypatch.setattr(module, "SMALL", 10)
    large = Corpus((path,), asks=ids_of, workers=workers_of(jobs, None))
    assert large.look.kept is None
    assert (large.look.kinds, large.look.asked) == (small.kinds, small.asked)
    assert large.look.digests.tolist() == small.digests.tolist()
    assert all(isinstance(one, jsonl.Line) for one in large.unparsed()) and tuple(large) == small.kept


def test_a_line_that_workers_cannot_read_is_named_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL", 1)
    path = written(tmp_path / "a.jsonl", *(linked(f"t{i}", "Nero") for i in range(600)))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:400], '{"id": "broken"\n', *lines[400:]]))
    with pytest.raises(InputError, match=r"a\.jsonl, line 401: not JSON"):
        len(Corpus((path,), workers=workers_of(2, None)))


def test_predictions_in_any_order_are_matched_by_id(tmp_path: Path) -> None:
    gold = Corpus((written(tmp_path / "gold.jsonl", linked("a", "X"), linked("b", "X"), linked("c", "X")),))
    said = written(tmp_path / "said.jsonl", linked("c", "3"), linked("z", "9"), linked("a", "1"), linked("b", "2"))
    assert [(one.id, layer.mentions[0].entity) for one, layer in matched(gold, said)] == [
        ("a", "1"),
        ("b", "2"),
        ("c", "3"),
    ]
    few = written(tmp_path / "few.jsonl", linked("c", "3"))
    with pytest.raises(InputError, match=r"no prediction for document 'a' \(2 missing in all\)"):
        list(matched(gold, few))
    twice = written(tmp_path / "twice.jsonl", linked("a", "1"), linked("b", "2"), linked("a", "1"), linked("c", "3"))
    with pytest.raises(InputError, match="two predictions for document 'a'"):
        list(matched(gold, twice))
