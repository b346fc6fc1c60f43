"""Work that was interrupted goes on after the last finished block, and only where it is the same work."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.tally import Tally
from engine.workbench.blocks.cut import Cut
from engine.workbench.blocks.journal import Journal, fingerprint
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workers.base import Places, as_named

ITEMS = [(Document(f"d{i}", "x" * i), None) for i in range(10)]


class Nothing:
    files: tuple[Path, ...] = ()

    def make(self, places: Places = as_named) -> None:
        return None


class Measuring:
    """The length of every text; interrupted at a document, if one is named."""

    def __init__(self, until: str | None = None) -> None:
        self.until = until
        self.seen: list[str] = []

    def __call__(self, made: object, items: list[tuple[Document, None]]) -> Portion:
        if any(document.id == self.until for document, _ in items):
            raise KeyboardInterrupt
        self.seen += [document.id for document, _ in items]
        tally = Tally(Counter({("documents",): len(items), ("letters", "x"): sum(len(d.text) for d, _ in items)}))
        tally.extend("lengths", np.array([float(len(document.text)) / 3 for document, _ in items]))
        tally.facts["unit"] = "characters"
        documents = tuple(document for document, _ in items)
        records = tuple({"id": one.id} for one in documents)
        return Portion(len(items), {"t": tally}, documents, records, "".join(one.text for one in documents).encode())


def portions(work: Measuring, journal: Journal | None) -> list[Portion]:
    return list(Running(cut=Cut(documents=3), journal=journal).portions(work, Nothing(), ITEMS))


def plain(found: list[Portion]) -> list[object]:
    return [
        (
            one.n_documents,
            one.documents,
            one.records,
            one.rendered,
            tally.counts,
            tally.facts,
            tally.column("lengths").tolist(),
        )
        for one in found
        for tally in one.tallies.values()
    ]


def test_it_goes_on_after_the_last_finished_block(tmp_path: Path) -> None:
    first, second = Measuring(until="d7"), Measuring()
    with pytest.raises(KeyboardInterrupt):
        portions(first, Journal(tmp_path / "j", "work"))
    assert first.seen == ["d0", "d1", "d2", "d3", "d4", "d5"]
    found = portions(second, Journal(tmp_path / "j", "work"))
    assert second.seen == ["d6", "d7", "d8", "d9"]
    assert plain(found) == plain(portions(Measuring(), None))


def test_what_is_done_leaves_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j", "work")
    portions(Measuring(), journal)
    Running(journal=journal).done()
    assert not (tmp_path / "j").exists()


def test_blocks_of_other_work_are_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "j", "work")
    with pytest.raises(InputError, match="other work"):
        Journal(tmp_path / "j", "another")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(InputError, match="holds something else"):
        Journal(tmp_path / "mine", "work")


def test_work_is_the_same_only_if_options_and_files_are(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text("one")
    before = fingerprint({"bias": 1.0}, [path])
    assert fingerprint({"bias": 1.0}, [path]) == before != fingerprint({"bias": 2.0}, [path])
    path.write_text("two")
    assert fingerprint({"bias": 1.0}, [path]) != before
