"""Bags from linked documents and a table of facts, in Python and from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.cli.main import main
from engine.corpora import read
from engine.corpora.io.aside import Aside
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.features.distant.alignment import Facts, build_bags, read_facts
from engine.tasks.registry import get


def linked(id: str, words: list[str], links: dict[int, str]) -> Document:
    bare = Document.from_words(id, [words])
    mentions = tuple(Mention(*bare.char_range(i, i + 1), entity=entity) for i, entity in links.items())
    return bare.with_layer("gold", Layer(mentions))


def test_alignment_makes_bags_of_pairs_with_facts_and_nil_bags_of_the_rest(tmp_path):
    (tmp_path / "facts.tsv").write_text("Q1\tborn_in\tQ2\nQ1\tdied_in\tQ2\n", encoding="utf-8")
    facts = read_facts([tmp_path / "facts.tsv"])
    documents_ = [
        linked("a", ["Ulm", "bore", "Einstein"], {0: "Q2", 2: "Q1"}),
        linked("b", ["Einstein", "left", "Ulm", "for", "Bern"], {0: "Q1", 2: "Q2", 4: "Q3"}),
    ]
    bags = list(build_bags(documents_, facts, Aside()))
    by_pair = {(bag.bag.first, bag.bag.second): bag for bag in bags}
    assert set(by_pair) == {("Q1", "Q2"), ("Q1", "Q3"), ("Q2", "Q3")}
    both = by_pair["Q1", "Q2"]
    assert both.gold.labels == ("born_in", "died_in") and len(both.bag.members) == 2
    heads = [both.surface(both.gold.mentions[m.head]) for m in both.bag.members]
    assert heads == ["Einstein", "Einstein"]
    assert by_pair["Q1", "Q3"].gold.labels == ()
    assert len(list(build_bags(documents_, facts, Aside(), nil_share=0.0))) == 1


def test_a_bad_line_of_facts_is_named(tmp_path):
    (tmp_path / "facts.tsv").write_text("Q1\tborn_in\tQ2\nQ1 born_in Q2\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_facts([tmp_path / "facts.tsv"])


def test_bags_build_writes_what_train_reads(tmp_path, capsys):
    (tmp_path / "facts.tsv").write_text("Einstein\tborn_in\tUlm\n", encoding="utf-8")
    record = {"id": "t", "text": "Einstein left Ulm", "mentions": []}
    record["mentions"] = [{"start": 0, "end": 8, "entity": "Einstein"}, {"start": 14, "end": 17, "entity": "Ulm"}]
    (tmp_path / "docs.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    command = ["bags", "build", "--data", str(tmp_path / "docs.jsonl"), "--facts", str(tmp_path / "facts.tsv")]
    assert main([*command, "--out", str(tmp_path / "bags.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["positive"] == 1
    (bag,) = read(tmp_path / "bags.jsonl")
    assert bag.gold.labels == ("born_in",) and get("distant").fits([bag]) == "yes"


def test_bags_that_wait_on_disk_are_those_of_pairs_collected_in_memory():
    """The obvious way: all sentences of all pairs in a dictionary."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(40):
        words = [f"w{i}" for i in range(6)]
        made.append(linked(f"d{number}", words, {i: f"Q{rng.integers(5)}" for i in range(0, 6, 2)}))
    facts = Facts({("Q1", "Q2"): ("near",), ("Q3", "Q0"): ("far", "high")})
    expected: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for document in made:
        at = [(mention.entity, mention) for mention in document.gold.mentions]
        for i, (a, one) in enumerate(at):
            for b, other in at[i + 1 :]:
                pairs = [(a, b, one, other), (b, a, other, one)]
                stated = [pair for pair in pairs if facts.of(*pair[:2])]
                for first, second, *both in stated or [min(pairs, key=lambda pair: pair[:2])]:
                    if first != second:
                        expected.setdefault((first, second), []).append(
                            (document.id, *(document.surface(mention) for mention in both))
                        )
    found = {}
    for bag in build_bags(made, facts, Aside()):
        mentions = [bag.surface(mention) for mention in bag.gold.mentions]
        found[bag.bag.first, bag.bag.second] = [
            (member.extra["sid"].split(":")[0], mentions[member.head], mentions[member.tail])
            for member in bag.bag.members
        ]
        assert bag.gold.labels == facts.of(bag.bag.first, bag.bag.second)
    assert list(found.items()) == list(expected.items())
    kept = list(build_bags(made, facts, Aside(), nil_share=0.5, seed=3))
    draws = np.random.default_rng(3)
    wanted = [pair for pair in expected if facts.of(*pair) or draws.random() < 0.5]
    assert [(bag.bag.first, bag.bag.second) for bag in kept] == wanted
    assert [bag.id for bag in kept] == [f"bag-{i}" for i in range(len(kept))]


def test_without_a_pair_nothing_is_written(tmp_path, capsys):
    (tmp_path / "facts.tsv").write_text("A\tr\tB\n", encoding="utf-8")
    (tmp_path / "docs.jsonl").write_text('{"id": "t", "text": "Einstein left Ulm"}\n', encoding="utf-8")
    command = ["bags", "build", "--data", str(tmp_path / "docs.jsonl"), "--facts", str(tmp_path / "facts.tsv")]
    assert main([*command, "--out", str(tmp_path / "bags.jsonl")]) == 1
    assert "no sentence mentions two linked entities" in capsys.readouterr().err
    assert not (tmp_path / "bags.jsonl").exists()
