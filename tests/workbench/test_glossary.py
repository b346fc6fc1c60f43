"""Every stage, score, setting, learner, page, tab and knob has its sentence, and every source is a paper we name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from engine import corpora
from engine.metrics.errors import STAGES
from engine.tasks import registry
from engine.workbench import glossary
from ui.background.first import sample_files
from ui.tab import pages

ROOT = Path(__file__).resolve().parents[2]
OWN_NAMES = {"relations", "entities", "ambiguity", "familiarity"}
"""Groups of a report whose keys are labels of the data."""


def test_every_stage_has_a_sentence() -> None:
    assert [stage for stage in STAGES if glossary.look_up("stage", stage) is None] == []


@pytest.mark.parametrize("system", registry.names())
def test_every_score_and_the_knob_of_a_system_have_a_sentence(system: str) -> None:
    task = registry.get(system)
    documents = corpora.read(sample_files(system)["dev"])[:3]
    report = task.evaluate(documents, [document.gold for document in documents])
    assert [name for name in scores(report) if glossary.look_up("metric", name) is None] == []
    assert glossary.look_up("knob", system) is not None


def scores(report: Mapping[str, object]) -> Iterator[str]:
    for name, value in report.items():
        yield name
        if isinstance(value, Mapping) and name not in OWN_NAMES:
            yield from scores(value)


def test_every_setting_and_learner_has_a_sentence() -> None:
    for kind in ("setting", "learner"):
        found = glossary.by_kind()[kind]
        assert found and all(len(entry.sentence) > 10 and entry.sentence.endswith(".") for entry in found)


def test_every_page_has_a_sentence() -> None:
    listed = [info.name for group in pages.groups().values() for info in group]
    assert [name for name in listed if glossary.look_up("page", name) is None] == []


def tabs() -> dict[str, str]:
    """The name of every tab that the app draws, and where."""
    found = {}
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "ui" / "views").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not any(isinstance(node, ast.Call) and ast.unparse(node.func) == "st.tabs" for node in ast.walk(tree)):
            continue
        [words] = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and any(name.name == "words" for name in node.names)
        }
        known = import_module(f"{words}.words")
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.List)
                and node.elts
                and all(ast.unparse(one).startswith("words.") for one in node.elts)
            ):
                found |= {getattr(known, ast.unparse(one).removeprefix("words.")): path.name for one in node.elts}
    return found


def test_every_tab_has_a_sentence() -> None:
    assert len(tabs()) > 20
    assert {name: where for name, where in tabs().items() if glossary.look_up("tab", name) is None} == {}


def test_every_source_is_a_paper_of_the_list() -> None:
    named = [entry.paper for entry in glossary.entries().values() if entry.paper]
    assert {paper.key for paper in named} <= set(glossary.papers())
    assert {paper.system for paper in glossary.papers().values()} == set(registry.names())
    assert glossary.papers()["yang-chang-2015"].short == "Yang and Chang (ACL 2015)"
    assert glossary.papers()["haffari-2015"].short == "Haffari et al. (NAACL 2015)"


def test_a_setting_names_the_paper_that_introduces_it() -> None:
    assert "Haffari" in glossary.setting_help("distant", "beta", "A weight.")
    assert glossary.setting_help("distant", "seed", "Same seed, same model.") == "Same seed, same model."


def test_no_setting_names_the_paper_of_another_system() -> None:
    for (kind, name), entry in glossary.entries().items():
        if kind == "setting" and entry.paper:
            assert name.split()[0] == entry.paper.system, name
    # Two systems have a setting `start`; only the paper of one of them introduces it.
    assert "Haffari" in glossary.setting_help("distant", "start", "Where it starts.")
    assert glossary.setting_help("disambiguation", "start", "Where it starts.") == "Where it starts."
