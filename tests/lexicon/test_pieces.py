"""A lexicon in pieces answers every question as one in one piece does, and so does each of its parts."""

from __future__ import annotations

from pathlib import Path

import marisa_trie
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lexicon import build as building
from engine.lexicon.aliases import title_aliases
from engine.lexicon.assembling import assemble
from engine.lexicon.build import build
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.names import Grouped, Names, Waiting, piece_of
from engine.lexicon.pieces import assemble_in_pieces

words = st.lists(st.sampled_from(["new", "york", "giants", "fc", "été", "u.s.", "a", "bo-bo"]), min_size=1, max_size=4)
surfaces = words.map(" ".join)
titles = words.map(lambda parts: " ".join(part.capitalize() for part in parts))
tags = st.sampled_from([("wikipedia",), ("title", "wikipedia"), ("wikidata_alias",)])
readings = st.lists(st.tuples(titles, st.integers(0, 9), tags), max_size=4)
rows = st.fixed_dictionaries(
    {}, optional={"in_count": st.just(3.0), "types": st.just(["town"]), "links": st.lists(titles, max_size=3)}
)


def answers(lexicon: Lexicon, asked: list[str]) -> list[object]:
    """Everything that the lexicon says of these names, with titles in the place of numbers."""
    said: list[object] = [len(lexicon), sorted(lexicon.surfaces.iterkeys()), len(lexicon.entities)]
    for name in asked:
        postings = [(lexicon.entities.title(one.entity), one.count, one.tags) for one in lexicon.postings(name)]
        aliases = sorted((lexicon.entities.title(entity), kind) for entity, kind in lexicon.alias_matches(name))
        squeezed = sorted(lexicon.squeezed_matches(name.replace(" ", "")))
        prefixes = lexicon.surfaces.prefixes(name), lexicon.squeezed.prefixes(name)
        said += [name in lexicon, postings, aliases, squeezed, prefixes, lexicon.matches(name), lexicon.search(name)]
        number = lexicon.entities.number(name)
        said.append(lexicon.entities.entity(number).types if number >= 0 else None)
    return said


@given(
    records=st.lists(st.tuples(surfaces, readings), max_size=8),
    entities=st.dictionaries(titles, rows, max_size=3),
    pieces=st.integers(1, 4),
)
def test_pieces_answer_as_one_lexicon(tmp_path_factory, records, entities, pieces):
    folder = tmp_path_factory.mktemp("lexicon")
    whole = assemble(lambda: records, entities)
    cut = assemble_in_pieces(lambda: records, entities, pieces)
    cut.save(folder / "cut")
    found = [title for _, own in records for title, _, _ in own]
    short = [alias for title in (*found, *entities) for alias, _ in title_aliases(title)]
    asked = [*dict.fromkeys([*(surface for surface, _ in records), *found, *entities, *short, "no"])]
    expected = answers(whole, asked)
    assert answers(cut, asked) == expected
    assert cut.sieve.tolist() == whole.sieve.tolist()
    assert answers(Lexicon.open(folder / "cut"), asked) == expected, "mapped"
    assert cut.pieces == dict.fromkeys(("surfaces", "squeezed", "aliases", "titles"), pieces)


@given(names=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4)))
def test_several_tries_are_one(names):
    pieces = [marisa_trie.Trie([name for name in names if piece_of(name, 3) == piece]) for piece in range(3)]
    found, one = Names(pieces), marisa_trie.Trie(names)
    assert len(found) == len(one) and sorted(found.iterkeys()) == sorted(one.iterkeys())
    numbers = [found[name] for name in set(names)]
    assert sorted(numbers) == list(range(len(one)))
    assert all(found.restore_key(found[name]) == name for name in names)
    for text in [*names, "".join(names), "ab", ""]:
        assert (text in found) == (text in one) and (found.get(text) is None) == (text not in one)
        assert sorted(found.prefixes(text)) == sorted(one.prefixes(text))
        assert sorted(found.iterkeys(text)) == sorted(one.iterkeys(text))
    with pytest.raises(KeyError):
        found.restore_key(len(found))
    with pytest.raises(KeyError):
        found["\uffff no name"]


@given(data=st.data())
def test_rows_are_grouped_by_their_names_in_the_order_in_which_they_come(tmp_path_factory, data):
    names = Names([marisa_trie.Trie(["a", "b"]), marisa_trie.Trie([]), marisa_trie.Trie(["c", "d", "e"])])
    blocks = data.draw(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=5), max_size=4))
    grouped = Grouped(tmp_path_factory.mktemp("rows"), "rows", names, (np.int16,))
    for block in blocks:
        owners, values = np.array(block, dtype=np.int64).reshape(-1, 2).T
        grouped.add(owners, values)
    offsets, values = grouped.offsets_and_columns()
    told = [values[offsets[n] : offsets[n + 1]].tolist() for n in range(5)]
    assert told == [[value for block in blocks for owner, value in block if owner == n] for n in range(5)]


@pytest.mark.parametrize("held", [1, 3, 1000])
def test_names_wait_with_their_numbers(held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.lexicon.names.HELD", held)
    waiting = Waiting(tmp_path, "x", 2)
    added = [("a", 1), ("b\n", 2), ("été", 3), ("a", 4), ("", 5)]
    for name, number in added:
        waiting.add(name, number)
    pieces = [list(zip(*piece, strict=True)) for piece in waiting.pieces()]
    assert pieces == [[one for one in added if piece_of(one[0], 2) == piece] for piece in range(2)]


def test_a_large_file_is_built_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f'{{"surface": "name {n}", "entities": [["Name_{n % 7}", {n}, ["wiki"]]]}}\n' for n in range(50)]
    (tmp_path / "s.jsonl").write_text("".join(lines), encoding="utf-8")
    whole = build([tmp_path])
    monkeypatch.setattr(building, "PIECE", 1000)
    cut = build([tmp_path])
    assert not whole.pieces and cut.pieces["surfaces"] == 1 + sum(map(len, lines)) // 1000
    asked = [f"name {n}" for n in range(50)]
    assert answers(cut, asked) == answers(whole, asked)
