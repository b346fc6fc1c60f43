"""The guide as a site: pages that are made from the code are up to date, the site builds and asks nobody for anything,
and the notebooks run."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def writer():
    spec = importlib.util.spec_from_file_location("write_reference", ROOT / "docs" / "write_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("page", ["glossary.md", "reference.md"])
def test_a_page_made_from_the_code_is_what_the_code_says(page: str) -> None:
    kept = (ROOT / "docs" / "guide" / page).read_text(encoding="utf-8")
    assert str(writer().PAGES[page]() == kept) == "True", "run `python docs/write_reference.py`"


def test_every_page_of_the_site_is_there() -> None:
    listed = re.findall(r"^ +- ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) > 20
    assert [name for name in listed if not (ROOT / "docs" / name).is_file()] == []


@pytest.mark.slow
def test_the_site_is_built_and_asks_no_other_machine(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        check=True,
    )
    loaded = re.compile(
        r"<(?:script|img|iframe)[^>]+src=\"(?:https?:)?//|<link[^>]+rel=\"(?:stylesheet|preconnect)\"[^>]+//"
    )
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    assert [page.name for page in pages if loaded.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_the_root_of_the_checkout(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    exec(compile(code, notebook.name, "exec"), {"__name__": notebook.stem})


def test_there_are_three_notebooks() -> None:
    assert len(NOTEBOOKS) == 3
