"""Scores of another program by hand: added from a file, tuned, followed to an error, pinned, compared with a run of
ours, and asked for suggestions while somebody annotates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from engine.corpora import read, write
from engine.metrics.differences import decisions
from engine.store.workspace import Workspace
from engine.tasks.linking.task import Linking
from engine.tasks.outside.records import read_scores, written
from engine.tuning.curve import Curve
from tests.browser.conftest import Visit, serving, settle
from tests.ui import tiny

DOCUMENT = "dev-020"


@dataclass(frozen=True)
class Case:
    server: str
    workspace: Workspace
    corpus: str
    ours: str
    scores: Path
    """What another program says: our own numbers, all of them less by one half, as the best few it had."""
    curve: Curve
    """The exact curve of what it says."""
    n_errors: int
    doubtful: str
    """A document in which it says something that gold does not."""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    task, model, documents = Linking(), tiny.linking("s-mart"), read(tiny.SAMPLES / "dev.jsonl")
    folder = tmp_path_factory.mktemp("outside")
    workspace = Workspace.open(folder / "workspace")
    corpus = workspace.add_corpus("Sample linking", documents, split="dev")
    ours = tiny.add_run(workspace, task, model, corpus)
    path = folder / "theirs.jsonl"
    write(written(task, task.score(documents, model), documents), path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["parts"] = [{**part, "score": part["score"] - 0.5} for part in record["parts"]]
        record["alternatives"] = "top-k"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    scored = read_scores(task, path, documents)
    answers = task.decide(scored)
    said = zip(documents, answers, strict=True)
    doubtful = next(one.id for one, layer in said if decisions(layer, task.decides) - decisions(one.gold, task.decides))
    found = task.errors(scored, answers)
    with serving(workspace.directory, toy=False) as server:
        yield Case(server.address, workspace, corpus, ours, path, task.curve(scored), len(found), doubtful)


@pytest.mark.slow
def test_a_file_of_scores_is_added_tuned_blamed_pinned_and_compared(visit: Visit, case: Case) -> None:
    theirs = add_scores(visit, case)
    drag_the_knob(visit, case, theirs)
    key = open_an_error(visit, case, theirs)
    pin_a_part(visit, case, theirs)
    compare_with_ours(visit, case, theirs)
    take_suggestions(visit, case, theirs)
    assert key


def add_scores(visit: Visit, case: Case) -> str:
    """By Train; the run's id. What was read is told before anything is added."""
    page = visit(f"/train?task=linking&corpus={case.corpus}", case.server)
    page.get_by_text("Add outside scores or answers").click()
    page.locator("[data-testid=stFileUploaderDropzoneInput]").last.set_input_files(case.scores)
    expect(page.get_by_text(re.compile(r"\d+ documents, [\d\s]+ parts; logit"))).to_be_visible()
    settle(page)
    assert [run.id for run in case.workspace.runs("linking")] == [case.ours]
    name = page.get_by_label("Name", exact=True).last
    name.fill("theirs")
    name.press("Enter")
    settle(page)
    add = page.get_by_role("button", name="Add the scores")
    expect(add).to_be_enabled()
    add.click()
    expect(page).to_have_url(re.compile(r"job=linking-"))
    settle(page)
    [theirs] = [run.id for run in case.workspace.runs("linking") if (run.learner, run.name) == ("outside", "theirs")]
    assert query(page, "job") == theirs
    # Once: in the place of the button stands where to look at it.
    expect(page.get_by_text("Added: it is a run now")).to_be_visible()
    expect(add).to_have_count(0)
    expect(page.get_by_role("link", name="Tune it").first).to_be_visible()
    page.close()
    return theirs


