"""The shape of the code itself: imports point down, nothing is unpickled, heavy imports stay where they belong."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [path for folder in ("engine", "ui", "pages") for path in sorted((ROOT / folder).rglob("*.py"))]


def test_imports_point_down_only() -> None:
    outcome = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("pulp", ("engine/structures/program.py",)),
        ("alembic", ("engine/store/migrations/",)),
        ("sqlalchemy", ("engine/store/", "ui/shell/navigation.py")),
    ],
)
def test_a_library_is_imported_in_its_one_place(library: str, allowed: tuple[str, ...]) -> None:
    pattern = re.compile(rf"^\s*(import|from) {library}\b", re.MULTILINE)
    users = [str(path.relative_to(ROOT)) for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))]
    assert [user for user in users if not user.startswith(allowed)] == []


def test_nothing_unpickles_and_nothing_is_drawn_as_markup() -> None:
    forbidden = re.compile(
        r"import pickle|pickle\.load|allow_pickle=True|joblib\.(load|dump)|unsafe_allow_html|unsafe_allow_javascript"
    )
    for path in SOURCES:
        found = forbidden.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)}: {found.group()}"
    for script in sorted((ROOT / "ui").rglob("*.js")):
        assert "innerHTML" not in script.read_text(encoding="utf-8"), script.name


def test_the_command_line_starts_without_heavy_libraries() -> None:
    code = "import sys; from engine.cli.main import parser; parser(); print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"sklearn", "numba", "pulp", "streamlit", "rdflib"} & set(loaded)


def test_the_drawn_import_graph_is_that_of_the_code() -> None:
    code = "from docs import draw_imports as d; print(d.drawing() in d.PAGE.read_text(encoding='utf-8'))"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "True", "run `python docs/draw_imports.py`"


@pytest.mark.parametrize("package", ["engine", "engine.tasks"])
def test_every_public_name_is_there(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name).__module__.startswith("engine."), name
        assert name in dir(module)
    with pytest.raises(AttributeError, match="nothing"):
        _ = module.nothing


def test_rooms_files_and_functions_stay_small() -> None:
    crowded = [
        f"{folder.relative_to(ROOT)}: {count} files"
        for top in ("engine", "ui")
        for folder in sorted({path.parent for path in (ROOT / top).rglob("*.py")})
        if (count := len(list(folder.glob("*.py")))) > 14
    ]
    assert crowded == []
    long = [path for path in SOURCES if len(path.read_text(encoding="utf-8").splitlines()) > 400]
    assert long == []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = node.args
                parameters = len(named.posonlyargs) + len(named.args) + len(named.kwonlyargs)
                assert (node.end_lineno or 0) - node.lineno < 80, f"{path}: {node.name} is long"
                assert parameters <= 8, f"{path}: {node.name} takes {parameters} parameters"
