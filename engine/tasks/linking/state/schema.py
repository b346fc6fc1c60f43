"""Checks the contents of a linking model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.features.linking.all import BASIC
from engine.features.linking.entity_pairs import PAIRS
from engine.features.linking.memory import TABLES
from engine.store.schema import TEXTS, Fields, Maybe, Number, Schema, Table, Text, check, refuse_unless
from engine.tasks.schemas import check_lexicon, check_scorer, starting

_COUNTS: Final = Table(Number(low=0, whole=True))
_SCHEMA: Final[Schema] = {
    "linking": Fields(
        {
            "own_tags": TEXTS,
            "entities": Number(low=1, high=1e6, whole=True),
            "first_bias": Number(),
            "stages": Number(low=1, high=2, whole=True),
            "lexicon": Fields({"path": Maybe(Text()), "digest": Text()}),
        }
    ),
    "memory": Fields({"n_texts": Number(low=0, whole=True), "total": Fields(dict.fromkeys(TABLES, _COUNTS))}),
}


def check_parts(parts: Mapping[str, Any]) -> None:
    """Raise InputError if a part is not as it must be."""
    groups = {prefix: starting(parts, f"{prefix}-") for prefix in ("scorer", "first", "lexicon")}
    grouped = {f"{prefix}-{name}" for prefix, group in groups.items() for name in group}
    check({name: part for name, part in parts.items() if name not in grouped}, _SCHEMA)
    about = parts["linking"]
    for pair in parts["memory"]["total"]["pairs"]:
        refuse_unless(pair.count("\t") == 1, "memory", "holds a link without one name and one title")
    refuse_unless((about["stages"] == 2) == bool(groups["first"]), "first-kind", "does not go with the stages")
    check_scorer(groups["scorer"], len(BASIC) + (len(PAIRS) if groups["first"] else 0), "scorer-")
    if groups["first"]:
        check_scorer(groups["first"], len(BASIC), "first-")
    if groups["lexicon"]:
        check_lexicon(groups["lexicon"], "lexicon-")