def drag_the_knob(visit: Visit, case: Case, theirs: str) -> Page:
    """By the mouse, from where it stands: the numbers of the whole corpus follow while it is held, exactly; the address
    learns of it when it is let go."""
    page = visit(f"/tune?corpus={case.corpus}&run={theirs}", case.server)
    knob, numbers = page.locator(".tuner input[type=range]"), page.locator(".tuner .numbers .value")
    expect(knob).to_have_attribute("max", str(len(case.curve.bias) - 1))
    box, cursor = (page.locator(f".tuner {css}").bounding_box() for css in (".chart-box", ".chart-box .curve-cursor"))
    assert box is not None and cursor is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(cursor["x"] + cursor["width"] / 2, y)
    page.mouse.down()
    seen = set()
    for part in (0.05, 0.35, 0.6, 0.9):
        page.mouse.move(box["x"] + box["width"] * part, y, steps=4)
        step = int(knob.input_value())
        correct, found, predicted = (int(c[step]) for c in (case.curve.correct, case.curve.found, case.curve.predicted))
        expect(numbers.nth(0)).to_have_text(f"{100 * correct / predicted:.1f}" if predicted else "–")
        expect(numbers.nth(1)).to_have_text(f"{100 * found / case.curve.gold:.1f}")
        seen.add(step)
    assert len(seen) == 4 and query(page, "bias") is None
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"bias="))
    settle(page)
    bias = float(query(page, "bias") or "nan")
    assert case.curve.bias[step] <= bias <= case.curve.bias[step + 1], "the one that it was let go at"
    return page


def open_an_error(visit: Visit, case: Case, theirs: str) -> str:
    """By a click on its line; then by the link below it to the structure that made it. The key of the case."""
    page = visit(f"/errors?corpus={case.corpus}&run={theirs}", case.server)
    expect(page.get_by_text(f"{case.n_errors} errors of theirs on")).to_be_visible()
    row = page.locator("#case1")
    key = row.get_attribute("data-key") or ""
    row.click()
    page.wait_for_function("key => new URLSearchParams(location.search).get('sel') === key", arg=key)
    settle(page)
    document = key.split("|")[0]
    expect(page.get_by_text(f"document {document}", exact=False).first).to_be_visible()
    return key


def pin_a_part(visit: Visit, case: Case, theirs: str) -> Page:
    """What it did not choose, by the key for it: it is chosen now, and nothing that overlaps it."""
    page = visit(f"/linking?corpus={case.corpus}&run={theirs}&doc={DOCUMENT}", case.server)
    expect(page.get_by_text("with only the best few alternatives")).to_be_visible()
    expect(page.get_by_label("Try your own text")).to_have_count(0)
    id = page.locator(".candidate:not(.chosen)").first.get_attribute("data-id")
    page.locator(f'.candidate[data-id="{id}"]').click()
    expect(page).to_have_url(re.compile(rf"sel={id}\b"))
    settle(page)
    expect(page.locator(f'.candidate.selected[data-id="{id}"]')).to_be_visible()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"pins="))
    expect(page.locator(f'.candidate.chosen[data-id="{id}"] .icon')).to_be_visible()
    settle(page)
    expect(page.locator(".candidate.chosen.excluded")).to_have_count(0)
    expect(page.get_by_text("what this one is made of is not known here")).to_be_visible()
    return page


def compare_with_ours(visit: Visit, case: Case, theirs: str) -> Page:
    """On either side."""
    for first, second in ((theirs, case.ours), (case.ours, theirs)):
        page = visit(f"/compare?corpus={case.corpus}&run={first}&other={second}", case.server)
        expect(page.get_by_role("tab", name="Who found what")).to_be_visible()
        settle(page)
        expect(page.get_by_text(re.compile("could not be done"))).to_have_count(0)
    return page


def take_suggestions(visit: Visit, case: Case, theirs: str) -> Page:
    """In the margin of whoever annotates: what it says besides is offered, and taken."""
    page = visit(f"/annotate?corpus={case.corpus}&run={theirs}&doc={case.doubtful}&user=anna", case.server)
    expect(page.locator(".chip.suggested").first).to_be_visible()
    page.locator(".page").focus()
    page.keyboard.press("A")
    expect(page.locator(".saved")).to_have_text("saved, 1 edit")
    expect(page.locator(".chip.suggested")).to_have_count(0)
    return page


def query(page: Page, name: str) -> str | None:
    return parse_qs(urlsplit(page.url).query).get(name, [None])[0]
