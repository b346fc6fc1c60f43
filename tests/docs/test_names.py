"""What the documentation names exists: files, modules, functions, pages behind links. And it can be read on paper."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(ROOT.glob("docs/**/*.md"))
ROOMS = (ROOT, ROOT / "engine", ROOT / "ui", ROOT / "ui" / "components")
"""Where a path may start; walks through the code leave out the first folder."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def quoted(page: Path) -> set[str]:
    """What stands between backticks on one line."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


def spelled_out(path: str) -> Iterator[str]:
    """a/{b,c} as a/b and a/c."""
    pieces = [piece.split(",") for piece in re.split(r"\{([^}]*)\}", path)]
    literal = [[",".join(piece)] if i % 2 == 0 else piece for i, piece in enumerate(pieces)]
    return ("".join(one) for one in product(*literal))


def exists(path: str) -> bool:
    """A file, a folder or a module of ours; <name> and * stand for anything."""
    pattern = re.sub(r"<[^>]*>", "*", path).rstrip("/")
    return any(list(room.glob(pattern)) or list(room.glob(f"{pattern}.py")) for room in ROOMS)


def is_path(text: str) -> bool:
    # What begins with a slash is an address that is served.
    if not re.fullmatch(r"[\w<>*{},-][\w<>*{},./-]*", text) or "/" not in text.rstrip("/"):
        return False
    first = text.split("/")[0]
    return any((room / first).is_dir() for room in ROOMS)


@pages
def test_every_path_that_is_named_exists(page: Path) -> None:
    paths = [path for text in quoted(page) if is_path(text) for path in spelled_out(text)]
    assert [path for path in paths if not exists(path)] == []


def found(name: str) -> bool:
    """Whether a dotted name is a module of ours, or something in one."""
    module, rest = name, []
    while module:
        try:
            thing = importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is not None and error.name.partition(".")[0] not in ("engine", "ui"):
                return defined(module, rest)  # an optional library, such as spaCy, is not installed
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
            continue
        for one in rest:
            if not hasattr(thing, one):
                return False
            thing = getattr(thing, one)
        return True
    return False


def defined(module: str, rest: list[str]) -> bool:
    """The same for a module that cannot be imported: whether its source defines what is left of the name."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    body = ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body
    for one in rest:
        named = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == one]
        if not named:
            return False
        body = named[0].body
    return True


def test_names_are_found_with_and_without_what_a_module_needs() -> None:
    assert found("engine.tasks.registry.get") and not found("engine.tasks.registry.got") and not found("engine.nothing")
    assert defined("engine.spacy.conversion", ["document_of"]) and not defined("engine.spacy.conversion", ["nothing"])


@pages
def test_every_module_that_is_named_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = {one for one in quoted(page) if re.fullmatch(r"(engine|ui)(\.\w+)+", one)}
    for module, imported in re.findall(r"^from ((?:engine|ui)[\w.]*) import ([\w, ]+)", text, flags=re.MULTILINE):
        names |= {f"{module}.{name.split(' as ')[0].strip()}" for name in imported.split(",")}
    assert [name for name in sorted(names) if not found(name)] == []


@pages
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    inside = [link for link in links if not re.match(r"\w+:", link)]
    assert [link for link in inside if not (page.parent / link).exists()] == []


@pages
def test_lines_are_short(page: Path) -> None:
    """Rows of tables cannot be broken, nor can lines of data in examples."""
    lines = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL).splitlines()
    assert [line for line in lines if len(line) > 120 and not line.lstrip().startswith("|")] == []


HALF = {
    "Train a linker": 30,
    "Drag the knob": 10,
    "Make an annotation edit": 7,
    "Train and decide with BiBSG": 22,
    "Train coreference with delayed LaSO": 20,
}
"""Modules that a reader may have to open to follow each walk: half of what it took in the first edition."""


@pytest.mark.parametrize(("walk", "most"), HALF.items())
def test_a_walk_through_the_code_passes_few_modules(walk: str, most: int) -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    told = re.search(rf"\*\*{re.escape(walk)}\*\*(.*?)(?=\n\n\*\*|\Z)", text, flags=re.DOTALL)
    assert told is not None
    named = [one for one in re.findall(r"`([^`\n]+)`", told[1]) if is_path(one)]
    modules = {path for one in named for path in spelled_out(one)}
    assert 3 < len(modules) <= most, sorted(modules)
    # A folder would be many modules under one name.
    assert [path for path in modules if any((room / path).is_dir() for room in ROOMS)] == []
