"""Driving the app without a browser: AppTest on a workspace of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.corpora import data_hash
from engine.data.document import NIL, Document, Layer, Mention
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.saving import save_model
from tests.ui import tables
from tests.ui.toy import Toy, ToySettings
from ui.background import jobs
from ui.tab import pages

ROOT = Path(__file__).resolve().parents[2]


def register(monkeypatch: pytest.MonkeyPatch, tasks: Mapping[str, str]) -> None:
    """Make these the systems there are, wherever the app looks for them."""
    monkeypatch.setattr(registry, "TASKS", tasks)
    registry.get.cache_clear()


def app() -> AppTest:
    """The app at its entrance, not yet run. The workspace is the one the `workspace` fixture made."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)


def open_page(page: str, **query: str | list[str]) -> AppTest:
    """The app on a page, as a link with these parameters opens it."""
    at = app()
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    if page != "home":
        # Going to a page clears the address, so what the link holds is put back, as the browser would send it.
        at.switch_page(str(pages.script(page).relative_to(ROOT)))
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
    assert not (found := tables.faults(at)), found
    return at


def components(at: AppTest) -> dict[str, Any]:
    """What each mounted component was given, by its key."""
    return {str(element.key): json.loads(element.proto.json) for element in at.get("bidi_component")}


def words_on(at: AppTest) -> str:
    """All text the page shows, for tests that look for a sentence."""
    kinds = ("title", "subheader", "markdown", "caption", "text", "error", "warning", "success")
    return "\n".join(str(element.value) for kind in kinds for element in getattr(at, kind))


def sample_documents(n: int = 6) -> list[Document]:
    """Small documents with links, types and clusters; every third one has an emoji before its mention."""
    found = []
    for i in range(n):
        head = ["👩‍👩‍👧", "and"] if i % 3 == 0 else []
        words = [*head, "Ada", "Lovelace", "met", "Charles", "Babbage", "in", "London", "."]
        document = Document.from_words(f"d{i}", [words, ["She", "wrote", "to", "him", "."]])
        at = len(head)
        mentions = (
            Mention(*document.char_range(at, at + 2), type="PER", entity="Ada_Lovelace"),
            Mention(*document.char_range(at + 3, at + 5), type="PER", entity="Charles_Babbage"),
            Mention(*document.char_range(at + 6, at + 7), type="LOC", entity="London"),
            Mention(*document.char_range(at + 8, at + 9), type="PER", entity=NIL),
        )
        found.append(document.with_layer("gold", Layer(mentions, clusters=((0, 3), (1,)))))
    return found


def add_samples(workspace: Workspace) -> tuple[str, str]:
    """A train and a dev corpus; their ids."""
    documents = sample_documents()
    train = workspace.add_corpus("Sample", documents, split="train")
    dev = workspace.add_corpus("Sample", sample_documents(4), split="dev")
    return train, dev


def parameter(at: AppTest, name: str) -> str:
    """One parameter of the address."""
    value = at.query_params[name]
    return value if isinstance(value, str) else value[0]


def start(workspace: Workspace, train: list[str], *, dev: list[str] | None = None, **settings: Any) -> str:
    """A run of the toy; its id."""
    values = {**asdict(ToySettings()), **settings}
    return jobs.start(workspace, "toy", "count", values, train=train, dev=dev or [])


def trained(workspace: Workspace, train: str, dev: str, **settings: Any) -> str:
    """A finished run of the toy, for tests that are not about training: made here, not in a process of its own."""
    toy, values = Toy(), ToySettings(**settings)
    learn, judge = workspace.documents(train), workspace.documents(dev)
    run = workspace.start_run("toy", "count", asdict(values), train=train, dev=dev)
    for one in toy.rounds(learn, judge, "count", values, Resources()):
        workspace.add_round(run, one.index, one.objective, one.scores, {"total": one.total})
    scores = toy.evaluate(judge, toy.predict(judge, one.model))
    save_model(toy, replace(one.model, scores=scores, data_hash=data_hash(learn)), workspace.model_path(run))
    workspace.set_data_hash(run, data_hash(learn))
    workspace.finish_run(run, "done", scores=scores, bias=one.model.bias)
    return run


def wait_for(workspace: Workspace, run: str, rounds: int | None = None) -> None:
    """Until the run has ended, or has made so many rounds. A run that hangs fails the test."""
    until = time.monotonic() + 60
    while jobs.is_alive(workspace, run):
        if rounds is not None and len(workspace.rounds(run)) >= rounds:
            return
        assert time.monotonic() < until, "the run did not end"
        time.sleep(0.02)
