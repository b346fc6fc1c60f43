"""Label sets of other tools: brat's annotation.conf, Label Studio's labelling config, INCEpTION's layers."""

from __future__ import annotations

import re
from pathlib import Path

from engine.corpora.labels import brat, inception, labelstudio, native
from engine.data.errors import InputError
from engine.data.labels import LabelSet

_SECTION = re.compile(r"^\[(entities|relations|events|attributes)\]\s*$", re.MULTILINE)

LARGEST = 4_000_000
"""Maximum size of a file that describes labels, in bytes."""


def read(path: Path) -> LabelSet:
    """The label set that a file describes; the kind of file is recognised by its content."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or "cannot be read", file=path) from None
    try:
        return parse(content)
    except InputError as error:
        raise error.at(path) from None


def parse(content: bytes) -> LabelSet:
    """The label set of a file's content."""
    if len(content) > LARGEST:
        raise InputError(f"a label set has at most {LARGEST // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text") from None
    start = text.lstrip()[:1]
    if start == "<":
        return labelstudio.parse(text)
    if _SECTION.search(text):
        return brat.parse(text)
    if start in ("{", "["):
        return inception.parse(text) if inception.matches(text) else native.parse(text)
    raise InputError(
        "not a label set: expected our JSON, brat's annotation.conf, a Label Studio config or a layer of INCEpTION"
    )
