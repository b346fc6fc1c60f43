"""Which systems may be ranked together, and when a score is about what was learnt."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.store.runs import RunInfo
from engine.store.workspace import CorpusInfo
from engine.tasks.base import Model
from engine.tasks.coreference.settings import LEARNERS
from engine.tasks.joint.constraints.space import Space
from engine.tasks.registry import get
from engine.workbench.honesty import (
    GIVEN,
    OWN,
    ForeignLabels,
    apart,
    comparable_with,
    learnt_from,
    refuse_foreign,
    same_dev,
    starting_point,
)

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


def joint_model(types: tuple[str, ...], relations: tuple[str, ...]) -> Any:
    space = Space(types, ("none", *relations))
    return Model("joint", "basic", get("joint").learner("basic").settings, SimpleNamespace(space=space))


def related(id: str, kind: str, relation: str) -> Document:
    mentions = (Mention(0, 1, kind), Mention(2, 3, kind))
    return Document(id, "a b", layers={GOLD: Layer(mentions, relations=(Relation(0, 1, relation),))})


@pytest.mark.parametrize(
    ("kind", "relation", "foreign"),
    [("Person", "leads", "types"), ("Peop", "leads", "relations"), ("Peop", "Kill", "")],
)
def test_a_run_that_knows_none_of_the_names_is_not_scored(kind: str, relation: str, foreign: str) -> None:
    model = joint_model(("Peop", "Loc"), ("Kill",))
    documents = [related("a", kind, relation), related("b", kind, "based_in")]
    if not foreign:
        refuse_foreign(get("joint"), model, documents)
        return
    with pytest.raises(ForeignLabels, match=f"none of the {foreign} of this corpus"):
        refuse_foreign(get("joint"), model, documents)


def test_a_corpus_without_names_refuses_nothing() -> None:
    refuse_foreign(get("joint"), joint_model(("Peop",), ("Kill",)), [Document("a", "a b")])
    refuse_foreign(get("linking"), None, [Document("a", "a b")])
