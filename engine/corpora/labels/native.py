"""Our own JSON: what `labels show --json` prints."""

from __future__ import annotations

from engine.corpora.formats.jsonl import parse as parse_json
from engine.data.labels import LabelSet, from_json


def parse(text: str) -> LabelSet:
    return from_json(parse_json(text))
