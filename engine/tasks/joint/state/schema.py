"""Checks the contents of a joint model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.store.schema import (
    TEXTS,
    Array,
    Fields,
    Free,
    Listing,
    Number,
    Schema,
    Table,
    Text,
    check,
    refuse_unless,
)
from engine.tasks.joint.constraints.language import check_names, from_json
from engine.tasks.joint.constraints.space import Space

_MOST: Final = 1e5
"""Maximum weight; with larger ones the integer program loses the precision to distinguish its rows."""

_SCHEMA: Final[Schema] = {
    "space": Fields(
        {"types": Listing(Text(), "types", distinct=True), "labels": Listing(Text(), "labels", distinct=True)}
    ),
    "entity_names": Listing(Text(), "entity features", distinct=True),
    "pair_names": Listing(Text(), "pair features", distinct=True),
    "entity_weights": Array("float32", ("types", "entity features"), low=-_MOST, high=_MOST),
    "entity_intercepts": Array("float64", ("types",), low=-_MOST, high=_MOST),
    "pair_weights": Array("float32", ("labels", "pair features"), low=-_MOST, high=_MOST),
    "pair_intercepts": Array("float64", ("labels",), low=-_MOST, high=_MOST),
    "sharpness": Listing(Number(low=0, high=_MOST), 2),
    "constraints": Free(list),
    "gazetteers": Table(TEXTS),
    "phrases": TEXTS,
    "wordlists": Text(),
}


def check_parts(parts: Mapping[str, Any]) -> None:
    """Raise InputError if a part is not as it must be."""
    sizes = check(parts, _SCHEMA)
    refuse_unless(sizes["types"] > 0 and sizes["labels"] > 0, "space", "has no types or no labels")
    for one in parts["constraints"]:
        refuse_unless(isinstance(one, dict), "constraints", "holds something that is not a constraint")
    check_names(from_json(parts["constraints"]), Space.from_parts(parts["space"]))
