"""Bars of commands that read files without knowing how much is in them tell the remaining time from their sizes."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.cli import progress
from engine.corpora.io import files
from engine.data.progress import Progress
from engine.lexicon.build import build


def written(path: Path, n: int) -> Path:
    content = "".join(f"{number} {number * number}\n" for number in range(n)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_the_share_that_was_read_grows_to_1(name: str, tmp_path: Path) -> None:
    first, second = written(tmp_path / name, 90_000), written(tmp_path / f"2{name}", 90_000)
    shares = []
    with Progress([first, second]) as watched:
        for path in (first, second):
            shares += [watched.share for number, _ in files.lines(path) if number % 10_000 == 0]
    assert shares == sorted(shares) and 0 < shares[0] < shares[8] < 0.6 < shares[-1] == watched.share == 1
    list(files.lines(written(tmp_path / "other.txt", 9)))
    assert watched.share == 1, "other files do not count, nor what is read later"


def test_a_file_that_is_read_again_counts_again(tmp_path: Path) -> None:
    path = written(tmp_path / "x.txt", 90_000)
    with Progress([path]) as watched:
        list(files.lines(path))
        assert watched.share == 1
        begun = [watched.share for number, _ in files.lines(path) if number == 1]
    assert 0 < begun[0] < 1 == watched.share


@pytest.mark.parametrize("name", ["s.jsonl", "s.jsonl.gz"])
def test_the_rows_of_a_lexicon_count(name: str, tmp_path: Path) -> None:
    rows = [f'{{"surface": "name {number}", "entities": [["Title", 1, ["wiki"]]]}}\n' for number in range(9_000)]
    path, content = tmp_path / name, "".join(rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    shares = []
    with Progress([path]) as watched:

        def watch(things, stage):  # type: ignore[no-untyped-def]
            for thing in things:
                shares.append(watched.share)
                yield thing

        build([tmp_path], watch)
    assert 0 < shares[0] < 1 == shares[8_999]


class Shown:
    """A bar that is drawn at every item."""

    def __init__(self) -> None:
        self.n, self.total, self.totals = 0, 0, []

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self.totals.append(self.total)

    def update(self) -> bool:
        self.n += 1
        self.totals.append(self.total)
        return True


def test_a_bar_expects_as_many_items_as_the_rest_of_the_file_should_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, shown = written(tmp_path / "x.txt", 90_000), Shown()
    monkeypatch.setattr(progress, "bar", lambda items, doing, **how: shown)
    with progress.reading_bar(files.lines(path), "reading", [path]) as items:
        found = list(items)
    assert len(found) == shown.n == shown.totals[-1] == 90_000
    assert shown.totals[0] is None
    half = shown.totals[45_000]
    assert half is not None and 80_000 < half < 100_000
