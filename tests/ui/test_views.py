"""The packages of the pages have one shape: data.py computes, widgets.py draws, words.py speaks."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from tests.ui import harness
from ui.tab import pages

VIEWS = harness.ROOT / "ui" / "views"
NAMES = sorted(path.name for path in VIEWS.iterdir() if (path / "widgets.py").exists())


def imported(path: Path) -> set[str]:
    """Every module that the file imports, and every name it imports from one."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def test_every_page_has_its_package() -> None:
    """About is drawn by the package of Help."""
    assert {path.stem for path in (harness.ROOT / "pages").glob("*.py")} == {*NAMES, "about"}


@pytest.mark.parametrize("name", NAMES)
def test_the_words_of_a_page_begin_with_its_sentence(name: str) -> None:
    words = import_module(f"ui.views.{name}.words")
    assert 20 < len(words.SENTENCE) < 130 and words.SENTENCE.endswith(".")
    script = pages.script(name).read_text(encoding="utf-8")
    assert "words.SENTENCE" in script


@pytest.mark.parametrize("name", NAMES)
def test_what_is_computed_or_said_is_neither_drawn_nor_cached_nor_remembered(name: str) -> None:
    forbidden = {"streamlit", "ui.shell.cache", "ui.tab.session", "ui.shell.sidebar"}
    for file in ("data.py", "words.py"):
        path = VIEWS / name / file
        assert not path.exists() or not imported(path) & forbidden, path
