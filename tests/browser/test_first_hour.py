"""The first hour of somebody who knows nothing: the tour from stop to stop, doing what each stop says; then texts of
one's own, by paste, table and zip, through train, tune, correct, retrain and verdict to a report.

Every step waits for what a reader would wait for. No page on the way may be a dead end: each has a link or a button to
the next one, and that is what the test presses.
"""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine import corpora
from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.browser.conftest import Server, Visit, serving, settle
from ui.background import first, jobs
from ui.components import tour

pytestmark = pytest.mark.thorough

LONG = 600_000
"""Milliseconds that a training may take on a slow machine."""

TWEETS = """Just landed in Seattle, the wind off the water is no joke
Arsenal up by three at half time, my neighbours hate me
reading about Harvard while the rest of Cambridge sleeps
Paris looks grey today but the bread is still warm
my new iPhone fell in the sink and Apple wants how much?
nobody in Chicago owns a proper umbrella
Jordan or LeBron, my dad has opinions, all of them loud
Obama walked past our school and I was in the toilet
London is empty in august, I like it
good night Los Angeles, you were warm and loud"""

PEOPLE = ("Mara Lind", "Jonas Weber", "Aiko Sato", "Luca Romano", "Nadia Petrova", "Owen Price", "Ines Costa")
FIRMS = ("Aster Foods", "Northwind Labs", "Kite Bank", "Halden Steel", "Vega Motors", "Cedar Group")
TOWNS = ("Bergen", "Graz", "Leeds", "Porto", "Turin", "Ghent", "Basel")
WORDINGS = {
    "runs": ("{} runs {} .", "{} , head of {} , spoke first .", "Ask {} of {} ."),
    "lives in": ("{} lives in {} .", "{} moved to {} in May .", "Ask {} of {} ."),
    "sits in": ("{} has its office in {} .", "{} , a firm from {} , hires again .", "Ask {} of {} ."),
}
KINDS = {"runs": ("person", "firm"), "lives in": ("person", "town"), "sits in": ("firm", "town")}
NAMES = {"person": PEOPLE, "firm": FIRMS, "town": TOWNS}
SLIP = {"runs": "lives in", "lives in": "runs", "sits in": "lives in"}
"""What whoever filled in the table wrote by mistake in every ninth row."""
ROLES = {
    "head": "who",
    "head type": "kind of who",
    "relation": "does what",
    "tail": "to whom",
    "tail type": "kind of whom",
}
"""Role -> the column that has it, under a name that says nothing."""


