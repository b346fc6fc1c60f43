"""Files of scores: native records, one per line, with further fields.

    {"id": "t1", "text": ..., "scale": "logit", "alternatives": "all", "bias": 0.0, "parts": [...]}

`scale` says what the numbers are (`scales`), `alternatives` how complete the parts are, `bias` what was added to
declining when the program decided, `calibration` what was done to the numbers since; only `parts` and `scale` are
needed. For disambiguation the candidates of the
mentions may have a `score` instead. A record without a text of its own speaks of the document of the same id in the
data it is read with; where both have a text, it must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.corpora.formats import jsonl
from engine.corpora.io import files
from engine.corpora.records.fields import expect, optional, read_id, required
from engine.corpora.records.spans import read_mentions
from engine.corpora.scores.parts import Json, Link, Part, declined, read_parts
from engine.corpora.scores.scales import ALTERNATIVES, SCALES, Alternatives, Scale, check
from engine.corpora.shapes import SHAPES
from engine.data.document import GOLD, Document
from engine.data.errors import InputError

N = TypeVar("N", bound=str)

PARTS: Final = "parts"
FIELDS: Final = ("scale", "alternatives", "bias", "calibration", PARTS)
"""What a record has besides the document."""


@dataclass(frozen=True, eq=False)
class ScoreRecord:
    """What another program says of one document. Parts name mentions by their characters."""

    document: Document
    """The record's own, or that of the data where the record has no text; without the fields of the scores."""
    parts: Sequence[Part]
    scale: Scale
    alternatives: Alternatives = "all"
    bias: float | None = None
    """None where the file does not say."""
    calibration: str = ""
    """How the scores were calibrated, in words; empty where they are as they came."""
    line: int | None = None

    @property
    def declines(self) -> bool:
        """Whether declining is scored somewhere."""
        return declined(self.parts)


def stream(path: Path, documents: Mapping[str, Document] | None = None) -> Iterator[ScoreRecord]:
    """The records of a file, one by one, each checked; `documents` are the data by id."""
    for number, text in _lines(path):
        try:
            yield read_record(expect(jsonl.parse(text), dict, "the line"), documents or {}, number)
        except InputError as error:
            raise error.at(path, number) from None


def raw(path: Path) -> Iterator[tuple[str, str]]:
    """The id and the line of every record, as they stand in the file; a record without an id is given its own."""
    for number, line in _lines(path):
        found = expect(jsonl.parse(line), dict, "the line")
        id = read_id(found, number, {})
        yield id, line if found.get("id") is not None else json.dumps({**found, "id": id}, ensure_ascii=False)


def raw_records(path: Path) -> Iterator[tuple[str, int, Json]]:
    """The id, the line and the fields of every record, none of them checked yet."""
    for number, line in _lines(path):
        try:
            found = expect(jsonl.parse(line), dict, "the line")
            yield read_id(found, number, {}), number, found
        except InputError as error:
            raise error.at(path, number) from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in files.lines(path):
        text = line.removeprefix("\ufeff") if number == 1 else line
        if text and not text.isspace():
            yield number, text


def read_record(record: Json, documents: Mapping[str, Document], line: int = 1) -> ScoreRecord:
    """A record with scores, checked; InputError names the field."""
    plain = {name: value for name, value in record.items() if name not in FIELDS}
    document = _document(plain, documents, line)
    scale: Scale = _one_of(required(record, "scale", str), SCALES, "scale")
    alternatives: Alternatives = _one_of(optional(record, "alternatives", str) or "all", ALTERNATIVES, "alternatives")
    bias: float | None = optional(record, "bias", float)
    if bias is not None:
        check(bias, "margin", "bias")
    if PARTS in record:
        parts: Sequence[Part] = read_parts(record[PARTS], document, scale)
    else:
        parts = _candidates(document, scale)
    calibration = optional(record, "calibration", str) or ""
    return ScoreRecord(document, parts, scale, alternatives, bias, calibration, line)


def has_scores(path: Path) -> bool:
    """Whether a file is one of scores, by its first record, whatever it is called."""
    try:
        for _, line in _lines(path):
            return line.lstrip().startswith("{") and is_scored(jsonl.parse(line))
    except InputError:
        # Nothing that we write; who reads it says what is wrong with it.
        return False
    return False


def is_scored(fields: Mapping[str, Any]) -> bool:
    """Whether a record with these fields is one of scores, even if it lacks the scale that it needs."""
    parts = fields.get(PARTS)
    if isinstance(parts, list) and any(isinstance(part, dict) and "score" in part for part in parts):
        return True
    return PARTS in fields and "scale" in fields


def with_parts(
    document: Document, parts: Sequence[Json], *, scale: Scale, alternatives: Alternatives, bias: float | None
) -> Document:
    """The document as a record of scores: what native files write of it is read back by `stream`."""
    told: Json = {"scale": scale, "alternatives": alternatives}
    if bias is not None:
        told["bias"] = bias
    kept = {name: value for name, value in document.extra.items() if name not in FIELDS}
    return replace(document, extra={**kept, **told, PARTS: list(parts)})


def _document(plain: Json, documents: Mapping[str, Document], line: int) -> Document:
    if any(shape.matches(plain) for shape in SHAPES):
        own = jsonl.document(plain, line)
        _check_text(own, documents.get(own.id))
        return own
    id = read_id(plain, line, {})
    if id not in documents:
        raise InputError(f"has no text, and the data it is read with have no document {id!r}", field="text")
    found = documents[id]
    if "mentions" not in plain:
        return found
    return found.with_layer(GOLD, read_mentions(plain["mentions"], found.text, "mentions"))


def _check_text(own: Document, data: Document | None) -> None:
    if data is None or own.text == data.text:
        return
    pairs = enumerate(zip(own.text, data.text, strict=False))
    at = next((i for i, (here, there) in pairs if here != there), min(len(own.text), len(data.text)))
    here, there = own.text[at : at + 12], data.text[at : at + 12]
    raise InputError(
        f"the text of document {own.id!r} differs from that of the data at character {at}: {here!r} here,"
        f" {there!r} there",
        field="text",
    )


def _candidates(document: Document, scale: Scale) -> list[Part]:
    """Scores that stand with the candidates of the mentions."""
    found: list[Part] = []
    for m, mention in enumerate(document.gold.mentions):
        for c, candidate in enumerate(mention.extra.get("candidates") or ()):
            where = f"mentions[{m}].candidates[{c}]."
            if isinstance(candidate, dict) and "score" in candidate:
                score = check(required(candidate, "score", float, where), scale, where + "score")
                name = "title" if "title" in candidate else "entity"
                found.append(Link(mention.span, optional(candidate, name, str, where), score))
    if not found:
        raise InputError("is missing; expected a list of scored parts", field=PARTS)
    return found


def _one_of(value: str, known: tuple[N, ...], field: str) -> N:
    for one in known:
        if one == value:
            return one
    raise InputError(f"must be one of {', '.join(known)}, not {value!r}", field=field)
