"""A second try is said, and does not turn a test that fails twice into one that passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import second_try

FLAKY = """
from pathlib import Path

import pytest

@pytest.mark.parametrize("name", ["a", "b"])
def test_flaky(name):
    seen = Path(__file__).with_name(f"seen-{name}")
    assert seen.exists() or seen.touch()

def test_sound():
    pass
"""
BROKEN = "def test_broken():\n    assert False\n"

Tried = Callable[..., tuple[int, str]]


@pytest.fixture
def tried(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tried:
    """Runs it on files with this content; its exit code, and its last line."""
    # Hypothesis alone takes as long to load as all the rest.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*sources: str, more: tuple[str, ...] = ()) -> tuple[int, str]:
        for number, source in enumerate(sources):
            (tmp_path / f"test_{number}.py").write_text(source)
        note = tmp_path / "note.txt"
        code = second_try.main(["--note", str(note), "-q", "--rootdir", str(tmp_path), *more, str(tmp_path)])
        line = capfd.readouterr().out.splitlines()[-1]
        assert note.read_text().splitlines() == [line]
        return code, line

    return run


def test_where_all_pass_nothing_is_run_again(tried: Tried) -> None:
    assert tried("def test_sound():\n    pass\n") == (0, "no browser test needed a second try")


def test_what_passes_the_second_time_is_counted_and_named(tried: Tried) -> None:
    code, line = tried(FLAKY, more=("-p", "xdist", "-n", "2", "--dist", "loadfile"))
    assert code == 0
    assert line == "2 browser tests needed a second try: test_0.py::test_flaky[a], test_0.py::test_flaky[b]"


def test_what_fails_twice_fails(tried: Tried) -> None:
    code, line = tried(BROKEN, FLAKY)
    assert code == 1
    assert line.startswith("2 browser tests needed a second try: ")
    assert line.endswith("; 1 browser test failed twice: test_0.py::test_broken")


def test_a_file_that_cannot_be_imported_is_not_tried_again(tried: Tried) -> None:
    code, line = tried("import nothing_of_the_kind\n")
    assert code == 2
    assert line == "the browser tests were not run to their end (pytest's exit code 2)"
