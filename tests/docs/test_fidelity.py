"""The page that answers the review of fidelity names tests that there are, and every mutant that it speaks of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "theory" / "fidelity.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:tests/)?[\w/]*test_\w+\.py)(?:::(\w+))?`", PAGE)))


def test_the_page_names_many_tests() -> None:
    assert len(NAMED) > 40


@pytest.mark.parametrize(("file", "function"), NAMED)
def test_a_named_test_is_there(file: str, function: str) -> None:
    found = [path for path in (ROOT / "tests").rglob(Path(file).name) if path.as_posix().endswith(file)]
    assert found, "no such file"
    assert not function or any(f"def {function}(" in path.read_text(encoding="utf-8") for path in found)


def test_every_row_has_an_answer() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line]
    assert [row[0] for row in rows if len(row) < 2 or not row[1].strip()] == []
