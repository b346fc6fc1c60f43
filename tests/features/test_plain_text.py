"""Coreference on plain text: English is read with what is installed; what else is missing is named in one line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.coreference import plain_text
from tests.ui.harness import sample_documents

PLAIN = Document("letter", "Ada met Bob. She liked him.")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """A tagger of one test is not that of the next."""
    plain_text._parser.cache_clear()
    yield
    plain_text._parser.cache_clear()


def test_without_spacy_english_is_read_and_for_others_what_to_install_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setattr(plain_text, "can_tag", lambda language: False)
    tagged = []
    for document in sample_documents():
        columns = {"pos": tuple("NNP" if word.istitle() else "IN" for word in document.words)}
        tagged.append(replace(document, columns=columns))
    corpora.write(tagged, tmp_path / "train.jsonl")
    learnt = ["--set", "iterations=1", "--model", f"{tmp_path}/m.zip", "--quiet"]
    assert main(["train", "coreference", "--train", f"{tmp_path}/train.jsonl", *learnt]) == 0
    capsys.readouterr()
    (tmp_path / "plain.jsonl").write_text(json.dumps({"id": PLAIN.id, "text": PLAIN.text, "mentions": []}) + "\n")
    files = ["--data", f"{tmp_path}/plain.jsonl", "--out", f"{tmp_path}/out.jsonl"]
    assert main(["predict", "coreference", "--model", f"{tmp_path}/m.zip", *files]) == 0
    (read,) = corpora.read(tmp_path / "out.jsonl")
    assert {"Ada", "Bob"} <= {read.surface(mention) for mention in read.gold.mentions}
    with pytest.raises(
        InputError, match=r"'letter' is plain text.*requirements-text.txt.*spacy download zh_core_web_sm"
    ):
        plain_text.tagged(PLAIN, "chinese")


def test_a_missing_model_of_spacy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> object:
        raise OSError(f"[E050] Can't find model '{name}'.")

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))
    with pytest.raises(InputError, match=r"document 'letter' .* python -m spacy download zh_core_web_sm"):
        plain_text.tagged(PLAIN, "chinese")


def test_the_tagger_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    def load(name: str) -> object:
        loaded.append(name)
        return lambda text: _Parsed()

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))
    monkeypatch.setattr(plain_text, "can_tag", lambda language: True)
    for _ in range(3):
        assert plain_text.tagged(PLAIN, "english").tokens == ()
    assert loaded == ["en_core_web_sm"]


class _Parsed(list):  # type: ignore[type-arg]
    """A text in which a tagger saw nothing."""

    sents = ()


def test_the_requirements_that_the_message_names_exist() -> None:
    text = (Path(plain_text.__file__).parents[3] / "requirements-text.txt").read_text()
    assert "spacy>=" in text and "spacy download en_core_web_sm" in text
