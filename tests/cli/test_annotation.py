"""labels, project and gold on the command line: what the app can do with annotation, without the app."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.edits import AddMention, Comment, MarkDone
from engine.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [Document(f"d{i}", "Ann lives in Oslo", layers={GOLD: Layer()}) for i in range(2)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    workspace = Workspace.open(tmp_path / "w")
    workspace.add_corpus("c", DOCUMENTS)
    log = workspace.annotations("c")
    for who in ("anna", "bob"):
        for document in DOCUMENTS:
            log.append(document, AddMention(f"{who}{document.id}", 0, 3, "PER"), user=who, layer=who)
            log.append(document, MarkDone(), user=who, layer=who)
    workspace.close()
    return tmp_path / "w"


def told(place: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main([*words, "--corpus", "c", "--workspace", str(place), "--user", "lea", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_label_set_is_imported_renamed_locked_and_taken_back(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = tmp_path / "annotation.conf"
    conf.write_text("[entities]\nPER\nLOC\n[relations]\nLive_In\tArg1:PER, Arg2:LOC\n")
    assert told(place, capsys, "labels", "import", str(conf)) == {"types": 2, "relations": 1, "labels": 0}
    assert told(place, capsys, "labels", "rename", "type", "PER", "Person") == {"documents": 2}
    shown = told(place, capsys, "labels", "show")
    assert [one["name"] for one in shown["types"]] == ["Person", "LOC"] and not shown["locked"]
    assert told(place, capsys, "labels", "lock") == {"locked": True}
    for _ in range(2):
        told(place, capsys, "labels", "undo")
    shown = told(place, capsys, "labels", "show")
    assert [one["name"] for one in shown["types"]] == ["PER", "LOC"]
    assert main(["labels", "merge", "type", "LOC", "ORG", "--corpus", "c", "--workspace", str(place)]) == 1
    assert "no type 'ORG'" in capsys.readouterr().err
    assert main(["labels", "show", "--corpus", "nope", "--workspace", str(place)]) == 1
    assert "no corpus 'nope'; it has c" in capsys.readouterr().err


def test_a_project_is_set_up_and_its_gold_adjudicated_frozen_and_exported(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    members = [f"--member={one}" for one in ("lea:lead", "anna:annotator", "bob:annotator")]
    assert told(place, capsys, "project", "set", *members, "--blind")["blind"]
    shown = told(place, capsys, "project", "assign", "--each", "2")
    assert {one["name"]: one["done"] for one in shown["members"]} == {"lea": 0, "anna": 2, "bob": 2}
    assert told(place, capsys, "gold", "adjudicate") == {"documents": 2, "open": 0}
    assert told(place, capsys, "gold", "freeze", "v1")["name"] == "v1"
    workspace = Workspace.open(place)
    said = Comment("", "which Ann?", "1", "anna", "2026-11-18T10:00:00+00:00")
    workspace.annotations("c").append(DOCUMENTS[0], said, user="anna")
    workspace.close()
    (one,) = told(place, capsys, "gold", "comments", "--open")["comments"]
    assert (one["text"], one["author"]) == ("which Ann?", "anna")
    assert len(told(place, capsys, "gold", "diff", "--to", "v1")["changes"]) == 2
    for format, name in (("jsonl", "out.jsonl"), ("brat", "out"), ("nif", "out.ttl")):
        lost = told(place, capsys, "gold", "export", "--only-done", "--to", format, "--out", str(tmp_path / name))
        assert lost["documents"] == 2
        assert any("comments" in loss for loss in lost["lost"]) == (format != "jsonl"), format
        again = list(corpora.read(tmp_path / name, format))
        assert [[(m.span, m.type) for m in document.gold.mentions] for document in again] == [[((0, 3), "PER")]] * 2
        if format != "nif":
            assert [m.extra["agreed"] for m in again[0].gold.mentions] == [["anna", "bob"]], format


def test_comments_and_agreement_survive_brat_and_label_studio(tmp_path: Path) -> None:
    note = {"author": "anna", "time": "2026-11-18T10:00:00+00:00", "text": "who: she?", "resolved": True}
    mention = Mention(0, 3, "PER", extra={"agreed": ["anna", "bob"], "comments": [note]})
    document = Document(
        "d", "Ann lives in Oslo", layers={GOLD: Layer((mention,))}, extra={"ann": ["#1\tAnnotatorNotes T1\tmine"]}
    )
    corpora.write([document], tmp_path / "b", "brat")
    (again,) = corpora.read(tmp_path / "b", "brat")
    assert again.gold == document.gold and again.extra == document.extra
    corpora.write([Document("d", document.text, layers=document.layers)], tmp_path / "s.json", "labelstudio")
    (studio,) = corpora.read(tmp_path / "s.json", "labelstudio")
    assert studio.gold.mentions[0].extra["comments"] == [note]
    region = json.loads((tmp_path / "s.json").read_text())[0]["annotations"][0]["result"][0]
    assert region["meta"]["text"] == ["anna: who: she?"]


def test_words_dictionaries_and_expressions_are_shown_then_marked_and_taken_back(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "towns.tsv"
    names.write_text("Oslo\tLOC\tOslo\n")
    rules = (["--words", "Oslo", "--type", "LOC", "--entity", "Oslo"], ["--dictionary", str(names)])
    for rule in (*rules, ["--pattern", "in (?P<mention>\\w+)", "--type", "LOC", "--entity", "Oslo"]):
        shown = told(place, capsys, "annotate", "mark", *rule)
        assert not shown["written"] and [one["document"] for one in shown["marks"]] == ["d0", "d1"]
        assert {(one["start"], one["end"], one["type"], one["entity"]) for one in shown["marks"]} == {
            (13, 17, "LOC", "Oslo")
        }
        assert told(place, capsys, "annotate", "mark", *rule, "--write")["written"]
        assert told(place, capsys, "annotate", "mark", *rule)["left"] == 2
        told(place, capsys, "annotate", "undo")
    assert main(["annotate", "mark", "--corpus", "c", "--workspace", str(place), "--pattern", "("]) == 1
    assert "is not a regular expression" in capsys.readouterr().err
    assert main(["annotate", "undo", "--corpus", "c", "--workspace", str(place), "--user", "lea"]) == 1
    assert "nothing in gold" in capsys.readouterr().err


def test_the_queue_and_the_effort_are_told_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = list(corpora.read(ROOT / "sample_data" / "joint" / "train.jsonl"))[:6]
    workspace = Workspace.open(tmp_path / "w")
    workspace.add_corpus("c", documents)
    for document in documents[:4]:
        workspace.annotations("c").append(document, MarkDone(), user="lea")
    workspace.close()
    data, model = tmp_path / "dev.jsonl", tmp_path / "m.zip"
    corpora.write(documents, data)
    quick = ["--learner", "basic", "--preset", "quick"]
    assert main(["train", "joint", "--train", str(data), *quick, "--model", str(model)]) == 0
    capsys.readouterr()
    found = told(tmp_path / "w", capsys, "annotate", "queue", "joint", "--model", str(model))["queue"]
    assert {one["document"] for one in found} == {one.id for one in documents[4:]} and all(one["why"] for one in found)
    curve = told(tmp_path / "w", capsys, "annotate", "effort", "joint", "--dev", str(data), *quick, "--points", "2")
    assert [point["documents"] for point in curve["points"]] == [2, 4]
    assert all(0 <= point["score"] <= 1 for point in curve["points"])
