"""What a disambiguator is given besides documents: lexicons, also at evaluation, and vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import GOLD, NIL, Document, Layer
from engine.data.errors import InputError
from engine.features.disambiguation.priors import Links
from engine.features.disambiguation.table import bag_of_words
from engine.settings import with_values
from engine.tasks.base import Resources
from engine.tasks.disambiguation.scoring import prepare
from engine.tasks.disambiguation.task import Disambiguation, DisambiguationModel
from engine.tasks.registry import the
from engine.tasks.saving import load_model, save_model

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "disambiguation"
TASK = the(Disambiguation)


@cache
def documents(split: str) -> tuple[Document, ...]:
    return tuple(corpora.read(SAMPLES / f"{split}.jsonl"))


def giving(split: str, **extra: Any) -> list[Document]:
    """The documents with this instead of the candidates that they give, and without mentions that have none."""
    return [
        document.with_layer(
            GOLD, Layer(tuple(replace(m, extra=extra) for m in document.gold.mentions if m.extra["candidates"]))
        )
        for document in documents(split)
    ]


def bare(split: str) -> list[Document]:
    return giving(split)


def train(learner: str = "bsg", resources: Resources | None = None, **values: str) -> DisambiguationModel:
    settings = with_values(TASK.learner(learner).settings, {"trees": "6", "check_every": "3", **values})
    rounds = TASK.rounds(documents("train"), documents("dev"), learner, settings, resources or Resources())
    return list(rounds)[-1].model


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every name of the sample with all candidates that it has anywhere, and what is known of these."""
    folder = tmp_path_factory.mktemp("lexicon")
    readings: dict[str, dict[str, float]] = {}
    for split in ("train", "dev", "test"):
        for document in documents(split):
            for mention in document.gold.mentions:
                names = readings.setdefault(document.surface(mention).lower(), {})
                names |= {choice["title"]: choice["pop"] for choice in mention.extra["candidates"]}
    lines = [
        json.dumps(
            {"surface": surface, "entities": [[title, int(100 * pop), ["wikipedia"]] for title, pop in found.items()]}
        )
        for surface, found in readings.items()
    ]
    (folder / "surfaces.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    # Descriptions, which a model that was trained without any has no columns for, and a page outside of the lexicon.
    titles = sorted({title for found in readings.values() for title in found})
    told = "".join(f"{title}\ta thing called {title}\n" for title in titles)
    (folder / "descriptions.tsv").write_text(told, encoding="utf-8")
    (folder / "links.tsv").write_text(f"{titles[0]}\tList of everything\n", encoding="utf-8")
    return folder


def accuracy(model: DisambiguationModel, given: list[Document]) -> float:
    scored = TASK.scored(given, model)
    return float(TASK.evaluate(given, TASK.decide(scored), scored)["accuracy"])


def test_a_lexicon_given_later_finds_the_candidates_that_the_corpus_lacks(lexicon: Path, tmp_path: Path) -> None:
    model, test = train(), bare("test")
    n = sum(len(document.gold.mentions) for document in test)
    [note] = TASK.notes(TASK.notable(TASK.scored(test, model)))
    without = int(note.split()[0])
    assert 0 < without <= n and f"of {n} mentions have no candidates" in note and "--lexicon" in note
    other = TASK.with_lexicon(model, [lexicon])
    assert TASK.notes(TASK.notable(TASK.scored(test, other))) == []
    assert accuracy(other, test) > accuracy(model, test) + 0.1
    save_model(TASK, other, tmp_path / "m.zip")
    assert TASK.predict(test, load_model(TASK, tmp_path / "m.zip")) == TASK.predict(test, other)


def test_the_command_line_takes_the_lexicon_and_says_what_is_missing(
    lexicon: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(TASK, train(), tmp_path / "m.zip")
    corpora.write(bare("test"), tmp_path / "later.jsonl")
    where = ["--model", str(tmp_path / "m.zip"), "--data", str(tmp_path / "later.jsonl")]
    assert main(["evaluate", "disambiguation", *where, "--json"]) == 0
    plain = capsys.readouterr()
    assert "mentions have no candidates" in plain.err
    assert main(["evaluate", "disambiguation", *where, "--json", "--lexicon", str(lexicon)]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["accuracy"] > json.loads(plain.out)["accuracy"] and "candidates" not in told.err
    out = ["--out", str(tmp_path / "p.jsonl")]
    assert main(["predict", "disambiguation", *where, *out, "--lexicon", str(lexicon)]) == 0
    found = [m.entity for d in corpora.read(tmp_path / "p.jsonl") for m in d.gold.mentions]
    assert NIL not in found
    theirs = ["--data", str(tmp_path / "later.jsonl"), "--predictions", str(tmp_path / "p.jsonl")]
    assert main(["evaluate", "disambiguation", *theirs, "--lexicon", str(lexicon)]) == 1
    assert "--lexicon needs --model" in capsys.readouterr().err


def test_a_model_can_be_told_to_use_the_lexicon_whatever_is_given(lexicon: Path) -> None:
    """Lists in the corpus that hold nothing right do no harm then."""
    wrong = giving("test", candidates=["Nowhere"])
    model = train(resources=Resources(lexicon=(lexicon,)), source="lexicon")
    assert accuracy(model, wrong) == accuracy(model, bare("test")) > 0.2
    assert accuracy(replace(model, settings=replace(model.settings, source="given")), wrong) == 0.0


def vectors(path: Path, names: list[str], size: int = 3) -> Path:
    rows = [f"{name.replace(' ', '_')} {' '.join(str(i + k) for k in range(size))}" for i, name in enumerate(names)]
    path.write_text("\n".join([f"{len(rows)} {size}", *rows]) + "\n", encoding="utf-8")
    return path


def test_vectors_may_come_in_several_files_and_must_name_candidates(tmp_path: Path) -> None:
    titles = [choice["title"] for choice in documents("train")[0].gold.mentions[0].extra["candidates"]]
    first = vectors(tmp_path / "a.txt", titles[:1])
    second = vectors(tmp_path / "b.txt", [*titles[:1], *titles[1:]])
    model = train(resources=Resources(vectors=(first, second)))
    assert model.state.vectors is not None and set(model.state.vectors) == set(titles)
    with pytest.raises(InputError, match="another size"):
        train(resources=Resources(vectors=(first, vectors(tmp_path / "c.txt", titles, size=4))))
    with pytest.raises(InputError, match="none of the 1 vectors has the name of a candidate"):
        train(resources=Resources(vectors=(vectors(tmp_path / "d.txt", ["No Such Entity"]),)))
    with pytest.raises(InputError, match="compares vectors with words only"):
        train("local", resources=Resources(vectors=(first,)))


def test_vectors_of_words_give_three_similarities_with_the_text(tmp_path: Path) -> None:
    """Also to a learner without pairs; a saved model scores as the trained one did."""
    titles = [choice["title"] for choice in documents("train")[0].gold.mentions[0].extra["candidates"]]
    words = sorted({word for document in documents("train") for word in bag_of_words(document)})[:40]
    model = train("local", resources=Resources(vectors=(vectors(tmp_path / "w.txt", [*titles, *words]),)))
    assert {named.name for named in model.state.names} >= {"vector of document", "vector of mention", "vector of names"}
    save_model(TASK, model, tmp_path / "m.zip")
    again = load_model(TASK, tmp_path / "m.zip")
    assert TASK.predict(documents("dev"), again) == TASK.predict(documents("dev"), model)


def test_before_the_first_tree_a_model_that_starts_from_the_prior_is_the_prior(lexicon: Path) -> None:
    settings = with_values(TASK.learner("bsg").settings, {"trees": "1", "rate": "0.01", "source": "lexicon"})
    files = Resources(lexicon=(lexicon,))
    for start in ("prior", "zero"):
        *_, last = TASK.rounds(documents("train"), [], "bsg", with_values(settings, {"start": start}), files)
        test = bare("test")
        chosen = [mention.entity for layer in TASK.predict(test, last.model) for mention in layer.mentions]
        source = last.model.state.priors
        likeliest = [source.readings(d.surface(m))[0] for d in test for m in d.gold.mentions]
        agree = sum(entity == title for entity, (title, _) in zip(chosen, likeliest, strict=True)) / len(chosen)
        assert (agree > 0.95) == (start == "prior"), start


def test_portable_columns_know_nothing_of_the_training_documents(lexicon: Path) -> None:
    """Two models that learnt from different documents see the same columns of a third one."""
    settings = with_values(TASK.learner("local").settings, {"features": "portable", "source": "lexicon", "trees": "1"})
    files = Resources(lexicon=(lexicon,))
    half = len(documents("train")) // 2
    parts = (documents("train")[:half], documents("train")[half:])
    models = [[*TASK.rounds(part, [], "local", settings, files)][-1].model for part in parts]
    other = [replace(model.state.priors, links=Links({})) for model in models]
    seen = [
        prepare(bare("test"), replace(model.state, priors=priors), settings, structured=False).features
        for model, priors in zip(models, other, strict=True)
    ]
    weighed = [i for i, named in enumerate(seen[0].names) if "weight" in named.name]
    own = [np.delete(features.own, weighed, axis=1) for features in seen]
    assert np.array_equal(own[0], own[1]), "only the weights of words are counted in training"
    assert not [named.name for named in seen[0].names if " rate" in named.name or named.group == "place"]
