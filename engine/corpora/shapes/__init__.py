"""Shapes of native records: one small module each, with an example of the record in its docstring.

A shape module has NAME, COMPACT (no spaces after separators, as the shared files of that shape are written),
`matches(record)`, `read(record, position) -> Document`, `holds(document)` (would writing lose anything?) and
`write(document) -> record`. The order below decides which shape a record has.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from engine.corpora.shapes import (
    aida,
    bag,
    document,
    features,
    links,
    row,
    sentence,
    sentential,
    surface,
    topics,
    tweet,
)
from engine.data.document import Document


class Shape(Protocol):
    """The interface of a module in this folder."""

    @property
    def NAME(self) -> str: ...  # noqa: N802

    @property
    def COMPACT(self) -> bool: ...  # noqa: N802

    def matches(self, record: dict[str, Any]) -> bool: ...

    def read(self, record: dict[str, Any], position: int) -> Document: ...

    def holds(self, document: Document) -> bool: ...

    def write(self, document: Document) -> dict[str, Any]: ...


SHAPES: Final[tuple[Shape, ...]] = (
    document,
    row,
    surface,
    aida,
    features,
    bag,
    sentential,
    sentence,
    links,
    topics,
    tweet,
)
BY_NAME: Final = {shape.NAME: shape for shape in SHAPES}
