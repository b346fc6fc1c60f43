"""Scores of other programs on the command line: wherever a model is taken, and where they cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from tests.corpora.test_score_importers import FILES, HERE

TEXT = "Nero sang in Rome while Rome burned."
ROME = (13, 17)


def link(entity: str | None, score: float, span: tuple[int, int] = ROME) -> dict[str, Any]:
    return {"start": span[0], "end": span[1], "entity": entity, "score": score}


def scores(parts: Any, **more: Any) -> dict[str, Any]:
    return {"id": "d", "text": TEXT, "scale": "logit", "alternatives": "top-k", "parts": parts, **more}


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Gold, scores and plain answers of one text. The scores put Nero right and Rome wrong, and never saw the second
    Rome."""
    gold = [
        {"start": 0, "end": 4, "entity": "Nero"},
        {"start": 13, "end": 17, "entity": "Rome"},
        {"start": 24, "end": 28, "entity": "Rome"},
    ]
    write(tmp_path / "gold.jsonl", {"id": "d", "text": TEXT, "mentions": gold})
    parts = [link("Nero", 2.0, (0, 4)), link("Roma (film)", 1.5), link("Rome", 0.5)]
    write(tmp_path / "scores.jsonl", scores(parts))
    answers = [{"start": 0, "end": 4, "entity": "Nero"}, {"start": 13, "end": 17, "entity": "Roma (film)"}]
    write(tmp_path / "answers.jsonl", {"id": "d", "text": TEXT, "mentions": answers})
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_scores_stand_wherever_a_model_stands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    using = ["--scores", f"{folder}/scores.jsonl", "--data", f"{folder}/gold.jsonl"]
    assert told(capsys, "evaluate", "linking", *using)["recall"] == pytest.approx(1 / 3)
    assert told(capsys, "evaluate", "linking", *using, "--bias", "3")["recall"] == 0
    curve = told(capsys, "curve", "linking", *using)
    assert [point["bias"] for point in curve["points"]] == [None, 1.5, 2.0]
    found = told(capsys, "errors", "linking", *using)
    stages = {(one["kind"], one["start"], one["stage"]) for one in found["errors"]}
    assert stages == {
        ("miss", 13, "scored lower"),
        ("false alarm", 13, "scored lower"),
        ("miss", 24, "not listed"),
    }
    compared = told(
        capsys, "compare", "linking", "--data", f"{folder}/gold.jsonl", "--systems", f"{folder}/scores.jsonl",
        f"{folder}/answers.jsonl",
    )  # fmt: skip
    assert len(compared["scores"]) == 6, "of links and of presence"
    assert all(one["first"] == one["second"] for one in compared["scores"])
    assert main(["report", "linking", *using, "--out", f"{folder}/report.html"]) == 0
    assert "not listed" in (folder / "report.html").read_text(encoding="utf-8")


def test_what_predict_writes_with_parts_is_taken_by_scores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = ["predict", "linking", "--scores", f"{folder}/scores.jsonl", "--out", f"{folder}/again.jsonl"]
    assert told(capsys, *first, "--parts")["otherwise"] == 0
    again = told(capsys, "scores", "check", "linking", f"{folder}/again.jsonl", "--data", f"{folder}/gold.jsonl")
    assert (again["documents"], again["parts"], again["alternatives"], again["scale"]) == (1, 3, "top-k", "logit")
    second = ["predict", "linking", "--scores", f"{folder}/again.jsonl", "--out", f"{folder}/more.jsonl", "--parts"]
    assert main(second) == 0
    assert (folder / "more.jsonl").read_bytes() == (folder / "again.jsonl").read_bytes()
    [document] = corpora.read(folder / "again.jsonl")
    assert [mention.entity for mention in document.gold.mentions] == ["Nero", "Roma (film)"]


