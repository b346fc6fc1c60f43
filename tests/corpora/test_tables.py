"""Tables as people have them become documents: whatever their columns are called, and with the row named at fault."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.corpora import tables
from engine.corpora.tables.columns import guess
from engine.data.document import NIL
from engine.data.errors import InputError
from engine.tasks import registry


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_are_found_by_other_names_and_any_separator(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "Tweet;Surface;Wiki\nhello Paris;Paris;Paris (Texas)\nhello Rome;Rome;nil\n")
    first, second = corpora.read(path)
    assert first.text == "hello Paris" and first.surface(first.gold.mentions[0]) == "Paris"
    assert [d.gold.mentions[0].entity for d in (first, second)] == ["Paris (Texas)", NIL]


def test_the_text_is_the_longest_column_where_no_name_says_it(tmp_path: Path) -> None:
    path = put(
        tmp_path / "x.csv", "wann,was er schrieb\n2020,ein ganzer Satz steht hier\n2021,und noch einer steht da\n"
    )
    grid = tables.read_grid(path)
    assert guess(grid).of == {"text": "was er schrieb"}
    (one, _) = corpora.read(path)
    assert one.extra["wann"] == "2020"


def test_unnamed_columns_are_told_by_their_cells(tmp_path: Path) -> None:
    path = put(
        tmp_path / "x.csv", "Post,Found it,wikipedia\nin Paris again,Paris,Paris\nMessi scored,Messi,Lionel Messi\n"
    )
    found = guess(tables.read_grid(path))
    assert (found.kind, found.of) == ("mention", {"text": "Post", "mention": "Found it", "entity": "wikipedia"})
    path = put(tmp_path / "y.csv", "Post,von,nach,how\nBo to Ayr,Bo,Ayr,went\nAl to Rome,Al,Rome,went\n")
    found = guess(tables.read_grid(path))
    assert (found.kind, found.of["head"], found.of["tail"]) == ("pair", "von", "nach")


def test_a_file_without_a_header_is_a_list_of_texts(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "I saw the game yesterday. Great!\nAnother one, with a comma\n")
    assert not tables.read_grid(path).named


def test_rows_of_one_document_are_one_document_and_the_same_words_are_found_again(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "text,mention\nTurin to Turin,Turin\nTurin to Turin,Turin\n")
    (document,) = corpora.read(path)
    assert [m.span for m in document.gold.mentions] == [(0, 5), (9, 14)]


@pytest.mark.parametrize(
    ("table", "line", "words"),
    [
        ("text,mention\nhello,bye\n", 2, "does not stand"),
        ("text,mention,start,end\nhello you,you,1,4\n", 2, "the text has 'ell'"),
        ("text,mention,start,end\nhello you,you,x,9\n", 2, "whole number"),
        ("text,mention,start,end\nhello you,you,6,99\n", 2, "not part"),
        ("id,text\na,one\na,two\n", 3, "two rows"),
        ("id,text,mention\na,one,one\na,two,two\n", 3, "another text"),
        ("id,text\n,one\n", 2, "empty"),
        ('text,mention\n"open,a\n', 2, "not a table"),
    ],
)
def test_a_fault_names_its_row(table: str, line: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words) as caught:
        corpora.read(put(tmp_path / "x.csv", table))
    assert caught.value.line == line and caught.value.file == str(tmp_path / "x.csv")


def test_rows_of_a_pair_are_a_bag(tmp_path: Path) -> None:
    rows = (
        "sentence,subject,object,label\nBo left Ayr.,Bo,Ayr,born_in\nBo is in Ayr!,Bo,Ayr,NA\nAl saw Ayr.,Al,Ayr,none\n"
    )
    first, second = corpora.read(put(tmp_path / "x.csv", rows))
    assert first.bag is not None and (first.bag.first, first.bag.second, len(first.bag.members)) == ("Bo", "Ayr", 2)
    assert [first.surface(m) for m in first.gold.mentions] == ["Bo", "Ayr", "Bo", "Ayr"]
    assert first.gold.labels == ("born_in",) and second.gold.labels == ()


@pytest.mark.parametrize("task", registry.names())
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_template_of_a_system_is_usable_by_it(task: str, ending: str, tmp_path: Path) -> None:
    documents = corpora.read(put(tmp_path / "t.csv", registry.get(task).template))
    corpora.write(documents, tmp_path / "t.jsonl")
    assert registry.get(task).readiness(corpora.read(tmp_path / f"t.{ending}")).verdict == "yes"


def test_convert_takes_columns_by_name(tmp_path: Path) -> None:
    source = put(tmp_path / "x.csv", "a,b\nParis is big,Paris\n")
    arguments = ["convert", "--from", "csv", "--to", "jsonl", "--column", "text=a", "--column", "mention=b", "--words"]
    assert main([*arguments, str(source), str(tmp_path / "x.jsonl")]) == 0
    (document,) = corpora.read(tmp_path / "x.jsonl")
    assert [document.surface(m) for m in document.gold.mentions] == ["Paris"] and document.words[1:] == ("is", "big")


def test_convert_refuses_a_column_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = put(tmp_path / "x.csv", "a,b\nParis is big,Paris\n")
    assert main(["convert", "--to", "jsonl", "--column", "text=c", str(source), str(tmp_path / "x.jsonl")]) == 1
    assert "no column 'c'" in capsys.readouterr().err


def test_a_zip_of_texts_is_a_corpus_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "texts.zip", "w") as archive:
        archive.writestr("folder/a.txt", "One text.")
        archive.writestr("folder/b.txt", "\ufeffAnother.")
        archive.writestr("__MACOSX/folder/._a.txt", "x")
    assert [(d.id, d.text) for d in corpora.read(tmp_path / "texts.zip")] == [("a", "One text."), ("b", "Another.")]
    assert main(["check", str(tmp_path / "texts.zip"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["corpora"][str(tmp_path / "texts.zip")]
    assert told["documents"] == 2 and told["systems"]["linking"]["usable"] == "no gold"
    assert "entity" in told["systems"]["linking"]["remedy"]


def test_check_says_what_two_corpora_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (put(tmp_path / f"{name}.csv", f"id,text\n{name},same  Text\n") for name in "ab")
    assert main(["check", str(one), str(two)]) == 0
    assert "1 by text" in capsys.readouterr().out
