"""Every importer on a small file that was written by hand after the documented shape, and on broken ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import corpora
from engine.corpora.scores.importers import IMPORTERS, import_file
from engine.corpora.scores.importers.reading import Asked
from engine.corpora.scores.records import PARTS
from engine.data.errors import InputError
from engine.tasks.outside.records import read_scores
from engine.tasks.registry import get

HERE = Path(__file__).parent / "outside"
FILES = {
    "refined": ("refined.jsonl", ()),
    "gliner": ("gliner.jsonl", ()),
    "glirel": ("glirel.jsonl", ()),
    "antecedents": ("antecedents.jsonl", ("data.jsonl",)),
    "neleval": ("neleval.tsv", ("data.jsonl",)),
    "rel": ("rel.json", ("data.jsonl",)),
    "opennre": ("opennre.jsonl", ("data.jsonl",)),
    "dreeam": ("dreeam.json", ("docred.json",)),
    "spotlight": ("spotlight.jsonl", ()),
    "dygie": ("dygie.jsonl", ()),
}


def asked(name: str, **more: Any) -> Asked:
    return Asked([HERE / file for file in FILES[name][1]], **more)


def imported(name: str, **more: Any) -> dict[str, Any]:
    """Document id -> what its record says."""
    return {one.id: one.extra for one in import_file(name, HERE / FILES[name][0], asked(name, **more))}


def scores(parts: list[dict[str, Any]], *fields: str) -> dict[Any, float]:
    """What the fields say -> score."""
    made = {tuple(_plain(part.get(name, "absent")) for name in fields): part["score"] for part in parts}
    return {key[0] if len(key) == 1 else key: score for key, score in made.items()}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", IMPORTERS)
def test_what_is_imported_is_decided_by_the_systems_it_is_for(name: str, tmp_path: Path) -> None:
    out = tmp_path / "s.jsonl"
    corpora.write(import_file(name, HERE / FILES[name][0], asked(name)), out)
    said = [PARTS in one.extra for one in corpora.read(out)]
    assert said and all(said)
    for system in IMPORTERS[name].module.FOR:
        if system == "disambiguation":
            continue  # it decides mentions that somebody else has found
        task = get(system)
        scored = read_scores(task, out)
        assert len(task.decide(scored)) == len(said)
        task.curve(scored)


def test_refined_gives_a_distribution_with_none_of_the_above() -> None:
    found = imported("refined", names={"Q1413": "Nero"})
    assert (found["t1"]["scale"], found["t1"]["alternatives"]) == ("prob", "all") and found["t2"][PARTS] == []
    assert scores(found["t1"][PARTS], "start", "end", "entity") == {
        (0, 4, "Nero"): 0.91,
        (0, 4, "Q2300"): 0.06,
        (0, 4, None): 0.03,
        (13, 17, "Q220"): 1 - 5e-5,
        (13, 17, None): 5e-5,
    }


def test_gliner_gives_the_labels_of_spans_and_relations() -> None:
    found = imported("gliner")["g1"]
    assert (found["scale"], found["alternatives"]) == ("prob", "top-k")
    assert scores(found[PARTS], "entity", "head", "tail", "type") == {
        ((0, 3), "absent", "absent", "Peop"): 0.93,
        ((0, 3), "absent", "absent", "Org"): 0.11,
        ((14, 26), "absent", "absent", "Peop"): 0.52,
        ((14, 26), "absent", "absent", "Org"): 0.48,
        ("absent", (0, 3), (14, 26), "Work_For"): 0.97,
    }


def test_constraints_of_ours_overrule_the_types_of_gliner(tmp_path: Path) -> None:
    """Nobody works for a person: the relation, of which GLiNER is sure, makes the employer an organisation."""
    out, rules = tmp_path / "s.jsonl", tmp_path / "rules.toml"
    corpora.write(import_file("gliner", HERE / "gliner.jsonl", Asked()), out)
    rule = ('name = "employers"', 'kind = "arguments"', 'relation = "Work_For"', 'head = ["Peop"]', 'tail = ["Org"]')
    rules.write_text("\n".join(["[[constraint]]", *rule]), encoding="utf-8")
    task: Any = get("joint")
    scored = read_scores(task, out)
    [alone], [together] = task.decide(scored), task.decide(task.constrained(scored, rules))
    assert [m.type for m in alone.mentions] == ["Peop", "Peop"] and [r.type for r in alone.relations] == ["Work_For"]
    assert [m.type for m in together.mentions] == ["Peop", "Org"]
    assert [r.type for r in together.relations] == ["Work_For"]
    trace = task.trace(task.constrained(scored, rules))
    assert [v.name for v in trace.before_violations] and not trace.after_violations and trace.integral
    assert task.extra_tables(task.constrained(scored, rules))["constraint ledger"]


def test_glirel_counts_tokens() -> None:
    found = imported("glirel")["r1"]
    text = "Ada works for Lovelace Ltd ."
    org = (text.index("Lovelace"), text.index(" ."))
    assert scores(found[PARTS], "head", "tail", "type") == {
        ("absent", "absent", "Peop"): 1.0,
        ("absent", "absent", "Org"): 1.0,
        ((0, 3), org, "Work_For"): 0.88,
        (org, (0, 3), "Work_For"): 0.07,
    }


def test_antecedents_leave_out_what_was_masked() -> None:
    found = imported("antecedents")["c1"]
    assert (found["scale"], found["alternatives"]) == ("logit", "all")
    wanted = {
        ((0, 3), None): 0.0,
        ((17, 20), None): 0.0,
        ((17, 20), (0, 3)): 7.5,
        ((34, 41), None): 0.0,
        ((34, 41), (0, 3)): -2.5,
        ((34, 41), (17, 20)): -1.0,
    }
    assert scores(found[PARTS], "mention", "antecedent") == wanted


def test_antecedents_come_as_arrays_too_with_the_null_column_in_front(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    arrays = {
        "c1/mentions": np.array([[0, 3], [17, 20], [34, 41]]),
        "c1/scores": np.array([[0.0, -1e4, -1e4], [0.0, 7.5, -np.inf], [0.0, -2.5, -1.0]]),
        "c1/antecedents": np.array([[-1, -1], [0, -1], [0, 1]]),
    }
    np.savez(path, **arrays)
    [found] = import_file("antecedents", path, asked("antecedents", null="first"))
    assert found.extra["alternatives"] == "top-k"
    assert scores(found.extra[PARTS], "mention", "antecedent") == scores(
        imported("antecedents")["c1"][PARTS], "mention", "antecedent"
    )


def test_arrays_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "c.npz"
    np.savez(path, **{"c1/mentions": np.array([{"a": 1}], dtype=object), "c1/scores": np.zeros((1, 2))})
    with pytest.raises(InputError, match="not an NPZ file of plain arrays"):
        list(import_file("antecedents", path, asked("antecedents")))


@pytest.mark.parametrize("name", ["neleval", "rel"])
def test_several_candidates_of_neleval_and_rel(name: str) -> None:
    found = imported(name)["t1"]
    assert (found["scale"], found["alternatives"]) == ("margin", "top-k")
    wanted = {
        "neleval": {(0, "Nero"): 0.9, (0, "Nero Wolfe"): 0.3, (13, "Rome"): 2.5, (13, None): -0.5},
        "rel": {(0, "Nero"): 1.25, (0, "Nero Wolfe"): -0.5, (13, "Rome"): 3.5},
    }
    assert scores(found[PARTS], "start", "entity") == wanted[name]


def test_documents_that_the_data_do_not_have_are_counted() -> None:
    for name in ("rel", "opennre"):
        how = asked(name)
        list(import_file(name, HERE / FILES[name][0], how))
        assert how.skipped == 1


def test_opennre_leaves_to_declining_what_is_missing_from_one() -> None:
    found = imported("opennre")
    assert scores(found["b1"][PARTS], "relation") == pytest.approx({None: 0.1, "born_in": 0.7, "lives_in": 0.2})
    assert scores(found["b2"][PARTS], "relation") == pytest.approx({None: 0.95, "born_in": 0.05})


def test_dreeam_brings_its_bags_along(tmp_path: Path) -> None:
    out = tmp_path / "s.jsonl"
    corpora.write(import_file("dreeam", HERE / "dreeam.json", asked("dreeam")), out)
    task, data = get("distant"), corpora.read(out)
    assert [(one.id, one.gold.labels) for one in data] == [("Ada#0#1", ("P19",)), ("Ada#1#0", ())]
    layers = task.decide(read_scores(task, out, data))
    assert [layer.labels for layer in layers] == [("P19",), ()]


def test_spotlight_counts_utf16_units_and_lists_of_one() -> None:
    found = imported("spotlight")
    assert scores(found["s1"][PARTS], "start", "end", "entity") == pytest.approx(
        {
            (2, 6, None): 0.05,
            (2, 6, "Nero"): 0.8,
            (2, 6, "Nero Wolfe"): 0.15,
            (15, 19, None): 0.01,
            (15, 19, "Rome"): 0.99,
        }
    )
    assert scores(found["s2"][PARTS], "entity") == pytest.approx({None: 0.7, "Rome": 0.3})


def test_dygie_makes_a_record_of_every_sentence_and_keeps_gold(tmp_path: Path) -> None:
    out = tmp_path / "s.jsonl"
    corpora.write(import_file("dygie", HERE / "dygie.jsonl", Asked()), out)
    data = corpora.read(out)
    assert [one.id for one in data] == ["y1.0", "y1.1"] and data[0].extra["alternatives"] == "argmax"
    task = get("joint")
    scored = read_scores(task, out, data)
    layers = task.decide(scored)
    assert task.errors(scored, layers) == []
    assert [m.type for m in layers[0].mentions] == ["Peop", "Org"] and layers[0].relations[0].score == pytest.approx(
        1 / (1 + math.exp(-5.2))
    )


BROKEN = {
    "refined": (
        {"id": "t", "text": "Nero", "spans": [{"start": 0, "ln": 9, "top_k_predicted_entities": []}]},
        "not a span",
    ),
    "gliner": (
        {"id": "g", "text": "😀 Ada", "entities": [{"start": 3, "end": 6, "text": "Ada", "label": "P", "score": 0.9}]},
        "count UTF-16 units",
    ),
    "glirel": ({"id": "r", "tokens": ["Ada"], "ner": [[0, 1, "Peop"]], "relations": []}, "is not a span of 1 tokens"),
    "antecedents": ({"id": "c1", "mentions": [[0, 3]], "scores": [[0], [1]]}, "2 rows for 1 mentions"),
    "opennre": ({"entpair": ["Ada"], "relation": "x", "score": 1}, "two entities"),
    "spotlight": (
        {"id": "s", "annotation": {"@text": "Rome", "surfaceForm": {"@name": "Rome", "@offset": "9"}}},
        "out",
    ),
    "dygie": ({"doc_key": "y", "sentences": [["Ada"]], "predicted_ner": [[[0, 0, "Peop"]]]}, "expected 4 values"),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_file_is_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    record, words = BROKEN[name]
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=words) as refused:
        list(import_file(name, path, asked(name)))
    assert refused.value.file == str(path) and refused.value.field


def test_an_importer_that_needs_data_says_which() -> None:
    with pytest.raises(InputError, match="name the bags with --data"):
        list(import_file("opennre", HERE / "opennre.jsonl", Asked()))
    with pytest.raises(InputError, match="there is no importer 'spacy'; choose one of refined"):
        list(import_file("spacy", HERE / "opennre.jsonl", Asked()))
