"""Checks the contents of a coreference model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.learners.laso.arrays import TABLE
from engine.store.schema import TEXTS, Array, Fields, Flag, Free, Listing, Number, Schema, Text, check
from engine.store.schema import Table as Words

_DOCUMENT: Final = Fields(
    {
        "id": Text(),
        "mentions": Number(low=0, whole=True),
        "read": Number(low=0),
        "updates": Free(list),
        "loss": Number(),
        "arc_distance": Number(low=0),
        "depth": Number(low=0),
    }
)
_SCHEMA: Final[Schema] = {
    "numbers": Array("int32", ("used",), low=1, below=TABLE),
    "weights": Array("float32", ("used",)),
    "templates": Fields({"root": TEXTS, "pair": TEXTS, "cluster": TEXTS}),
    "singletons": Flag(),
    "gender": Words(Text()),
    "history": Listing(
        Fields(
            {
                "iteration": Number(low=1, whole=True),
                "loss": Number(),
                "read": Number(low=0),
                "updates": Number(low=0, whole=True),
                "arc_distance": Number(low=0),
                "arcs_per_mention": Number(low=0),
                "depth": Number(low=0),
                "documents": Listing(_DOCUMENT),
            }
        )
    ),
}


def check_parts(parts: Mapping[str, Any]) -> None:
    """Raise InputError if a part is not as it must be."""
    check(parts, _SCHEMA)
