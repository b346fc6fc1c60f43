"""Checks the contents of a model file of distant relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.store.schema import Array, Fields, Listing, Number, Optional, Schema, Text, check, refuse_unless

_SCHEMA: Final[Schema] = {
    "names": Fields(
        {
            "relations": Listing(Text(), "relations", distinct=True),
            "mention_features": Listing(Text(), "mention features", distinct=True),
            "bag_features": Listing(Text(), "bag features", distinct=True),
            "nil": Number(),
        }
    ),
    "mention_weights": Array("float32", ("mention features", "relations")),
    "bag_weights": Array("float32", ("bag features", "relations")),
    "wordlists": Optional(Text()),
}


def check_parts(parts: Mapping[str, Any]) -> None:
    """Raise InputError if a part is not as it must be."""
    sizes = check(parts, _SCHEMA)
    refuse_unless(sizes["relations"] > 0, "names", "names no relation")
