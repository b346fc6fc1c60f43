"""Which systems may be ranked together, and when a score is about what was learnt."""

from __future__ import annotations

from dataclasses import replace

from engine.data.document import Document, Layer, Mention
from engine.store.runs import RunInfo
from engine.store.workspace import CorpusInfo
from engine.tasks.base import Model
from engine.tasks.coreference.settings import LEARNERS
from engine.tasks.registry import get
from engine.workbench.honesty import GIVEN, OWN, apart, comparable_with, learnt_from, same_dev, starting_point

TEXT = Document("a", "Ada met her.").with_layer("gold", Layer((Mention(0, 3), Mention(8, 11)), clusters=((0, 1),)))


def run(**values: str) -> RunInfo:
    nothing = dict.fromkeys(("task", "learner", "train", "dev", "data_hash", "created", "message"), "")
    return RunInfo(
        **{
            "id": "r",
            **nothing,
            "status": "done",
            "finished": None,
            "settings": {},
            "scores": {},
            "seed": 0,
            "bias": 0.0,
        }
        | values
    )


def test_gold_mentions_and_own_mentions_are_not_ranked_together() -> None:
    task, settings = get("coreference"), LEARNERS["baseline"].settings
    models = {
        name: Model("coreference", "baseline", replace(settings, mentions=name), None) for name in ("gold", "predicted")
    }
    points = {name: starting_point(task, model, [TEXT]) for name, model in models.items()}
    assert points == {"gold": GIVEN, "predicted": OWN}
    assert "cannot be compared" in apart(points)
    assert comparable_with("gold", {**points, "theirs": ""}) == ["gold", "theirs"]
    assert apart({"gold": GIVEN, "theirs": "", "also gold": GIVEN}) == ""


def test_a_score_on_training_texts_is_told_by_corpus_and_by_text() -> None:
    corpus = CorpusInfo("c", "C", "dev", "", "", 2, "")
    documents = [Document("x", "One text."), Document("y", "Another.")]
    assert "learnt from this corpus" in learnt_from(run(train="b,c"), corpus, documents, [])
    assert learnt_from(run(train="b"), corpus, documents, [Document("q", "one text.")]).startswith("1 of 2 documents")
    assert learnt_from(run(train="b"), corpus, documents, [Document("x", "Something else.")]) == ""


def test_learning_curves_are_comparable_on_the_same_dev_only() -> None:
    assert same_dev([run(dev="a,b"), run(dev="b,a")])
    assert not same_dev([run(dev="a"), run(dev="b")])
