"""What anybody may have written is shown as it is written where Streamlit renders Markdown."""

from __future__ import annotations

import re
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.store.workspace import Workspace
from engine.tuning.curve import Curve
from tests.trials.hostile import PAYLOADS
from tests.ui import harness
from ui.background.beside import Soon
from ui.shell import cache
from ui.tab.hidden import literal, visible

PICTURE = "![picture](http://outside.invalid/p.png)"


def read(markdown: str) -> str:
    """What Markdown makes of text in which nothing has a meaning: backslashes before punctuation go."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_payload_keeps_a_meaning(payload: str) -> None:
    said = literal(payload)
    assert read(said) == visible(payload)
    assert not re.search(r"(?<!\\)[!-/:-@\[\]-`{-~]", said.replace("\\\\", ""))


@given(st.text())
def test_the_words_stay_the_same(text: str) -> None:
    assert read(literal(text)) == visible(text)


def test_the_name_of_a_corpus_whose_curve_is_awaited_is_no_markdown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen only while a curve is being computed: a name with a picture asked another machine for it."""
    train = workspace.add_corpus(PICTURE, harness.sample_documents(), split="train")
    dev = workspace.add_corpus(PICTURE, harness.sample_documents(4), split="dev")
    run = harness.trained(workspace, train, dev)
    never: Future[Curve] = Future()
    monkeypatch.setattr("ui.background.beside.PATIENCE", 0.0)
    monkeypatch.setattr(cache, "curve_soon", lambda *_: Soon(never, 0.0))
    at = harness.open_page("document", corpus=dev, run=run)
    assert not at.exception
    (bar,) = at.get("progress")
    assert PICTURE not in bar.proto.text and PICTURE in read(bar.proto.text)
