"""GLiREL: {"id", "tokens", "ner": [[first, last, type, ...]], "relations": [{"head_pos", "tail_pos", "label", ...}]}.

`ner` is what GLiREL was asked about, with the last token as its end; `relations` is what it answered, in tokens and
half-open. Scores are sigmoids; `threshold=0.0, top_k=-1` gives out all pairs with all labels. The types are those that
were given in: nothing else can be chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.records.fields import expect, pair, required, words_of
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "GLiREL"
FOR: Final = ("joint",)
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ()


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, record in records(path):
        with placed(path, line):
            expect(record, dict, "the line")
            words = words_of(required(record, "tokens", list), "tokens")
            document = Document.from_words(required(record, "id", str), [words], shape="sentence")
            yield Imported(document, [*_types(record, document), *_relations(record, document)], "prob", "all")


def _types(record: Json, document: Document) -> Iterator[Json]:
    for i, item in enumerate(required(record, "ner", list)):
        field = f"ner[{i}]"
        if len(expect(item, list, field)) < 3:
            raise InputError("expected the first token, the last token and a type", field=field)
        first, last = expect(item[0], int, field), expect(item[1], int, field)
        span = characters(document, first, last + 1, field)
        yield {"entity": span, "type": expect(item[2], str, field), "score": 1.0}


def _relations(record: Json, document: Document) -> Iterator[Json]:
    for i, item in enumerate(required(record, "relations", list)):
        where = f"relations[{i}]."
        expect(item, dict, f"relations[{i}]")
        head, tail = (
            characters(document, *pair(required(item, name, list, where), where + name), where + name)
            for name in ("head_pos", "tail_pos")
        )
        if head != tail:
            label: Any = required(item, "label", str, where)
            yield {"head": head, "tail": tail, "type": label, "score": required(item, "score", float, where)}


def characters(document: Document, first: int, last: int, field: str) -> list[int]:
    """The characters of the tokens first to last - 1."""
    if not 0 <= first < last <= len(document.tokens):
        raise InputError(f"[{first}, {last}) is not a span of {len(document.tokens)} tokens", field=field)
    return list(document.char_range(first, last))