def test_plain_answers_have_errors_and_a_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    using = ["--predictions", f"{folder}/answers.jsonl", "--data", f"{folder}/gold.jsonl"]
    found = told(capsys, "errors", "linking", *using)
    assert {(one["kind"], one["start"], one["stage"]) for one in found["errors"]} == {
        ("miss", 13, "not listed"),
        ("false alarm", 13, "not listed"),
        ("miss", 24, "not listed"),
    }
    assert found["stages"]["not listed"] == {"errors": 3, "score_if_fixed": 1.0}
    assert main(["errors", "linking", *using]) == 0
    table = capsys.readouterr().out
    # Stages that cannot be told apart have no number of their own, not even 0.
    assert "not listed" in table and "scored lower" in table
    assert "candidate missing" not in table and "mention not proposed" not in table
    against = ["--against", f"{folder}/scores.jsonl"]
    assert main(["report", "linking", *using, *against, "--out", f"{folder}/r.html"]) == 0
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "came without scores" in page and "gold items found by" in page
    for command in ("errors", "evaluate"):
        assert main([command, "linking", *using, "--bias", "1"]) == 1
        assert "predictions are decided already" in capsys.readouterr().err


def test_bad_answers_give_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elsewhere = [{"start": 14, "end": 18, "entity": "Rome", "text": "Rome"}]
    write(folder / "bad.jsonl", {"id": "d", "text": TEXT, "mentions": elsewhere})
    assert main(["errors", "linking", "--predictions", f"{folder}/bad.jsonl", "--data", f"{folder}/gold.jsonl"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "line 1, field 'mentions[0].text'" in said.err


def test_scores_are_not_taken_for_answers_that_say_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["errors", "linking", "--predictions", f"{folder}/scores.jsonl", "--data", f"{folder}/gold.jsonl"]
    assert main(asked) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "has scores but no answers" in said.err
    # Nor are they where an importer took over what the data say.
    bags, imported = f"{HERE}/data.jsonl", f"{folder}/imported.jsonl"
    assert main(["scores", "import", "--from", "opennre", f"{HERE}/opennre.jsonl", imported, "--data", bags]) == 0
    right = write(folder / "bags.jsonl", *(one for one in lines(Path(bags)) if "e1" in one))
    capsys.readouterr()
    assert main(["errors", "distant", "--predictions", imported, "--data", str(right)]) == 1
    assert "has scores but no answers" in capsys.readouterr().err
    # Whatever the file is called, what is compared is what the scores decide.
    (folder / "other.txt").write_bytes((folder / "scores.jsonl").read_bytes())
    sides = [f"{folder}/other.txt", f"{folder}/scores.jsonl"]
    found = told(capsys, "compare", "linking", "--data", f"{folder}/gold.jsonl", "--systems", *sides)
    [f1] = [one for one in found["scores"] if one["name"] == "f1"]
    assert f1["first"] == f1["second"] > 0


def test_a_scale_without_zero_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "margin.jsonl", scores([link("Rome", 9.1)], scale="margin"))
    assert "means nothing" in told(capsys, "scores", "describe", f"{folder}/margin.jsonl")["note"]
    assert told(capsys, "scores", "describe", f"{folder}/scores.jsonl")["note"] == ""
    assert main(["scores", "describe", f"{folder}/margin.jsonl"]) == 0
    assert "entities of spans" in capsys.readouterr().out


@pytest.mark.parametrize("name", FILES)
def test_import_writes_a_file_that_check_takes(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, data = FILES[name]
    out = tmp_path / "s.jsonl.gz"
    more = ["--data", *(str(HERE / one) for one in data)] if data else []
    found = told(capsys, "scores", "import", "--from", name, str(HERE / file), str(out), *more)
    assert found["documents"] == len(corpora.read(out)) and found["parts"] > 0
    described = told(capsys, "scores", "describe", str(out))
    assert described["parts"] == found["parts"]


SOUND = scores([link("Rome", 1.0)])
BAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a part outside the text": ([scores([link("Rome", 1.0, (13, 99))])], "line 1, field 'parts[0].start': [13, 99)"),
    "an unknown mention": ([scores([{"mention": 7, "entity": "Rome", "score": 1}])], "field 'parts[0].mention'"),
    "a probability over 1": ([scores([link("Rome", 1.5)], scale="prob")], "field 'parts[0].score': a probability"),
    "not a number": ([scores([link("Rome", float("nan"))])], "NaN is not JSON"),
    "an unknown scale": ([scores([link("Rome", 1.0)], scale="logits")], "field 'scale': must be one of logit"),
    "another text": ([{**SOUND, "text": TEXT.replace("sang", "sung")}], "differs from that of the data"),
    "a document twice": ([SOUND, SOUND], "line 2: there are scores for document 'd' twice"),
    "a part twice": ([scores([link("Rome", 1.0), link("Rome", 2.0)])], "field 'parts[1]': 'Rome' is scored twice"),
    "parts of another system": (
        [scores([{"mention": [13, 17], "antecedent": [0, 4], "score": 1}])], "linking scores spans with an entity"
    ),
    "a document that is missing": ([{**SOUND, "id": "other"}], "no scores for document 'd' (1 missing in all)"),
    "no parts at all": ([{"id": "d", "text": TEXT, "scale": "logit"}], "field 'parts': is missing"),
    "a part between words": ([scores([link("Rome", 1.0, (12, 13))])], "[12, 13) covers no word"),
    "offsets in bytes": (
        [scores([{**link("Rome", 1.0, (14, 18)), "text": "Rome"}])], "the offsets seem to count from 1"
    ),
    "other alternatives further down": (
        [SOUND, {**SOUND, "id": "e", "alternatives": "all"}], "line 2, field 'alternatives'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", BAD)
def test_bad_scores_give_one_line_and_nothing_half_written(
    fault: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records, words = BAD[fault]
    write(folder / "bad.jsonl", *records)
    gold = json.loads((folder / "gold.jsonl").read_text(encoding="utf-8"))
    write(folder / "data.jsonl", gold, *([{**gold, "id": "e"}] if fault.startswith("other alternatives") else []))
    before = sorted(folder.iterdir())
    using = ["--scores", f"{folder}/bad.jsonl", "--data", f"{folder}/data.jsonl", "--out", f"{folder}/out.jsonl"]
    assert main(["predict", "linking", *using]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and f"{folder}/bad.jsonl" in said.err and words in said.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([SOUND, SOUND], "line 2: there are scores for document 'd' twice"),
        ([SOUND, {**SOUND, "id": "e", "alternatives": "all"}], "line 2, field 'alternatives'"),
        ([SOUND, {**SOUND, "id": "e", "bias": 1.0}], "line 2, field 'bias'"),
        (
            [scores([link("Rome", 1.0), link("Rome", 2.0)])],
            "line 1, field 'parts[1]': this",
        ),
    ],
)
def test_what_no_system_takes_is_not_calibrated(
    records: list[dict[str, Any]], words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder / "bad.jsonl", *records)
    write(folder / "map.json", {"method": "temperature", "fitted": {"links": 2.0}})
    before = sorted(folder.iterdir())
    for how in (["--calibrate", "temperature", "--data", f"{folder}/gold.jsonl"], ["--use", f"{folder}/map.json"]):
        assert main(["scores", "calibrate", f"{folder}/bad.jsonl", f"{folder}/better.jsonl", *how]) == 1
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and f"{folder}/bad.jsonl, {words}" in said.err
        assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("command", ["errors", "report"])
def test_scores_without_gold_are_no_results(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder / "text.jsonl", {"id": "d", "text": TEXT})
    out = ["--out", f"{folder}/r.html"] if command == "report" else []
    assert main([command, "linking", "--scores", f"{folder}/scores.jsonl", "--data", f"{folder}/text.jsonl", *out]) == 0
    assert capsys.readouterr().err.startswith("warning: gold of these documents")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["predict", "linking", "--scores", "IN", "--out", "OUT.conll", "--parts"], "only .jsonl files hold scores"),
        (["scores", "import", "--from", "refined", "IN", "OUT.tsv"], "scores are written as .jsonl"),
        (["scores", "import", "--from", "word2vec", "IN", "OUT.jsonl"], "no importer 'word2vec'"),
        (["scores", "import", "--from", "refined", "IN", "OUT.jsonl"], "field 'spans': is missing"),
        (["scores", "import", "--from", "rel", "IN", "OUT.jsonl"], "name the documents with --data"),
        (["predict", "linking", "--scores", "gone.jsonl", "--out", "OUT.jsonl"], "there is no such file"),
        (
            ["evaluate", "linking", "--scores", "IN", "--data", "IN", "--constraints", "IN"],
            "linking has no constraints",
        ),
    ],
)
def test_wrong_use_is_one_line_too(
    arguments: list[str], words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    made = [one.replace("IN", f"{folder}/scores.jsonl").replace("OUT", f"{folder}/out") for one in arguments]
    assert main(made) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said and sorted(folder.iterdir()) == before
