"""The documents of files in blocks: none is lost, ids do not repeat, and what a first look finds is so."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import corpora
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.workbench.blocks import corpus as module
from engine.workbench.blocks.corpus import Corpus, Cut
from engine.workbench.blocks.sources import matched


def linked(id: str, entity: str) -> Document:
    return Document(id, "Nero sang.", layers={GOLD: Layer((Mention(0, 4, entity=entity),))})


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
    found = Corpus((written(tmp_path / "a.jsonl", *documents),), asks=lambda some: frozenset({some[0].id}))
    assert (found.look.kept is None) == (small == 1)
    assert [one.id for one in found] == [one.id for one in documents] and len(found) == 9
    assert found.look.asked == {one.id for one in documents}
    assert all(found.has(one.id) for one in documents) and not found.has("t9")


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
