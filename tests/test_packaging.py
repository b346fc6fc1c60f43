"""What `pip install .` gives: a wheel that holds the whole app, and a command that serves it from any directory."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import engine
from engine.cli.app.run import INSTALLED, app_folder
from engine.cli.main import name_of
from engine.data.errors import InputError
from tests.browser import chromium
from tests.browser.conftest import free_port
from ui.server import serve

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ("engine", "ui", "pages", "sample_data")


def files_below(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing of the build is left in the checkout."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in SHIPPED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    (source / ".streamlit").mkdir()
    shutil.copy(ROOT / ".streamlit" / "config.toml", source / ".streamlit")
    # Somebody's password must never travel with the code.
    (source / ".streamlit" / "secrets.toml").write_text("[auth]\n")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(out), str(source)], check=True)
    (built,) = out.glob("espalier-*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_all_files_of_the_app_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {"espalier_app/app.py", "espalier_app/.streamlit/config.toml"}
    for name in SHIPPED:
        place = "" if name == "engine" else f"{INSTALLED}/"
        wanted |= {place + str(path.relative_to(ROOT)) for path in files_below(ROOT / name)}
    assert held == wanted


@pytest.mark.slow
def test_the_wheel_asks_for_what_requirements_txt_lists(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(path).decode().splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    asked = {_package(line.removeprefix("Requires-Dist:")) for line in needed}
    listed = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and line[0] != "#"]
    assert asked == set(map(_package, listed))
    assert f"Version: {engine.__version__}" in lines


def _package(requirement: str) -> str:
    found = re.match(r"[\w-]+", requirement.strip())
    assert found is not None
    return found.group().lower()


@pytest.mark.slow
def test_an_installed_wheel_serves_the_app_with_its_samples(wheel: Path, tmp_path: Path) -> None:
    """The libraries are those of this environment, which saves their download; the app's code is not."""
    venv.create(tmp_path / "venv", with_pip=False)
    (site,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(tmp_path / "venv" / "bin" / "python")]
    subprocess.run([*pip, "install", "--no-deps", "--no-compile", str(wheel)], check=True)
    (site / "libraries.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    away, port = tmp_path / "away", free_port()
    away.mkdir()
    hidden = ("PYTHONPATH", "ESPALIER_WORKSPACE", "ESPALIER_DATABASE_URL", "ESPALIER_SAMPLES")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [str(tmp_path / "venv" / "bin" / "espalier"), "run", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=away, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health", server)
        # In a thread of its own: the browser tests of the same run may have a Playwright of theirs in this one.
        with ThreadPoolExecutor(max_workers=1) as thread:
            shown = thread.submit(_first_page, f"http://127.0.0.1:{port}").result()
        for system in ("linking", "disambiguation", "coreference", "distant", "joint"):
            assert f"Sample {system}" in shown
    finally:
        server.terminate()
        code = server.wait(timeout=30)
    assert (away / "workspace" / "espalier.db").is_file()
    assert code == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def _wait_until_healthy(address: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server ended" if server.poll() is not None else "the server does not answer")


def _first_page(address: str) -> str:
    """The words on the first page once the sample corpora are there, seen in the browser; fails if the page does."""
    from playwright.sync_api import expect, sync_playwright

    path = chromium.find()
    assert path is not None, chromium.ABSENT
    faults: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address, timeout=120_000)
        expect(page.get_by_text("Sample joint").first).to_be_visible(timeout=120_000)
        words = page.get_by_test_id("stMainBlockContainer").inner_text()
        assert page.get_by_test_id("stException").count() == 0
        browser.close()
    assert not faults
    return words


def test_the_app_is_found_in_a_checkout_and_beside_an_installed_engine(tmp_path: Path) -> None:
    assert app_folder(ROOT) == ROOT
    with pytest.raises(InputError, match="not installed alongside the engine"):
        app_folder(tmp_path)
    (tmp_path / INSTALLED / "ui").mkdir(parents=True)
    (tmp_path / INSTALLED / "app.py").touch()
    assert app_folder(tmp_path) == tmp_path / INSTALLED


def test_the_command_says_how_it_was_called() -> None:
    assert name_of("/home/anna/.venv/bin/espalier") == "espalier"
    assert name_of("/repository/engine/__main__.py") == "python -m engine"
    assert "`espalier run --port 8501`" in (serve.fault_of("127.0.0.1", "nine", serve.ESPALIER) or "")
    assert "`make run PORT=8501`" in (serve.fault_of("127.0.0.1", "nine", serve.MAKE) or "")


def test_run_from_another_directory_answers_wrong_use_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "ui.py").write_text("raise SystemExit('this is not the app')\n")
    done = subprocess.run(
        [sys.executable, "-m", "engine", "run", "--port", "99999"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "--port is a whole number from 1 to 65535, not '99999': try `espalier run --port 8501`\n"


def test_every_public_name_of_the_engine_is_there_and_typed() -> None:
    found = {name: getattr(engine, name) for name in engine.__all__}
    assert found["read"].__module__ == "engine.corpora"
    assert set(engine.__all__) <= set(dir(engine))
    tree = ast.parse((ROOT / "engine" / "__init__.py").read_text())
    typed = [
        alias.asname or alias.name
        for block in tree.body
        if isinstance(block, ast.If)
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    ]
    assert sorted(typed) == sorted(engine.__all__)
    name = "nothing"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(engine, name)


def test_importing_the_engine_imports_no_library() -> None:
    code = "import sys; before = set(sys.modules); import engine; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "scipy", "numba", "pandas", "sqlalchemy", "streamlit"} & set(loaded)
