"""What is installed: the locked versions fit the ranges, and the list of licences is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name
from packaging.version import Version

from docs import list_licences
from tests.trials import audit, versions

ROOT = Path(__file__).resolve().parent.parent


def locked() -> dict[str, set[Version]]:
    """Every package of the lock file, with its version, or versions where they differ by Python."""
    found: dict[str, set[Version]] = {}
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", text, re.MULTILINE):
        found.setdefault(canonicalize_name(name), set()).add(Version(version))
    return found


def test_every_requirement_is_locked_at_a_version_that_it_allows() -> None:
    pinned = locked()
    for wanted in list_licences.direct():
        versions = pinned.get(canonicalize_name(wanted.name), set())
        assert versions and all(version in wanted.specifier for version in versions), f"run `make lock`: {wanted}"


def test_every_locked_package_has_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=[\w.-]+==)", text)
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_list_of_licences_names_every_package_and_none_under_the_gpl() -> None:
    page = list_licences.PAGE.read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (.*) \|$", page, re.MULTILINE))
    assert set(list_licences.everything()) <= set(listed), "run `python docs/list_licences.py`"
    assert [name for name, licence in listed.items() if re.search(r"\bA?GPL", licence)] == []


def test_the_container_runs_commands_that_exist() -> None:
    """Its commands are ours or Dask's; whoever renames one finds it here."""
    from engine.cli.main import COMMANDS

    image = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    [command] = re.findall(r'^CMD \["espalier", "([\w-]+)"', image, re.MULTILINE)
    assert f"app.{command}" in COMMANDS
    assert "requirements.lock" in image and "USER espalier" in image


def test_the_secrets_of_a_login_are_never_committed_nor_in_the_image() -> None:
    assert "/.streamlit/secrets.toml" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "secrets.toml" in (ROOT / ".dockerignore").read_text(encoding="utf-8")


def test_without_uv_the_trial_of_other_versions_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    monkeypatch.setattr("sys.argv", ["versions"])
    assert versions.main() == 1
    assert capsys.readouterr().err == "uv is needed to make environments: pip install uv\n"


def test_pythons_of_pyenv_are_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for version in ("3.12.1", "3.12.4", "3.1.20"):
        binary = tmp_path / "versions" / version / "bin" / "python"
        binary.parent.mkdir(parents=True)
        binary.touch()
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert versions.interpreter("3.12") == str(tmp_path / "versions/3.12.4/bin/python")
    assert versions.interpreter("3.13") == "3.13"


def test_an_audit_tells_weak_packages_from_those_that_could_not_be_looked_up() -> None:
    weakness = {"id": "CVE-1", "fix_versions": ["2.0"]}
    found = {
        "dependencies": [
            {"name": "a", "version": "1.0", "vulns": [weakness]},
            {"name": "b", "version": "1.0", "vulns": []},
            {"name": "c", "skip_reason": "not found"},
        ]
    }
    weak, sentence = audit.told(found)
    assert weak == ["a 1.0: CVE-1, mended in 2.0"]
    assert sentence.startswith("1 known weaknesses in 2 audited packages; 1 could not")
