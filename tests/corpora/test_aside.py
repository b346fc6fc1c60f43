"""What is put aside comes back as it was, in its order; and whoever reads a large file holds no more than of a small
one."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.io.aside import Aside, DocumentsAside
from engine.corpora.scores.importers import import_file
from engine.corpora.scores.importers.reading import Asked
from engine.data.document import Document, Layer, Mention
from engine.tasks.outside.records import scored_documents

NAMES = st.sampled_from(["a", "b", "", "\x00", "é", "a\x00b"])
ACTIONS = st.lists(st.tuples(st.sampled_from(["keep", "take", "lines"]), NAMES, st.text(max_size=5)), max_size=30)


@given(ACTIONS)
def test_lines_come_back_as_a_dictionary_of_lists_would_give_them(
    actions: list[tuple[str, str, str]],
) -> None:
    aside, wanted = Aside(), dict[str, list[str]]()
    for what, name, line in actions:
        if what == "keep":
            line = line.encode("utf-8", "ignore").decode()
            aside.keep(name, line)
            wanted.setdefault(name, []).append(line)
        elif what == "take":
            assert aside.take(name) == wanted.pop(name, [])
        assert aside.lines(name) == wanted.get(name, [])
        assert (name in aside) == (name in wanted)
    assert list(aside.names()) == list(wanted) and len(aside) == len(wanted)


def test_documents_are_found_by_id_and_the_first_of_an_id_counts() -> None:
    first = Document("a", "Rome fell.", layers={"gold": Layer((Mention(0, 4, entity="Rome"),))})
    kept = DocumentsAside([first, Document("b", "Nero sang."), Document("a", "Ada left.")])
    assert list(kept) == ["a", "b"] and kept["a"].text == "Rome fell." and kept["a"].gold == first.gold
    assert kept.get("c") is None and 7 not in kept
    assert kept.pop("a") is not None and kept.pop("a") is None and list(kept) == ["b"]


WORDS = " ".join(f"Name{i}" for i in range(400))


def texts(n: int) -> Iterator[Document]:
    return (Document(f"d{i}", WORDS) for i in range(n))


def antecedents(folder: Path, n: int) -> Path:
    return _lines(folder / "a.jsonl", ({"id": f"d{i}", "mentions": [[0, 5]], "scores": [[0.0]]} for i in range(n)))


def neleval(folder: Path, n: int) -> Path:
    path = folder / "a.neleval"
    # The rows of a document do not stand together.
    rows = (f"d{i}\t{6 * k}\t{6 * k + 4}\tE{k}\t0.5\tT\n" for k in range(5) for i in range(n))
    return _written(path, rows)


def _lines(path: Path, records: Iterator[Any]) -> Path:
    return _written(path, (json.dumps(record) + "\n" for record in records))


def _written(path: Path, lines: Iterator[str]) -> Path:
    """One by one: what the test itself holds is measured too."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)
    return path


@pytest.mark.parametrize("written", [antecedents, neleval])
def test_importing_ten_times_as_much_holds_no_more(written: Callable[[Path, int], Path], tmp_path: Path) -> None:
    def imported(n: int) -> int:
        path = written(tmp_path, n)
        corpora.write(texts(n), tmp_path / "data.jsonl")
        asked = Asked([tmp_path / "data.jsonl"])
        return sum(1 for _ in import_file(written.__name__, path, asked))

    _holds_no_more(imported)


def test_scores_in_another_order_than_the_data_hold_no_more(tmp_path: Path) -> None:
    part = {"start": 0, "end": 5, "entity": "E", "score": 1.0}

    def matched(n: int) -> int:
        backwards = ({"id": f"d{i}", "scale": "logit", "parts": [part] * 40} for i in reversed(range(n)))
        path = _lines(tmp_path / "s.jsonl", backwards)
        return sum(1 for _ in scored_documents(path, texts(n), lambda _: True))

    _holds_no_more(matched)


def _holds_no_more(work: Callable[[int], int], few: int = 100) -> None:
    """The most that Python holds at once, of few documents and of ten times as many: it grows by less than a tenth of
    the text that was added, for Python keeps some small things to use them again."""
    work(few)
    peaks = []
    for n in (few, 10 * few):
        tracemalloc.start()
        try:
            assert work(n) == n
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] - peaks[0] < 0.1 * 9 * few * len(WORDS)
