"""Mutated files of every format: read or refused, and what could be read is written in another format or refused by
name; what a format has written is read back."""

from __future__ import annotations

import gzip
import random
import shutil
from pathlib import Path
from typing import Final

import numpy as np

from engine import corpora
from engine.data.errors import InputError
from tests.corpora.test_conll2012 import DEPENDENCIES, FILE, MENTIONS
from tests.corpora.test_fuzz import MUTATIONS, samples
from tests.corpora.test_roundtrip import NAMES

KINDS: Final = tuple(corpora.FORMATS)


def prepare(folder: Path, kind: str) -> None:
    sound = folder / kind
    if sound.is_dir():
        return
    sound.mkdir()
    corpora.write(samples()[kind], sound / _name(kind), kind)
    if kind == "conll2012":
        (sound / "x.conll").write_text(FILE, encoding="utf-8")
        (sound / "x.dep.tsv").write_text(DEPENDENCIES, encoding="utf-8")
        (sound / "x.mentions.tsv").write_text(MENTIONS, encoding="utf-8")


def attempt(folder: Path, kind: str, rng: np.random.Generator) -> str:
    chance = random.Random(int(rng.integers(2**32)))
    place, out = folder / "mutant", folder / "written"
    for old in (place, out):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(folder / kind, place)
    out.mkdir()
    path = place / _name(kind)
    victim = chance.choice(sorted(one for one in place.rglob("*") if one.is_file() and one.stat().st_size))
    content = victim.read_bytes()
    if victim == path and chance.random() < 0.2:
        victim, content = path.with_name(path.name + ".gz"), gzip.compress(content)
        path.unlink()
        path = victim
    victim.write_bytes(chance.choice(MUTATIONS)(content, chance))
    other = chance.choice(KINDS)
    try:
        found = corpora.read(path, None if chance.random() < 0.3 else kind)
        corpora.write(found, out / _name(other), other)
        corpora.read(out / _name(other), other)
    except InputError as error:
        if "\n" in str(error):
            raise ValueError(f"the message has several lines: {error}") from error
        return "refused"
    return "works"


def _name(kind: str) -> str:
    return NAMES[kind].removesuffix(".gz")
