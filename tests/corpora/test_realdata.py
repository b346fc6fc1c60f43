"""Every file of the shared data becomes native JSONL and comes back the same."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from engine import corpora

pytestmark = pytest.mark.realdata

WHOLE = 400_000
"""Files of at most so many bytes, as they lie on disk, are looked at whole; nine of 36 are larger."""

SAMPLE = 1 << 18
"""Bytes of a larger file that the test looks at; whole documents are cut off at the last that fits."""


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def sampled(path: Path, folder: Path) -> Path:
    """The file, or the beginning of a large one as a file of the same name."""
    if path.stat().st_size <= WHOLE:
        return path
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        head = file.read(SAMPLE)
        rest = file.readline()
    copy = folder / path.name
    data = head + rest
    copy.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)
    return copy


def files_of(root: Path, *endings: str) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name.endswith(endings):
            yield path


def through_native(path: Path, folder: Path) -> Path:
    native, back = folder / "native.jsonl", folder / "back" / path.name
    back.parent.mkdir(exist_ok=True)
    corpora.write(corpora.stream(path), native)
    corpora.write(corpora.stream(native), back, corpora.detect(path).name)
    return back


def test_lines_and_tables_come_back_byte_for_byte(data_root: Path, tmp_path: Path) -> None:
    seen = 0
    for path in files_of(data_root, ".jsonl.gz", ".tsv.gz"):
        copy = sampled(path, tmp_path)
        assert content(through_native(copy, tmp_path)) == content(copy), path
        seen += 1
    assert seen >= 30


def test_scorer_cases_come_back_byte_for_byte(data_root: Path, tmp_path: Path) -> None:
    paths = list(files_of(data_root / "coref_scorer_cases", ".key", ".response"))
    assert len(paths) >= 30
    for path in paths:
        assert content(through_native(path, tmp_path)) == content(path), path


@pytest.mark.parametrize("name", ["ontogum/dev", "ontogum/train", "litbank/dev", "litbank/train"])
def test_conll_files_and_their_sidecars_come_back_byte_for_byte(name: str, data_root: Path, tmp_path: Path) -> None:
    back = through_native(data_root / f"{name}.conll.gz", tmp_path)
    compared = 0
    for original in data_root.glob(f"{name}.*.gz"):
        assert content(back.with_name(original.name)) == content(original)
        compared += 1
    assert compared == 2


def test_counts_are_those_of_the_readmes(data_root: Path) -> None:
    ontogum = corpora.read(data_root / "ontogum/dev.conll.gz")
    assert len(ontogum) == 30
    assert sum(len(document.tokens) for document in ontogum) == 28119
    assert sum(len(document.gold.mentions) for document in ontogum) == 3815
    assert sum(len(document.gold.clusters) for document in ontogum) == 855
    assert "deprel" in ontogum[0].columns
    litbank = corpora.read(data_root / "litbank/dev.conll.gz")
    assert sum(len(document.gold.mentions) for document in litbank) == 3053
    assert {mention.type for document in litbank for mention in document.gold.mentions} >= {"PER", "LOC"}
    neel = corpora.read(data_root / "neel/dev.jsonl.gz")
    mentions = [mention for document in neel for mention in document.gold.mentions]
    assert (len(mentions), sum(mention.is_linked for mention in mentions)) == (953, 851)
    conll04 = corpora.read(data_root / "conll04/dev.jsonl.gz")
    assert sum(len(document.gold.relations) for document in conll04) == 67 + 83 + 106 + 79 + 18
    bags = corpora.read(data_root / "nyt_multi_bags/dev.jsonl.gz")
    assert sum(len(document.bag.members) for document in bags if document.bag) == 1506
    assert sum(len(document.gold.labels) for document in bags) == 560


@pytest.mark.parametrize("target", ["nif", "brat", "labelstudio", "uimacas", "neel", "neleval", "tac"])
def test_tweets_keep_their_links_in_every_format_that_holds_links(target: str, data_root: Path, tmp_path: Path) -> None:
    documents = list(islice(corpora.stream(data_root / "neel/dev2016.jsonl.gz"), 30))
    path = tmp_path / {"nif": "x.ttl", "labelstudio": "x.labelstudio.json"}.get(target, "x")
    corpora.write(documents, path, target)
    back = {document.id: document for document in corpora.read(path, target)}
    for document in documents:
        links = [(m.start, m.end, m.type, m.entity) for m in document.gold.mentions]
        found = [(m.start, m.end, m.type, m.entity) for m in back[document.id].gold.mentions]
        assert (back[document.id].text, found) == (document.text, links)
