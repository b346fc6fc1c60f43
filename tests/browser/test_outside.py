"""Scores of another program by hand: added from a file, tuned, followed to an error, pinned, compared with a run of
ours, and asked for suggestions while somebody annotates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.corpora import read, write
from engine.metrics.differences import decisions
from engine.store.workspace import Workspace
from engine.tasks.linking.task import Linking
from engine.tasks.outside.records import read_scores, written
from tests.browser.conftest import Visit, serving, settle
from tests.ui import tiny


@dataclass(frozen=True)
class Case:
    server: str
    workspace: Workspace
    corpus: str
    ours: str
    scores: Path
    """What another program says: our own numbers, all of them less by one half, as the best few it had."""
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
    said = zip(documents, task.decide(read_scores(task, path, documents)), strict=True)
    doubtful = next(one.id for one, layer in said if decisions(layer, task.decides) - decisions(one.gold, task.decides))
    with serving(workspace.directory, toy=False) as server:
        yield Case(server.address, workspace, corpus, ours, path, doubtful)


def test_a_file_of_scores_is_added_tuned_blamed_pinned_and_compared(visit: Visit, case: Case) -> None:
    page = visit(f"/train?task=linking&corpus={case.corpus}", case.server)
    page.get_by_text("Add outside scores or answers").click()
    page.locator("[data-testid=stFileUploaderDropzoneInput]").last.set_input_files(case.scores)
    expect(page.get_by_text(re.compile(r"\d+ documents, [\d,]+ parts; logit"))).to_be_visible(timeout=60_000)
    page.get_by_label("Name", exact=True).last.fill("theirs")
    page.get_by_label("Name", exact=True).last.press("Enter")
    page.get_by_role("button", name="Add the scores").click()
    expect(page).to_have_url(re.compile(r"job=linking-"), timeout=60_000)
    [theirs] = [run.id for run in case.workspace.runs("linking") if (run.learner, run.name) == ("outside", "theirs")]

    # The knob: the exact numbers of the whole corpus, and the bias in the address.
    page = visit(f"/tune?corpus={case.corpus}&run={theirs}", case.server)
    knob = page.locator(".tuner input[type=range]")
    expect(knob).to_be_visible(timeout=60_000)
    knob.focus()
    recall = page.locator(".tuner .numbers .value").nth(1)
    before = recall.text_content() or ""
    page.keyboard.press("End")
    expect(recall).not_to_have_text(before)
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"bias="))
    settle(page)

    # An error, and from it the structure.
    page = visit(f"/errors?corpus={case.corpus}&run={theirs}", case.server)
    expect(page.get_by_text(re.compile(r"errors of outside on"))).to_be_visible(timeout=60_000)
    page.locator(".cases").focus()
    page.keyboard.press("ArrowDown")
    key = page.locator("#case1").get_attribute("data-key") or ""
    page.wait_for_function("key => new URLSearchParams(location.search).get('sel') === key", arg=key)
    expect(page.get_by_text(f"document {key.split('|')[0]}", exact=False).first).to_be_visible()
    settle(page)
    page = visit(f"/linking?corpus={case.corpus}&run={theirs}&doc=dev-020", case.server)
    expect(page.get_by_text("with only the best few alternatives")).to_be_visible(timeout=60_000)
    expect(page.get_by_label("Try your own text")).to_have_count(0)
    part = page.locator(".candidate:not(.chosen)").first
    expect(part).to_be_visible(timeout=60_000)
    part.click()
    expect(page).to_have_url(re.compile(r"sel="))
    settle(page)
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"pins="))
    expect(page.locator(".candidate.chosen .icon").first).to_be_visible()
    settle(page)

    # Beside a run of ours, on either side.
    for first, second in ((theirs, case.ours), (case.ours, theirs)):
        page = visit(f"/compare?corpus={case.corpus}&run={first}&other={second}", case.server)
        expect(page.get_by_role("tab", name="Who found what")).to_be_visible(timeout=60_000)
        expect(page.get_by_text(re.compile("could not be done"))).to_have_count(0)
        settle(page)

    # And in the margin of whoever annotates: what it says besides is offered, and taken.
    page = visit(f"/annotate?corpus={case.corpus}&run={theirs}&doc={case.doubtful}&user=anna", case.server)
    expect(page.locator(".chip.suggested").first).to_be_visible(timeout=60_000)
    page.locator(".page").focus()
    page.keyboard.press("A")
    expect(page.locator(".saved")).to_have_text("saved, 1 edit")
    expect(page.locator(".chip.suggested")).to_have_count(0)
