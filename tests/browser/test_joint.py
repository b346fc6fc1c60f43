"""The joint page by mouse and keyboard: switch a constraint, change its weight, force a relation, save the graph."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from engine.corpora import read
from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks.base import Resources
from engine.tasks.joint.state import JointModel
from engine.tasks.joint.task import Joint
from engine.tasks.saving import save_model
from tests.browser.conftest import Visit, serving, settle
from tests.ui import harness

pytestmark = pytest.mark.thorough

SAMPLES = harness.ROOT / "sample_data" / "joint"
TASK = Joint()


@dataclasses.dataclass(frozen=True)
class Case:
    server: str
    path: str
    broken: str
    """Name of a hard constraint that the classifiers alone break."""
    row: int


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """The sample with a model, and a sentence whose decision changes when the constraint it breaks is switched off."""
    train, dev = read(SAMPLES / "train.jsonl"), read(SAMPLES / "dev.jsonl")
    resources = Resources(constraints=SAMPLES / "constraints.toml")
    *_, last = TASK.rounds(train, [], "lp", TASK.learner("lp").settings, resources)
    model = last.model
    workspace = Workspace.open(tmp_path_factory.mktemp("joint") / "workspace")
    corpus = workspace.add_corpus("Sample joint", dev, split="dev")
    run = workspace.start_run("joint", "lp", dataclasses.asdict(model.settings), train="", dev=corpus)
    workspace.model_path(run).parent.mkdir(parents=True, exist_ok=True)
    save_model(TASK, model, workspace.model_path(run))
    workspace.finish_run(run, "done", bias=model.bias)
    document, violation, row = depends(model, dev)
    path = f"/joint?corpus={corpus}&run={run}&doc={document.id}"
    with serving(workspace.directory, toy=False) as server:
        yield Case(server.address, path, violation, row)


def depends(model: JointModel, documents: list[Document]) -> tuple[Document, str, int]:
    """A sentence, the only constraint that its classifiers break, whose absence changes the decision, and its row."""
    constraints = model.state.constraints
    for document in documents:
        scored = TASK.score([document], model)
        own = TASK.trace(scored)
        if len({violation.name for violation in own.before_violations}) != 1:
            continue
        for violation in own.before_violations:
            row = [one.name for one in constraints].index(violation.name)
            without = tuple(dataclasses.replace(one, enabled=k != row) for k, one in enumerate(constraints))
            free = TASK.trace(dataclasses.replace(scored, constraints=without))
            if violation.pairs and free.after_labels.tolist() != own.after_labels.tolist():
                return document, violation.name, row
    pytest.fail("no sample sentence depends on a constraint")


def arrows(page: Page) -> list[str]:
    """What the arrows say, as a screen reader hears it."""
    found = page.locator("svg .arrow").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return [str(one) for one in found]


def cost(words: str | None) -> str:
    """The verdict without its count of violations."""
    return re.sub(r"\d+ violations? before, \d+ after", "", words or "")


def test_a_switch_a_weight_and_a_forced_relation_change_the_decision_at_once(visit: Visit, case: Case) -> None:
    page = visit(case.path, case.server)
    expect(page.locator("svg .arrow.broken").first).to_be_visible()
    assert any(f"breaks: {case.broken}" in one for one in arrows(page))
    alone = page.locator("svg .arrow.broken").count()
    together = page.get_by_text(re.compile(r"cost .* alone, .* together")).first
    words = together.text_content()
    assert words is not None

    switch = page.get_by_role("checkbox", name=case.broken, exact=True)
    switch.click()
    expect(page).to_have_url(re.compile(rf"off={case.row}\b"))
    settle(page)
    expect(page.locator("svg .arrow.broken")).to_have_count(0)
    expect(together).not_to_have_text(words)
    free = together.text_content()

    switch.press("Space")
    expect(page).not_to_have_url(re.compile(r"off="))
    settle(page)
    expect(together).to_have_text(words)

    # At a price of 0 a soft constraint decides nothing, but is still named where it is broken.
    price = page.get_by_role("spinbutton", name=f"weight of {case.broken}", exact=True)
    price.fill("0")
    price.press("Enter")
    expect(page).to_have_url(re.compile(rf"weights={case.row}(:|%3A)0"))
    settle(page)
    expect(page.locator("svg .arrow.broken")).to_have_count(2 * alone)
    assert cost(together.text_content()) == cost(free)
    price.fill("")
    price.press("Enter")
    expect(page).not_to_have_url(re.compile(r"weights="))
    settle(page)
    expect(together).to_have_text(words)

    page.get_by_role("combobox", name="Say that this sentence holds").click()
    page.get_by_role("option", name="Kill", exact=True).click()
    expect(page).to_have_url(re.compile(r"force=Kill"))
    settle(page)
    assert any("Kill" in one for one in arrows(page))


def test_a_forced_option_is_pinned_and_the_graph_can_be_taken_along(visit: Visit, case: Case) -> None:
    page = visit(case.path, case.server)
    page.get_by_role("button", name="Force it").click()
    expect(page).to_have_url(re.compile(r"pins="))
    settle(page)
    with page.expect_download() as drawn:
        page.get_by_role("button", name="SVG").click()
    assert drawn.value.suggested_filename.endswith(".svg")
    assert case.broken in drawn.value.path().read_text(encoding="utf-8")
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON").click()
    body = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert case.broken in {one["constraint"] for one in body["broken_alone"]}


def test_the_graph_can_be_taken_along_under_other_constraints_too(visit: Visit, case: Case) -> None:
    page = visit(f"{case.path}&off={case.row}", case.server)
    expect(page.get_by_text("As the run itself decides")).to_be_visible()
    with page.expect_download() as drawn:
        page.get_by_role("button", name="SVG").click()
    assert "decided together" in drawn.value.path().read_text(encoding="utf-8")
