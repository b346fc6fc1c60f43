"""Bags from linked documents and a table of facts, in Python and from the command line."""

from __future__ import annotations

import json

import pytest

from engine.cli.main import main
from engine.corpora import read
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.features.distant.alignment import build_bags, read_facts
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
    bags = build_bags(documents_, facts)
    by_pair = {(bag.bag.first, bag.bag.second): bag for bag in bags}
    assert set(by_pair) == {("Q1", "Q2"), ("Q1", "Q3"), ("Q2", "Q3")}
    both = by_pair["Q1", "Q2"]
    assert both.gold.labels == ("born_in", "died_in") and len(both.bag.members) == 2
    heads = [both.surface(both.gold.mentions[m.head]) for m in both.bag.members]
    assert heads == ["Einstein", "Einstein"]
    assert by_pair["Q1", "Q3"].gold.labels == ()
    assert len(build_bags(documents_, facts, nil_share=0.0)) == 1


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