def staff() -> bytes:
    """A table of ninety sentences, with columns named as nobody would guess and a slip in every ninth row."""
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(["nr", "sentence", *ROLES.values()])
    for i in range(90):
        what = tuple(WORDINGS)[i % 3]
        kinds = KINDS[what]
        who, whom = NAMES[kinds[0]][i % 7 % len(NAMES[kinds[0]])], NAMES[kinds[1]][(i // 3) % len(NAMES[kinds[1]])]
        said = SLIP[what] if i % 9 == 4 else what
        table.writerow(
            [f"row {i}", WORDINGS[what][(i // 5) % 3].format(who, whom), who, kinds[0], said, whom, kinds[1]]
        )
    return file.getvalue().encode()


def diary() -> bytes:
    """A zip of three texts."""
    texts = {
        "monday.txt": "Mara met Owen in the park. She gave him the keys, and he thanked her.",
        "tuesday.txt": "Owen lost the keys. He called Mara, but she was at work.",
        "wednesday.txt": "The keys were in his coat. Mara laughed when she heard it.",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in texts.items():
            packed.writestr(f"diary/{name}", text)
    return file.getvalue()


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app as it is after its first start, as far as the tour needs it: the linking sample and one quick run."""
    workspace = Workspace.open(tmp_path_factory.mktemp("hour") / "workspace")
    ids = {
        split: workspace.add_corpus("Sample linking", corpora.read(path), split=split, source="sample linking")
        for split, path in first.sample_files("linking").items()
    }
    info = registry.get("linking").learner("s-mart", "quick")
    run = jobs.start(
        workspace,
        "linking",
        info.name,
        asdict(info.settings),
        train=[ids["train"]],
        dev=[ids["dev"]],
        files=first.sample_resources("linking"),
    )
    until = time.monotonic() + LONG / 1000
    while jobs.is_alive(workspace, run):
        assert time.monotonic() < until, "the run did not end"
        time.sleep(0.2)
    assert workspace.run(run).status == "done"
    with serving(workspace.directory, toy=False) as running:
        yield running


def at_stop(page: Page, number: int, name: str) -> None:
    """On the page of this stop, and drawn."""
    expect(page.get_by_text(f"Tour, {number} of {len(tour.STOPS)}")).to_be_visible()
    expect(page).to_have_url(re.compile(f"/{name}"))
    settle(page)


def go_on(page: Page) -> None:
    page.locator(".st-key-tour-next button").click()


def accept_first_suggestion(page: Page) -> None:
    page.locator(".page .chip.suggested").first.click()
    page.locator(".why button", has_text=re.compile("^Accept")).first.click()
    expect(page.locator(".saved")).to_contain_text("saved, 1 edit")
    settle(page)


def retrain(page: Page) -> None:
    """Until the change that it made is on screen."""
    page.get_by_role("tab", name="Versions and scores").click()
    page.get_by_role("button", name="Retrain with the corrections").click()
    expect(page).to_have_url(re.compile("retrained="))
    expect(page.get_by_role("link", name="Go on with the new run")).to_be_visible(timeout=LONG)
    expect(page.get_by_text(re.compile(r"points \(95 % interval .* n = \d+\)")).first).to_be_visible()
    settle(page)


def verdict(page: Page) -> str:
    """The sentence that says which of two runs is better."""
    expect(page.get_by_text("Paired bootstrap and permutation")).to_be_visible(timeout=LONG)
    sentence = page.get_by_text(re.compile("Such a difference by chance")).first
    expect(sentence).to_be_visible()
    return sentence.inner_text()


def test_the_tour_is_played_as_it_says_and_never_comes_back(visit: Visit, hour: Server) -> None:
    page = visit("/", hour.address)
    page.get_by_role("button", name=re.compile("Take the tour")).click()

    # 1 and 2: a close call; the link comes and goes with the knob; a pin decides.
    at_stop(page, 1, "linking")
    knob = page.locator(".strip input[type=range]")
    knob.focus()
    page.keyboard.press("End")
    expect(page.locator(".candidate.chosen")).to_have_count(0)
    page.keyboard.press("Home")
    expect(page.locator(".candidate.chosen")).not_to_have_count(0)
    settle(page)
    go_on(page)
    at_stop(page, 2, "linking")
    page.locator(".candidate:not(.chosen)").first.click()
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile("pins="))
    expect(page.locator(".candidate.chosen .icon")).to_be_visible()
    settle(page)
    go_on(page)

    # 3: the whole corpus answers.
    at_stop(page, 3, "tune")
    page.locator(".tuner input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("bias="))
    settle(page)
    go_on(page)

    # 4: a number is clicked, the arrows walk its cases.
    at_stop(page, 4, "errors")
    page.locator(".stages button:enabled").first.click()
    expect(page.locator(".cases")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".case.at")).to_have_attribute("id", "case1")
    expect(page).to_have_url(re.compile("sel="))
    settle(page)
    go_on(page)

    # 5 and 6: a suggestion is accepted, the text is done, and a run learns from it.
    at_stop(page, 5, "annotate")
    accept_first_suggestion(page)
    page.locator(".why button", has_text=re.compile("^Done d")).click()
    settle(page)
    go_on(page)
    at_stop(page, 6, "annotate")
    retrain(page)
    go_on(page)

    # 7: the verdict, in a sentence; then the way to one's own texts.
    at_stop(page, 7, "compare")
    assert "0.000" not in verdict(page)
    page.get_by_role("button", name="Bring your own texts").click()
    expect(page).to_have_url(re.compile("/corpora.*view=Add"))
    settle(page)
    for name in ("Home", "Linking", "Tune"):
        page.get_by_role("link", name=name, exact=True).click()
        settle(page)
        expect(page.locator(".st-key-tour")).to_have_count(0)


def add(page: Page) -> None:
    page.locator(".st-key-corpora-add button").click()
    expect(page.get_by_text("Added. What next?")).to_be_visible()
    settle(page)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_test_id("stMain").get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def upload(page: Page, name: str, content: bytes) -> None:
    page.locator('input[type="file"]').set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})


@pytest.mark.long
def test_a_stranger_brings_texts_and_leaves_with_a_report(visit: Visit, hour: Server, tmp_path: Path) -> None:
    # Ten tweets, pasted; how a run that is there decides them.
    page = visit("/corpora?view=Add", hour.address)
    page.get_by_text("Pasted text", exact=True).click()
    box = page.get_by_label("Type or paste text")
    box.fill(TWEETS)
    box.press("Control+Enter")
    expect(page.get_by_text("Read without problems: 10 documents.")).to_be_visible()
    settle(page)
    add(page)
    page.get_by_role("link", name="See how entity linking decides it").click()
    expect(page).to_have_url(re.compile("/linking"))
    settle(page)
    expect(page.locator(".candidate.chosen").first).to_be_visible()
    page.get_by_role("link", name=re.compile("Annotate it")).click()
    expect(page).to_have_url(re.compile("/annotate"))
    settle(page)
    expect(page.locator(".page")).to_contain_text("Just landed in Seattle")

    # A zip of texts: read, and said what it is good for.
    page.get_by_role("link", name="Corpora", exact=True).click()
    settle(page)
    page.get_by_test_id("stMain").get_by_text("Add", exact=True).click()
    page.get_by_role("button", name="Add another").click()
    page.get_by_text("Files", exact=True).click()
    settle(page)
    upload(page, "diary.zip", diary())
    expect(page.get_by_text("Read without problems: 3 documents.")).to_be_visible()
    settle(page)
    add(page)
    page.get_by_role("link", name="Look through its documents").click()
    settle(page)
    page.get_by_role("link", name="Document", exact=True).click()
    expect(page.locator(".text")).to_contain_text("Mara met Owen in the park.")

    _table_to_run(page, hour)
    _tuned(page)
    _corrected(page)
    _report(page, tmp_path)


def _table_to_run(page: Page, hour: Server) -> None:
    """A table whose columns have other names, divided, and a run that learns from it."""
    page.goto(f"{hour.address}/corpora?view=Add")
    settle(page)
    upload(page, "staff.csv", staff())
    expect(page.get_by_text(re.compile("What is in each column"))).to_be_visible()
    settle(page)
    choose(page, "A row is", "a relation between two mentions of a text")
    for role, column in ROLES.items():
        choose(page, role, column)
    expect(page.get_by_text("Read without problems: 90 documents.")).to_be_visible()
    page.get_by_text("split into train, dev and test").click()
    settle(page)
    for part, share in (("train", "60"), ("dev", "30")):
        page.get_by_label(f"{part}, %", exact=True).fill(share)
        page.get_by_label(f"{part}, %", exact=True).press("Enter")
        settle(page)
    expect(page.get_by_text("train: 54 documents · dev: 27 documents · test: 9 documents")).to_be_visible()
    add(page)
    page.get_by_role("link", name="Train joint entities and relations on it").click()
    expect(page).to_have_url(re.compile("/train"))
    settle(page)
    expect(page.get_by_text("Without a file of constraints, they are learnt from the training data")).to_be_visible()
    page.get_by_text("Quick", exact=True).click()
    settle(page)
    page.get_by_role("button", name="Start training").click()
    expect(page).to_have_url(re.compile("job=joint-"))
    expect(page.get_by_role("link", name="Tune it")).to_be_visible(timeout=LONG)
    expect(page.get_by_text(re.compile("relation F1 .* on staff dev at bias"))).to_be_visible()
    settle(page)


def _tuned(page: Page) -> None:
    """On dev, by one control; locked; the test part of the same corpus is what would be revealed."""
    page.get_by_role("link", name="Tune it").click()
    expect(page).to_have_url(re.compile("/tune.*corpus=staff-dev"))
    expect(page.get_by_role("button", name="Go there")).to_be_visible(timeout=LONG)
    settle(page)
    page.get_by_role("button", name="Go there").click()
    expect(page).to_have_url(re.compile("bias="))
    settle(page)
    page.get_by_role("tab", name="Keep, lock, reveal test").click()
    page.get_by_role("button", name="Lock it").click()
    expect(page.get_by_role("button", name="Reveal test")).to_be_enabled()
    expect(page.get_by_role("combobox", name="Test corpus")).to_have_value("staff test")
    settle(page)


def _corrected(page: Page) -> None:
    """Three slips of the training table, found among the errors; then a run that learnt without them."""
    run = re.search(r"run=([^&]+)", page.url)
    assert run is not None
    address = page.url.split("/tune")[0]
    for _ in range(3):
        page.goto(f"{address}/errors?corpus=staff-train&run={run[1]}")
        settle(page)
        expect(page.get_by_text("The run learnt from this corpus")).to_be_visible()
        case = page.locator(".case", has_text="(gold: ").first
        expect(case).to_be_visible(timeout=LONG)
        case.click()
        expect(page.locator(".case.at")).to_have_attribute("data-key", case.get_attribute("data-key") or "")
        # The server is told a moment after the click; nobody presses the link of a case before it is there.
        expect(page).to_have_url(re.compile("sel="))
        settle(page)
        page.get_by_role("link", name="Correct it").click()
        expect(page).to_have_url(re.compile("/annotate"))
        settle(page)
        accept_first_suggestion(page)
    retrain(page)
    page.get_by_role("link", name="Go on with the new run").click()
    settle(page)


def _report(page: Page, tmp_path: Path) -> None:
    """The verdict on dev, and the report, which begins with it."""
    runs = re.findall(r"joint-\d+-\d+", page.url)
    address = page.url.split("/annotate")[0]
    page.goto(f"{address}/compare?corpus=staff-dev&run={runs[0]}")
    settle(page)
    assert re.match("B finds", verdict(page))
    page.get_by_role("tab", name="Report").click()
    page.get_by_role("button", name="Make the report").click()
    with page.expect_download(timeout=LONG) as started:
        page.get_by_role("button", name="Report as HTML").click()
    kept = tmp_path / "report.html"
    started.value.save_as(kept)
    told = re.sub(r"<[^>]+>", " ", kept.read_text(encoding="utf-8").split("<body", 1)[1])
    assert "staff dev" in told and "Such a difference by chance" in told
    assert not re.search(r"\bNone\b|0\.000\b|\d\.\d{6}", told), "no raw values"
