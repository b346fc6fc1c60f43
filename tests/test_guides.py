"""What the guide on outside scores shows is run: its Python, its records, and the importers it names."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from engine.corpora.formats import jsonl
from engine.corpora.scores.importers import IMPORTERS
from engine.corpora.scores.records import read_record
from engine.tasks.outside.records import exchange_of
from engine.tasks.registry import TASKS, get

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "scores.md"
PAGES = sorted((GUIDE.parent / "scores").glob("*.md"))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", TASKS)
def test_a_scored_corpus_is_made_of_arrays_as_the_guide_says(name: str) -> None:
    [code] = [one for one in blocks(GUIDE, "python") if f'get("{name}")' in one]
    made: dict[str, Any] = {}
    exec(compile(code, f"{GUIDE.name}: {name}", "exec"), made)
    # The guide's scores are right about everything but one name in linking, which gold does not have.
    assert [one.kind for one in made["errors"]] == (["false alarm"] if name == "linking" else [])
    assert made["curve"].recall.max() == 1.0 and len(made["answers"]) == 1


def test_scores_are_calibrated_as_the_guide_says() -> None:
    [code] = [one for one in blocks(GUIDE, "python") if 'fit("temperature"' in one]
    made: dict[str, Any] = {}
    exec(compile(code, f"{GUIDE.name}: calibration", "exec"), made)
    # Two of three are right, so a score of 3 has to become ln 2.
    [part] = [one for one in made["better"][0].extra["parts"] if one["entity"]]
    assert part["score"] == pytest.approx(math.log(2), abs=1e-4)


def test_the_records_of_the_guide_are_decided_by_the_systems_it_names() -> None:
    [shown] = blocks(GUIDE, "json")
    records = [jsonl.parse(line) for line in shown.splitlines()]
    for name, record in zip(TASKS, records, strict=True):
        task, said = get(name), read_record(record, {})
        gathering = exchange_of(task).gathering()
        gathering.add(said.document, said)
        [layer] = task.decide(gathering.scored())
        assert layer.mentions or layer.labels


def test_every_importer_has_its_page_and_its_lines_of_python() -> None:
    told = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in IMPORTERS:
        assert f"--from {name}" in told and f"`{name}`" in GUIDE.read_text(encoding="utf-8")
    for page in PAGES:
        assert f"scores/{page.name}" in GUIDE.read_text(encoding="utf-8")
        code = blocks(page, "python")
        assert code
        for one in code:
            compile(one, page.name, "exec")
