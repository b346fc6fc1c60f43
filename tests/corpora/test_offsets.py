"""A mention that says its own words and stands elsewhere is refused by every format that has such words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine import corpora
from engine.data.errors import InputError

TEXT = "😀 Rome fell and Nero sang."
AT = TEXT.index("Nero")


def mention(start: int) -> dict[str, object]:
    return {"start": start, "end": start + 4, "text": "Nero", "entity": "Nero"}


def native(folder: Path, start: int) -> Path:
    path = folder / "x.jsonl"
    path.write_text(json.dumps({"id": "d", "text": TEXT, "mentions": [mention(start)]}))
    return path


def layered(folder: Path, start: int) -> Path:
    path = folder / "x.jsonl"
    path.write_text(json.dumps({"id": "d", "text": TEXT, "layers": {"ada": {"mentions": [mention(start)]}}}))
    return path


def label_studio(folder: Path, start: int) -> Path:
    value = {"start": start, "end": start + 4, "text": "Nero", "labels": ["PER"]}
    region = {"id": "r", "type": "labels", "from_name": "label", "to_name": "text", "value": value}
    path = folder / "x.labelstudio.json"
    path.write_text(json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": [{"result": [region]}]}]))
    return path


def nif(folder: Path, start: int) -> Path:
    core = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
    path = folder / "x.ttl"
    path.write_text(
        f'<urn:d#char=0,26> <{core}isString> "{TEXT}" .\n'
        f"<urn:d#char=1> <{core}referenceContext> <urn:d#char=0,26> ; <{core}beginIndex> {start} ;"
        f' <{core}endIndex> {start + 4} ; <{core}anchorOf> "Nero" ;'
        " <http://www.w3.org/2005/11/its/rdf#taIdentRef> <http://dbpedia.org/resource/Nero> .\n"
    )
    return path


def tac(folder: Path, start: int) -> Path:
    (folder / "x.texts.jsonl").write_text(json.dumps({"id": "d", "text": TEXT}))
    path = folder / "x.tac"
    path.write_text("\t".join(("run", "m1", "Nero", f"d:{start}-{start + 3}", "Nero", "PER", "NAM", "1.0")) + "\n")
    return path


WRITERS: tuple[Callable[[Path, int], Path], ...] = (native, layered, label_studio, nif, tac)


@pytest.mark.parametrize("written", WRITERS, ids=lambda one: one.__name__)
def test_words_that_stand_elsewhere_are_refused_with_the_likely_cause(
    written: Callable[[Path, int], Path], tmp_path: Path
) -> None:
    [document] = corpora.read(written(tmp_path, AT))
    layer = next(iter(document.layers.values()))
    assert document.surface(layer.mentions[0]) == "Nero"
    with pytest.raises(InputError, match=r"x\.\w+.*\[2, 6\) is 'Rome', not 'Nero'"):
        corpora.read(written(tmp_path, TEXT.index("Rome")))
    octets = len(TEXT[:AT].encode())
    with pytest.raises(InputError, match="count bytes of UTF-8"):
        corpora.read(written(tmp_path, octets))
    if written is label_studio:
        # Label Studio counts UTF-16 units itself: its regions are put where their words are.
        [document] = corpora.read(written(tmp_path, AT + 1))
        assert document.surface(document.gold.mentions[0]) == "Nero"
    else:
        with pytest.raises(InputError, match="count UTF-16 units"):
            corpora.read(written(tmp_path, AT + 1))


def test_case_spaces_and_punctuation_are_no_other_words(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    record = {"id": "d", "text": "the  U.S. army", "mentions": [{"start": 0, "end": 9, "text": "The US"}]}
    path.write_text(json.dumps(record))
    [document] = corpora.read(path)
    corpora.write([document], path)
    assert json.loads(path.read_text()) == record
