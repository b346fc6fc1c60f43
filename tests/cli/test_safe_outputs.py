"""No command writes over what it reads, and no number that means nothing is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.tasks import registry
from engine.workbench.reporting.tables import ReportTable
from tests.ui.harness import sample_documents


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Documents, another file, and a model of the toy that was trained on the documents."""
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    corpora.write(sample_documents(), tmp_path / "d.jsonl")
    (tmp_path / "facts.tsv").write_text("a\tr\tb\n")
    assert main(["train", "toy", "--train", f"{tmp_path}/d.jsonl", "--model", f"{tmp_path}/m.zip", "--quiet"]) == 0
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "d.jsonl")
    capsys.readouterr()
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "train toy --train d.jsonl --model d.jsonl",
        "train toy --train d.jsonl --model link.jsonl",
        "tune toy --train facts.tsv --dev d.jsonl --grid seed=1,2 --model d.jsonl",
        "predict toy --model m.zip --data d.jsonl --out d.jsonl",
        "report toy --model m.zip --data d.jsonl --out d.jsonl",
        "report toy --model m.zip --data d.jsonl --out m.zip",
        "bags build --data d.jsonl --facts facts.tsv --out facts.tsv",
        "select-features coreference --train d.jsonl --out d.jsonl",
        "lexicon build . --out .",
        "convert --to jsonl d.jsonl d.jsonl",
    ],
)
def test_what_is_read_is_never_written_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.chdir(folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(line.split()) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "both" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("predict toy --model m.zip --data d.jsonl --out o.jsonl --bias nan", "--bias"),
        ("evaluate toy --model m.zip --data d.jsonl --bias inf", "--bias"),
        ("compare toy --data d.jsonl --systems m.zip m.zip --samples 0", "--samples"),
        ("bags build --data d.jsonl --facts facts.tsv --out o.jsonl --nil 7", "--nil"),
        ("train toy --train d.jsonl --model o.zip --jobs 0", "--jobs"),
        ("subsample toy --train d.jsonl --dev d.jsonl --level 7", "--level"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, option: str
) -> None:
    monkeypatch.chdir(folder)
    try:
        code = main(line.split())
    except SystemExit as ended:
        code = int(ended.code or 0)
    said = capsys.readouterr().err
    assert code == 1 and said.count("\n") == 1 and option in said
    assert not list(folder.glob("o.*"))


def test_tables_go_to_a_folder_which_is_seen_before_the_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--model", f"{folder}/m.zip", "--data", f"{folder}/d.jsonl", "--out", f"{folder}/r.html"]
    assert main(["report", "toy", *where, "--tables", f"{folder}/facts.tsv"]) == 1
    assert "facts.tsv: this is a file" in capsys.readouterr().err
    assert not (folder / "r.html").exists()


def test_a_document_that_comes_twice_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = sample_documents()[0]
    corpora.write([*sample_documents(), first], folder / "twice.jsonl")
    assert main(["evaluate", "toy", "--data", f"{folder}/twice.jsonl", "--model", f"{folder}/m.zip"]) == 1
    assert f"twice.jsonl: document {first.id!r} occurs twice" in capsys.readouterr().err
    assert main(["evaluate", "toy", "--data", f"{folder}/d.jsonl", "--predictions", f"{folder}/twice.jsonl"]) == 1, (
        "the last copy must not win in silence"
    )


def test_the_biases_of_the_curve_give_its_lines_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--model", f"{folder}/m.zip", "--data", f"{folder}/d.jsonl"]
    assert main(["curve", "toy", *where]) == 0
    best = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("best F1"))
    assert main(["evaluate", "toy", *where, "--bias", best.split()[3]]) == 0
    again = capsys.readouterr().out
    f1 = next(line.split()[1] for line in again.splitlines() if line.startswith("f1"))
    assert best.split("F1")[-1].split()[0] == f1


def test_a_lexicon_without_a_surface_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lexicon.jsonl").write_text("")
    assert main(["lexicon", "build", f"{tmp_path}/lexicon.jsonl", "--out", f"{tmp_path}/out"]) == 1
    assert "lexicon.jsonl" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_answers_that_a_document_cannot_take_are_one_line(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    bags = Path(__file__).parents[2] / "sample_data" / "distant" / "dev.jsonl"
    assert (
        main(["predict", "toy", "--model", f"{folder}/m.zip", "--data", str(bags), "--out", f"{folder}/o.jsonl"]) == 1
    )
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "cannot take the answers of toy" in said and "dev.jsonl" in said
    assert not (folder / "o.jsonl").exists()


def test_a_report_appears_with_all_its_tables_or_not_at_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["report", "toy", "--model", f"{folder}/m.zip", "--data", f"{folder}/d.jsonl"]
    (folder / "r.html").write_text("the report before")
    latex, made = ReportTable.latex, []

    def interrupted(table: ReportTable) -> str:
        if made:
            raise KeyboardInterrupt
        made.append(table)
        return latex(table)

    monkeypatch.setattr(ReportTable, "latex", interrupted)
    assert main([*where, "--out", f"{folder}/r.html", "--tables", f"{folder}/tables"]) == 2
    assert (folder / "r.html").read_text() == "the report before" and not list((folder / "tables").iterdir())
    monkeypatch.setattr(ReportTable, "latex", latex)
    assert main([*where, "--out", f"{folder}/r.html", "--tables", f"{folder}/tables"]) == 0
    assert "<!doctype html>" in (folder / "r.html").read_text(encoding="utf-8")
    assert {path.suffix for path in (folder / "tables").iterdir()} == {".csv", ".md", ".tex"}
