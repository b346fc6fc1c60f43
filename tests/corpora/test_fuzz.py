"""Mutated files of every format: they are read, or refused with an InputError; nothing else comes out."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.formats import jsonl
from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError
from tests.corpora.test_conll2012 import DEPENDENCIES, FILE, MENTIONS
from tests.corpora.test_roundtrip import NAMES
from tests.corpora.test_shapes import RECORDS

TEXT = "Ada 😀 met Bob\nin Paris."
PLAIN = Layer(
    (Mention(0, 3, "PER", "Ada"), Mention(10, 13, "PER", NIL, 0.5), Mention(17, 22, "LOC", NIL)),
    ((1, 2),),
    (Relation(0, 1, "knows"),),
)
WORDS = Document.from_words("w", [["Ada", "met", "Bob"]], columns={"pos": ("N", "V", "N")})


def samples() -> dict[str, list[Document]]:
    plain = [Document("1", TEXT, layers={GOLD: PLAIN}), Document("2", "nothing", layers={GOLD: Layer()})]
    links = Layer((Mention(0, 3, entity="Ada"), Mention(8, 11, entity=NIL)))
    typed = Layer((Mention(0, 3, "Peop"), Mention(8, 11, "Peop")), relations=(Relation(0, 1, "Kill"),))
    chain = Layer((Mention(0, 3), Mention(8, 11)), ((0, 1),))
    found = {name: plain for name in corpora.FORMATS}
    found["aidayago"] = [WORDS.with_layer(GOLD, links)]
    found["spert"] = [WORDS.with_layer(GOLD, typed)]
    found["conll2012"] = [WORDS.with_layer(GOLD, chain)]
    found["jsonl"] = [jsonl.document(record) for record in RECORDS.values()]
    found["table"] = [jsonl.document({"row": ["a", "b"]}), jsonl.document({"row": ["c"]})]
    return found


def flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def shuffle_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def swap_values(content: bytes, chance: random.Random) -> bytes:
    """Another kind of value in the place of a number, a word, a string or a separator."""
    values = [b"-1", b"1e999", b"null", b"true", b"[]", b"{}", b'""', b"NaN", b"99999999999999999999", b"\x00", b"\xff"]
    old = chance.choice([b"0", b"1", b"3", b'"', b"\t", b"PER", b"[", b":", b" ", b"(", b"<", b"T1", b"Ada"])
    return content.replace(old, chance.choice([*values, b"", b"\t"]), chance.randint(1, 3))


def repeat_part(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    piece = content[start : start + chance.randint(1, 60)]
    place = chance.randrange(len(content))
    return content[:place] + piece + content[place:]


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [flip, cut, shuffle_lines, swap_values, repeat_part]


@pytest.mark.parametrize("format", corpora.FORMATS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(seed=st.integers(0, 2**32), mutation=st.sampled_from(MUTATIONS), compressed=st.booleans(), guess=st.booleans())
def test_only_input_errors_come_out(
    format: str,
    seed: int,
    mutation: Callable[[bytes, random.Random], bytes],
    compressed: bool,
    guess: bool,
    tmp_path: Path,
) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "fuzz"
    if not folder.exists():
        folder.mkdir()
        corpora.write(samples()[format], folder / NAMES[format].removesuffix(".gz"), format)
        if format == "conll2012":
            (folder / "x.conll").write_text(FILE)
            (folder / "x.dep.tsv").write_text(DEPENDENCIES)
            (folder / "x.mentions.tsv").write_text(MENTIONS)
    originals = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    victim = chance.choice(sorted(path for path, content in originals.items() if content))
    path = folder / NAMES[format].removesuffix(".gz")
    try:
        if compressed and victim == path:
            path = path.with_name(path.name + ".gz")
            path.write_bytes(mutation(gzip.compress(originals[victim]), chance))
        else:
            victim.write_bytes(mutation(originals[victim], chance))
        try:
            found = corpora.read(path, None if guess else format)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert all(isinstance(document, Document) for document in found)
            # What could be read can also be written, in the format that holds everything.
            corpora.write(found, tmp_path / "back.jsonl")
            assert corpora.read(tmp_path / "back.jsonl") == found
    finally:
        for original, content in originals.items():
            original.write_bytes(content)
        if path.suffix == ".gz":
            path.unlink(missing_ok=True)
