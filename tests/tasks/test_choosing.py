"""Settings that suit the amount of data: when they are chosen, on which documents, and that the model tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import Document
from engine.settings import ChoosingSettings, setting
from engine.tasks.base import LearnerInfo, Resources
from engine.tasks.registry import get
from engine.tasks.saving import load_model, save_model
from engine.tasks.training import choosing
from engine.tasks.training.choosing import FOLDS, LEAST, MOST, choose

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "distant" / "train.jsonl"


@dataclass(frozen=True, kw_only=True)
class Told(ChoosingSettings):
    strength: float = setting(10.0, "What is chosen.")
    other: int = setting(1, "What is not.")


class Watched:
    """A system that notes what it was trained on, and does best with a strength of 1."""

    def __init__(self) -> None:
        self.trained: list[tuple[float, frozenset[str]]] = []
        self.judged: list[frozenset[str]] = []
        self.info = LearnerInfo("one", "One", "One.", Told(choose=True), choices={"strength": (10.0, 1.0, 0.1)})

    def learner(self, name: str) -> LearnerInfo[Told]:
        return self.info

    def learns_from(self, train: list[Document], settings: Told) -> list[Document]:
        return [document for document in train if not document.id.startswith("unused")]

    def rounds(self, train: list[Document], dev: Any, learner: str, settings: Told, files: Resources) -> Any:
        self.trained.append((settings.strength, frozenset(document.id for document in train)))
        yield SimpleNamespace(model=settings)

    def score(self, documents: list[Document], model: Told) -> Told:
        self.judged.append(frozenset(document.id for document in documents))
        return model

    def decide(self, scored: Told) -> Told:
        return scored

    def evaluate(self, documents: list[Document], decided: Told, scored: Told) -> dict[str, float]:
        return {"f1": 1 / (1 + abs(decided.strength - 1))}

    def main_number(self, report: dict[str, float]) -> float:
        return report["f1"]


def documents(n: int) -> list[Document]:
    return [Document(f"d{i}", "x") for i in range(n)]


def chosen(task: Any, train: list[Document], settings: Told | None = None, **options: Any) -> Any:
    return choose(task, train, "one", settings or task.info.settings, Resources(), **options)


def test_the_value_that_does_best_on_documents_left_out_is_chosen() -> None:
    task = Watched()
    train = [*documents(LEAST), Document("unused", "x")]
    seen: list[tuple[int, int]] = []
    settings, choice = chosen(task, train, watch=lambda what, done, total: seen.append((done, total)))
    assert settings == replace(task.info.settings, strength=1.0)
    assert choice.values == {"strength": 1.0} and choice.documents == LEAST
    assert [words for words, _ in choice.tried] == ["strength=10.0", "strength=0.1", "strength=1.0"], "the best last"
    assert "strength=1.0, chosen by cross-validation on 200 training documents" in choice.sentence
    everybody = {document.id for document in documents(LEAST)}
    for (_, inside), outside in zip(task.trained, task.judged, strict=True):
        assert inside | outside == everybody and not inside & outside
    for first in range(0, len(task.judged), FOLDS):
        assert sum(map(len, task.judged[first : first + FOLDS])) == LEAST, "each document is judged once"
    assert seen == [(i, 3 * FOLDS) for i in range(3 * FOLDS)]


@pytest.mark.parametrize("n", [0, LEAST - 1, MOST + 1])
def test_too_few_and_too_many_documents_choose_nothing(n: int) -> None:
    task = Watched()
    assert chosen(task, documents(n)) == (task.info.settings, None) and task.trained == []


def test_what_somebody_set_is_kept() -> None:
    task, train = Watched(), documents(LEAST)
    for settings, options in (
        (replace(task.info.settings, strength=3.0), {}),
        (task.info.settings, {"fixed": ["strength"]}),
        (replace(task.info.settings, choose=False), {}),
    ):
        assert chosen(task, train, settings, **options) == (settings, None)
    assert task.trained == []
    assert chosen(task, train, replace(task.info.settings, other=2))[0].strength == 1.0


def test_the_first_of_equal_values_stays() -> None:
    task = Watched()
    task.info = replace(task.info, choices={"strength": (10.0, -8.0)})
    assert chosen(task, documents(LEAST))[0].strength == 10.0


def test_a_model_remembers_and_describe_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "LEAST", 20)
    corpora.write(corpora.read(SAMPLE)[:40], tmp_path / "few.jsonl")
    where = ["--train", str(tmp_path / "few.jsonl"), "--model", str(tmp_path / "m.zip")]
    assert main(["train", "distant", *where, "--set", "planes=2", "--set", "n_rounds=1"]) == 0
    said = capsys.readouterr()
    assert "chosen by cross-validation on" in said.out and "choosing by cross-validation: C=10.0 (1 of 9)" in said.err
    task = get("distant")
    model = load_model(task, tmp_path / "m.zip")
    assert model.chosen in said.out and f"C={model.settings.C}" in model.chosen
    assert main(["describe", "distant", "--model", str(tmp_path / "m.zip")]) == 0
    assert model.chosen.split(",")[0] in capsys.readouterr().out
    save_model(task, replace(model, chosen=""), tmp_path / "m.zip")
    assert load_model(task, tmp_path / "m.zip").chosen == ""
    assert main(["train", "distant", *where, "--set", "C=10", "--set", "planes=2", "--set", "n_rounds=1"]) == 0
    assert "chosen by" not in capsys.readouterr().out
