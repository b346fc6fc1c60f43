"""What is written is read back as what it is, whatever the file is called; or the name is refused before writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError

ENDINGS = sorted(
    {ending for one in corpora.FORMATS.values() for ending in one.extensions}
    | {"", ".json", ".dat", ".zip", ".csv", ".xml", ".tsv.gz", ".dat.gz", ".jsonl.gz"}
)


def sentence(*entities: str | None) -> Document:
    """One sentence; what its two names mean."""
    made = Document.from_words("a", [["Ada", "met", "Bob"]])
    spans = (made.tokens[0], made.tokens[2])
    mentions = tuple(Mention(*span, "PER", entity) for span, entity in zip(spans, entities, strict=False))
    relations = (Relation(0, 1, "met"),) if len(mentions) == 2 and entities[0] is None else ()
    return made.with_layer("gold", Layer(mentions, relations=relations))


KINDS = {
    "linked": sentence("Ada Lovelace", "Bob"),
    "outside the knowledge base": sentence(NIL, NIL),
    "related": sentence(None, None),
    "bare": sentence(),
    "with fields of other formats": Document("a", "Ada", extra={"data": {}, "annotations": [1], "predictions": []}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "format", [name for name in corpora.FORMATS if name not in ("table", "plain")]
)  # neither holds mentions
def test_a_file_is_read_back_as_what_it_is(kind: str, format: str, tmp_path: Path) -> None:
    read = 0
    for number, ending in enumerate(ENDINGS):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / f"x{ending}"
        try:
            corpora.write([KINDS[kind]], path, format)
        except InputError:
            assert list(folder.iterdir()) == []
            continue
        [back] = corpora.read(path)
        assert corpora.detect(path).name == format, path.name
        assert [mention.span for mention in back.gold.mentions] == [one.span for one in KINDS[kind].gold.mentions]
        read += 1
    own = corpora.FORMATS[format].extensions
    assert read >= len(own) or kind not in ("linked", "related")


def test_names_that_belong_to_another_format_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "x.jsonl"
    corpora.write([KINDS["linked"]], source)
    assert main(["convert", "--to", "nif", str(source), str(tmp_path / "x.conll")]) == 1
    assert "is the name of CoNLL-2012, not of NIF; choose one that ends in .ttl" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [source]


def test_a_table_of_links_may_be_called_tsv(tmp_path: Path) -> None:
    """Two documents without a known entity, which nothing but the texts beside the table tells from NEEL's."""
    source = tmp_path / "x.jsonl"
    documents = [KINDS["outside the knowledge base"], Document("b", "Nobody")]
    corpora.write(documents, source)
    for format in ("neleval", "neel", "tac"):
        out = tmp_path / f"{format}.tsv"
        assert main(["convert", "--to", format, str(source), str(out)]) == 0
        assert [one.id for one in corpora.read(out)] == ["a", "b"]
        assert corpora.detect(out).name == format
