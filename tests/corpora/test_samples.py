"""The bundled sample corpora are sound: offsets, entities that exist, and no text that repeats another."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from engine import corpora

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
SPLITS = ("train", "dev", "test")


@cache
def rows(task: str, split: str) -> tuple[dict[str, Any], ...]:
    lines = (SAMPLES / task / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(line) for line in lines)


def everything(task: str) -> list[dict[str, Any]]:
    return [row for split in SPLITS for row in rows(task, split)]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def overlap(a: set[str], b: set[str]) -> float:
    """Shared words over the smaller set: 1 also where one text is the other with something added."""
    return len(a & b) / min(len(a), len(b))


@pytest.mark.parametrize("task", ["linking", "disambiguation"])
def test_no_two_texts_share_85_percent_of_their_words(task: str) -> None:
    known = [(row["id"], words(row["text"])) for row in everything(task)]
    assert [(a, b) for (a, x), (b, y) in combinations(known, 2) if overlap(x, y) >= 0.85] == []


@pytest.mark.parametrize("task", ["linking", "disambiguation"])
def test_mentions_are_where_they_say_and_do_not_overlap(task: str) -> None:
    for row in everything(task):
        free = 0
        for mention in row["mentions"]:
            assert row["text"][mention["start"] : mention["end"]] == mention["text"], row["id"]
            assert free <= mention["start"] < mention["end"], row["id"]
            free = mention["end"]


@pytest.mark.parametrize("task", ["linking", "disambiguation"])
def test_ids_are_unique(task: str) -> None:
    assert max(Counter(row["id"] for row in everything(task)).values()) == 1


def test_no_pair_of_the_distant_sample_is_in_two_splits() -> None:
    """A pair that was learnt is no question: its relations are known."""
    pairs = {split: {(row["e1"], row["e2"]) for row in rows("distant", split)} for split in SPLITS}
    assert [pairs[a] & pairs[b] for a, b in combinations(SPLITS, 2)] == [set()] * 3


def test_linked_entities_are_in_the_lexicon() -> None:
    folder = SAMPLES / "linking" / "lexicon"
    tables = {
        name: {line.split("\t")[0] for line in (folder / name).read_text(encoding="utf-8").splitlines()}
        for name in ("entities.tsv", "descriptions.tsv")
    }
    gold = {m["entity"] for row in everything("linking") for m in row["mentions"]} - {None}
    for known in tables.values():
        assert gold <= known


def test_the_lexicon_of_the_training_tweets_has_their_counts() -> None:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows("linking", "train"):
        for m in row["mentions"]:
            if m["entity"] is not None:
                counted[m["text"].lower()][m["entity"]] += 1
    path = SAMPLES / "linking" / "lexicon" / "lexicon_tweets_train.jsonl"
    told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {row["surface"]: {title: n for title, n, _ in row["entities"]} for row in told} == counted


def test_splits_of_coreference_share_no_text() -> None:
    told = {split: {one.text for one in corpora.read(SAMPLES / "coreference" / f"{split}.conll")} for split in SPLITS}
    assert all(not told[one] & told[other] for one, other in combinations(SPLITS, 2))


def test_gold_is_among_the_candidates() -> None:
    for row in everything("disambiguation"):
        for m in row["mentions"]:
            assert m["entity"] is None or m["entity"] in {c["title"] for c in m["candidates"]}, (row["id"], m["text"])


def test_candidates_of_a_document_form_one_graph() -> None:
    """An id has one title and one set of numbers everywhere; links go both ways and stay within the document."""
    told: dict[int, tuple[Any, ...]] = {}
    for row in everything("disambiguation"):
        links = {c["id"]: set(c["links"]) for m in row["mentions"] for c in m["candidates"]}
        for m in row["mentions"]:
            for c in m["candidates"]:
                facts = (c["title"], c["in_count"], c["out_count"], c["type"], c["pop"])
                assert told.setdefault(c["id"], facts) == facts
                assert set(c["links"]) == links[c["id"]] <= set(links) - {c["id"]}
        assert all(a in links[b] for a, others in links.items() for b in others)
    assert len({facts[0] for facts in told.values()}) == len(told)
