"""python -m engine convert: exit codes, one line on stderr, no partial output."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import GOLD, Document, Layer, Mention

ROOT = Path(__file__).resolve().parents[2]

TWEET = {
    "id": "1",
    "text": "Ada met Bob",
    "mentions": [{"start": 0, "end": 3, "text": "Ada", "entity": None, "score": 0.5}],
}


def put(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = put(tmp_path / "x.jsonl", json.dumps(TWEET, separators=(",", ":")))
    assert main(["convert", "--from", "jsonl", "--to", "nif", str(source), str(tmp_path / "x.ttl")]) == 0
    assert main(["convert", "--to", "jsonl", str(tmp_path / "x.ttl"), str(tmp_path / "y.jsonl")]) == 0
    (one,), (two,) = corpora.read(source), corpora.read(tmp_path / "y.jsonl")
    assert (two.id, two.text, two.gold.mentions) == (one.id, one.text, one.gold.mentions)
    assert capsys.readouterr().err == ""


def test_a_loss_is_one_warning_line_or_with_strict_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = put(tmp_path / "x.jsonl", json.dumps(TWEET), json.dumps(TWEET | {"id": "2"}))
    assert main(["convert", "--to", "brat", str(source), str(tmp_path / "one")]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "scores" in line
    assert main(["convert", "--strict", "--to", "brat", str(source), str(tmp_path / "two")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "scores" in line
    assert not (tmp_path / "two").exists()


LONG = 200 << 20
"""Bytes of a line that no reader takes."""

# Name of the file, what it holds, and the place that the message must name in it.
WRONG: dict[str, tuple[str, bytes | None, str]] = {
    "missing file": ("no.jsonl", None, ": there is no such file"),
    "directory": (".", None, ""),
    "binary": ("x.jsonl", bytes(range(256)), ", line 1: "),
    "truncated gz": ("x.jsonl.gz", gzip.compress(json.dumps(TWEET).encode() * 50)[:60], ": "),
    "bad JSON": ("x.jsonl", json.dumps(TWEET).encode() + b"\n{oops\n", ", line 2: "),
    "wrong types": ("x.jsonl", b'{"id":"1","text":["a"]}\n', ", line 1, field 'text': "),
    "overlapping sentences": (
        "x.jsonl",
        b'{"id":"1","text":"ab","tokens":[[0,1],[1,2]],"sentences":[[0,2],[1,2]],"layers":{}}',
        ", line 1: ",
    ),
    "unknown format": ("x.docx", b"hello", ": "),
    "empty file": ("x.jsonl", b"", ": the file is empty"),
    "a line of 200 MB": ("x.jsonl", b'{"id":"1","text":"', ", line 1: the line is longer than"),
}

AS_A_COMMAND = """
import atexit, re, runpy
# Not ru_maxrss: that also counts the process that started this one.
atexit.register(lambda: print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]))
runpy.run_module("engine", run_name="__main__", alter_sys=True)
"""
"""What `python -m engine` does; at the end it prints the most memory it held, in kilobytes."""


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_input_is_one_line_exit_one_and_no_output(kind: str, tmp_path: Path) -> None:
    name, content, place = WRONG[kind]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    if kind == "a line of 200 MB":
        os.truncate(tmp_path / name, LONG)
    before = sorted(tmp_path.iterdir())
    arguments = ["convert", "--to", "jsonl", str(tmp_path / name), str(tmp_path / "out.jsonl")]
    done = subprocess.run(
        [sys.executable, "-c", AS_A_COMMAND, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{tmp_path / name}{place}")
    assert int(done.stdout) < 400_000
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("arguments", [["--from", "docx", "--to", "jsonl"], ["--to", "docx"]])
def test_unknown_format_names_the_known_ones(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = put(tmp_path / "x.jsonl", json.dumps(TWEET))
    assert main(["convert", *arguments, str(source), str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "conll2012" in line


def test_a_file_is_not_converted_onto_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = put(tmp_path / "x.jsonl", json.dumps(TWEET))
    assert main(["convert", "--to", "jsonl", str(source), str(source)]) == 1
    assert "another" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".data", ".tsv", ".txt", ".json"])
@pytest.mark.parametrize("format", [name for name in corpora.FORMATS if name != "brat"])
def test_what_convert_writes_is_read_back_whatever_its_ending(format: str, ending: str, tmp_path: Path) -> None:
    words = [["Ada", "met", "Bob", "."]]
    mentions = (Mention(0, 3, "PER", "Ada Lovelace"), Mention(8, 11, "PER", "Robert Fulton"))
    document = Document.from_words(
        "d1", words, layers={GOLD: Layer(mentions, clusters=() if format == "spert" else ((0, 1),))}
    )
    rows = Document("a", "a\t1\t2", shape="row", extra={"row": ["a", "1", "2"]})
    if format == "table":
        document = rows
    source, target = tmp_path / "in.jsonl", tmp_path / f"out{ending}"
    corpora.write([document], source)
    assert main(["convert", "--to", format, str(source), str(target)]) == 0
    assert corpora.read(target) == corpora.read(target, format)
    assert corpora.detect(target).name == format
