"""Whatever is wrong with a file: one InputError that names the place, nothing read, nothing left behind."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import corpora
from engine.corpora.io import files
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from tests.corpora.test_roundtrip import NAMES

GOOD = '{"id":"1","text":"Ada","mentions":[]}\n'
OVERLAP = {"id": "1", "text": "a b c", "tokens": [[0, 1], [2, 3]], "sentences": [[0, 2], [1, 2]], "layers": {}}


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        corpora.read(tmp_path / "no.jsonl")
    with pytest.raises(InputError, match="no such file"):
        corpora.read(tmp_path / "no.jsonl", "jsonl")


@pytest.mark.parametrize("format", [None, *corpora.FORMATS])
def test_directory(format: str | None, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"director|folder"):
        corpora.read(tmp_path, format)


@pytest.mark.parametrize("format", corpora.FORMATS)
def test_binary(format: str, tmp_path: Path) -> None:
    path = tmp_path / NAMES[format].replace("folder", "x.ann").removesuffix(".gz")
    path.write_bytes(bytes(range(256)) * 4)
    path.with_suffix(".txt").write_bytes(bytes(range(256)))
    with pytest.raises(InputError) as caught:
        corpora.read(path, format)
    assert str(tmp_path) in str(caught.value)


def test_truncated_gz(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    whole = gzip.compress(GOOD.encode() * 100)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="damaged or cut off"):
        corpora.read(path)


def test_gz_in_name_only(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_text(GOOD)
    with pytest.raises(InputError, match="gzip"):
        corpora.read(path)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", None),
        ('{"id":"1","text":3}', "text"),
        ('{"id":"1","text":"a","mentions":{}}', "mentions"),
        ('{"id":"1","text":"a","mentions":[{"start":0,"end":9,"entity":null}]}', "mentions[0].start"),
        ('{"id":"1","text":"a","mentions":[{"start":"0","end":1}]}', "mentions[0].start"),
        ('{"id":"1","text":"a","mentions":[{"start":true,"end":1}]}', "mentions[0].start"),
        ('{"id":[],"text":"a"}', "id"),
        ('{"id":"1","tokens":["a",3],"entities":[]}', "tokens[1]"),
        ('{"id":"1","tokens":["a"],"entities":[{"start":0,"end":2,"type":"X"}]}', "entities[0].start"),
        ('{"id":"1","tokens":["a"],"entities":[],"relations":[{"head":0,"tail":0,"type":"r"}]}', "relations[0].head"),
        ('{"id":"1","mentions":[{"features":{"a":"b"}}],"relations":[]}', "mentions[0].features.a"),
        (json.dumps(OVERLAP), None),
    ],
)
def test_a_bad_line_names_line_and_field_and_yields_nothing(line: str, field: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(GOOD + GOOD + line + "\n" + GOOD)
    with pytest.raises(InputError) as caught:
        corpora.read(path)
    assert (caught.value.file, caught.value.line, caught.value.field) == (str(path), 3, field)
    assert "\n" not in str(caught.value)
    target = tmp_path / "y.jsonl"
    with pytest.raises(InputError):
        corpora.write(corpora.stream(path), target)
    assert sorted(tmp_path.iterdir()) == [path]


def test_overlapping_sentences_say_so(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(OVERLAP))
    with pytest.raises(InputError, match=r"sentence 1 is .* not overlap"):
        corpora.read(path)


def test_unknown_format(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(GOOD)
    with pytest.raises(InputError, match=r"no format 'docx'.*jsonl"):
        corpora.read(path, "docx")
    (tmp_path / "x.docx").write_text("hello")
    with pytest.raises(InputError, match="format is not clear"):
        corpora.read(tmp_path / "x.docx")


@pytest.mark.parametrize("format", [None, *corpora.FORMATS])
def test_empty_file(format: str | None, tmp_path: Path) -> None:
    path = tmp_path / ("x.ann" if format == "brat" else "x.jsonl")
    path.write_bytes(b"")
    with pytest.raises(InputError):
        corpora.read(path, format)


def test_a_line_of_200_megabytes_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with path.open("wb") as file:
        file.write(b'{"id":"1","text":"')
        file.truncate(200 << 20)
    program = (
        "import re, sys\n"
        "from engine import corpora\n"
        "from engine.data.errors import InputError\n"
        "try:\n"
        "    corpora.read(sys.argv[1])\n"
        "except InputError as error:\n"
        "    print(error)\n"
        # Not ru_maxrss: that also counts the process that started this one.
        "    print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    message, kilobytes = done.stdout.splitlines()
    assert "line 1" in message
    assert "longer than" in message
    assert int(kilobytes) < 400_000


def test_the_line_limit_holds_for_every_line_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LINE_LIMIT", 100)
    path = tmp_path / "x"
    path.write_text("a\n" + "b" * 101 + "\n")
    with pytest.raises(InputError) as caught:
        list(files.lines(path))
    assert caught.value.line == 2
    path.write_text("a" * 99 + "\n" + "b" * 100)
    assert len(list(files.lines(path))) == 2


@pytest.mark.parametrize("name", ["x.labelstudio.json", "x.ttl", "x.cas.json", "x.spert.json"])
def test_whole_files_have_a_limit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "WHOLE_LIMIT", 100)
    (tmp_path / name).write_text('[{"data": 1, "tokens": 2, "%TYPES": 3}]' + " " * 100)
    with pytest.raises(InputError, match="larger than"):
        corpora.read(tmp_path / name)


def failing() -> Iterator[Document]:
    yield Document.from_words("1", [["a", "b"]], layers={"gold": Layer((Mention(0, 1),), ((0,),))})
    raise InputError("the source broke off")


@pytest.mark.parametrize("format", [name for name in corpora.FORMATS if name != "table"])
def test_a_source_that_fails_leaves_no_file_and_keeps_the_old_one(format: str, tmp_path: Path) -> None:
    path = tmp_path / NAMES[format]
    with pytest.raises(InputError):
        corpora.write(failing(), path, format)
    assert list(tmp_path.iterdir()) == []
    if path.name != "folder":
        path.write_text("old")
        with pytest.raises(InputError):
            corpora.write(failing(), path, format)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    item = [Document("1", "a")]
    for target in (tmp_path / "no" / "x.jsonl", tmp_path):
        with pytest.raises(InputError):
            corpora.write(item, target, "jsonl")
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("keep")
    with pytest.raises(InputError, match="not an empty folder"):
        corpora.write(item, full, "brat")
    assert [file.name for file in full.iterdir()] == ["x"]


def test_what_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    for document in (
        Document("1", "\ud800"),
        Document("1", "a", extra={"x": float("nan")}),
        Document("1", "a", extra={"x": {1}}),
    ):
        with pytest.raises(InputError):
            corpora.write([document], tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []
