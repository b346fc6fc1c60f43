"""An upload is read whole or refused with its place; what is written is what was read."""

from __future__ import annotations

import gzip
import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.corpora import FORMATS
from engine.corpora.io import archives
from engine.data.document import Document
from tests.ui.harness import sample_documents
from ui.tab import download, upload


@dataclass
class File:
    name: str
    content: bytes

    def getvalue(self) -> bytes:
        return self.content


def _lines(documents: list[Document]) -> list[str]:
    return download.pack(documents, "x", "jsonl")[1].decode().splitlines()


def test_documents_come_back_as_they_were_downloaded() -> None:
    documents = sample_documents()
    name, content = download.pack(documents, "my corpus/../x", "jsonl")
    assert "/" not in name
    reading = upload.read([File(name, content)])
    assert reading.fault is None
    assert [document.text for document in reading.documents] == [document.text for document in documents]
    assert [document.gold.clusters for document in reading.documents] == [one.gold.clusters for one in documents]
    assert download.pack(reading.documents, "my corpus/../x", "jsonl") == (name, content)


def test_a_bad_line_refuses_all_and_shows_the_line() -> None:
    lines = _lines(sample_documents(3))
    lines[1] = '{"id": 7, "text": }'
    reading = upload.read([File("../../etc/bad.jsonl", "\n".join(lines).encode())])
    assert reading.documents == () and reading.fault is not None
    assert "line 2" in reading.fault.sentence and "bad.jsonl" in reading.fault.sentence
    assert "/tmp" not in reading.fault.sentence
    assert reading.fault.excerpt == lines[1]


def test_bytes_that_are_no_text_are_refused_with_a_sentence() -> None:
    reading = upload.read([File("x.jsonl", b"\xff\xfe\x00\x01")])
    assert reading.fault is not None and reading.fault.excerpt == ""


def test_the_same_id_twice_is_refused() -> None:
    one = _lines(sample_documents(1))[0].encode()
    reading = upload.read([File("a.jsonl", one), File("b.jsonl", one)])
    assert reading.fault is not None and "'d0'" in reading.fault.sentence


def test_the_report_says_what_is_missing() -> None:
    remarks = upload.remarks_on([Document("a", ""), *sample_documents(2)])
    assert remarks == [
        "1 of 3 documents have no text.",
        "1 of 3 documents have no annotation yet.",
    ]


def test_sidecars_come_along_and_are_not_read_alone() -> None:
    names = ["x.conll.gz", "x.dep.tsv.gz", "x.mentions.tsv.gz", "y.txt", "y.ann", "z.txt", "n.gs", "n.texts.jsonl"]
    kept = ["x.conll.gz", "y.ann", "z.txt", "n.gs"]
    assert [path.name for path in archives.main_files([Path(name) for name in names])] == kept


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("spert", "table")])
def test_what_is_downloaded_in_any_format_can_be_uploaded_as_it_is(format: str) -> None:
    name, content = download.pack(sample_documents(3), "mine", format)
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            dates = {one.date_time for one in archive.infolist()}
        assert dates == {(1980, 1, 1, 0, 0, 0)}, "the same bytes at any time"
    assert download.pack(sample_documents(3), "mine", format) == (name, content)
    reading = upload.read([File(name, content)])
    assert reading.fault is None
    assert sorted(document.id for document in reading.documents) == ["d0", "d1", "d2"]
    assert format == "plain" or sum(len(document.gold.mentions) for document in reading.documents) > 0


def test_a_zip_that_is_none_is_refused_with_a_sentence() -> None:
    reading = upload.read([File("x.zip", b"PK but no zip")])
    assert reading.fault is not None and "x.zip" in reading.fault.sentence


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "name", ["..", "a/..", "../..", "x" * 300 + ".jsonl", "é" * 150 + ".jsonl", "a\x01.jsonl", "\\"]
)
def test_a_zip_with_odd_names_is_read_or_refused(name: str) -> None:
    """A member called `..` was an IsADirectoryError, one with 300 letters an OSError."""
    line = _lines(sample_documents(1))[0].encode()
    reading = upload.read([File("c.zip", _zip({name: line}))], upload.How("jsonl"))
    assert (reading.fault is None) == (len(name) < 100), reading.fault


@pytest.mark.parametrize("packed", ["gz", "zip", "gz in zip", "zip of many"])
def test_what_is_too_large_unpacked_is_refused_while_unpacking(packed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 3 << 20)
    zeros = b"0\n" * (2 << 20)
    file = {
        "gz": lambda: File("c.tsv.gz", gzip.compress(zeros)),
        "zip": lambda: File("c.zip", _zip({"c.tsv": zeros})),
        "gz in zip": lambda: File("c.zip", _zip({"c.tsv.gz": gzip.compress(zeros)})),
        "zip of many": lambda: File("c.zip", _zip({f"c{i}.tsv": zeros[: 1 << 20] for i in range(4)})),
    }[packed]()
    assert len(file.content) < 100_000
    reading = upload.read([file])
    assert reading.fault is not None and "more than 3 MB" in reading.fault.sentence


def test_two_files_of_one_name_in_a_zip_are_refused() -> None:
    line = _lines(sample_documents(1))[0].encode()
    reading = upload.read([File("c.zip", _zip({"a/x.jsonl": line, "b/x.jsonl": line}))])
    assert reading.fault is not None and "two files called 'x.jsonl'" in reading.fault.sentence


def test_an_archive_in_an_archive_is_not_opened() -> None:
    line = _lines(sample_documents(1))[0].encode()
    assert upload.read([File("c.zip", _zip({"inner.zip": _zip({"x.jsonl": line})}))]).fault is not None
