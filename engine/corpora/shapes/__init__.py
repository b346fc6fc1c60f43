"""Shapes of native records: one small module each, with the record's picture in its docstring.

A shape module has NAME, COMPACT (no spaces after separators, as the shared files of that shape are written),
`matches(record)`, `read(record, position) -> Document`, `holds(document)` (would writing lose anything?) and
`write(document) -> record`. The order below decides which shape a record has.
"""

from __future__ import annotations

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

SHAPES = (document, row, surface, aida, features, bag, sentential, sentence, links, topics, tweet)
BY_NAME = {shape.NAME: shape for shape in SHAPES}
