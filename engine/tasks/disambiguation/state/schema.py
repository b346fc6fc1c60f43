"""Checks the contents of a disambiguation model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.features.disambiguation.all import pooled_names
from engine.features.disambiguation.knowledge import KEYS
from engine.features.disambiguation.pairs import channels_of
from engine.store.schema import (
    TEXTS,
    Array,
    Listing,
    Number,
    Offsets,
    Optional,
    Schema,
    Sizes,
    Table,
    Text,
    check,
    refuse_unless,
)
from engine.tasks.schemas import check_forest, check_lexicon, starting

_MOST_BINS: Final = 254


def _counts(kind: str) -> Schema:
    """The schema of one kind of key, with dimensions of its own. The first version left out keys without rows."""
    cells = f"cells of {kind}"
    return {
        f"counts_{kind}_keys": Listing(Text(), f"keys of {kind}"),
        f"counts_{kind}_offsets": Offsets("int64", of=f"numbers of {kind}", into=cells),
        f"counts_{kind}_documents": Array("int32", (cells,), low=0, below="documents"),
        f"counts_{kind}_offered": Array("float32", (cells,), low=0),
        f"counts_{kind}_right": Array("float32", (cells,), low=0),
    }


_SCHEMA: Final[Schema] = {
    "vocabulary": Listing(Text(), "words", distinct=True),
    "idf": Array("float32", ("words",)),
    "vector_data": Array("float32", ("cells",)),
    "vector_columns": Array("int32", ("cells",), low=0, below="words"),
    "vector_offsets": Offsets("int64", of="documents", into="cells"),
    "descriptions": Table(Text()),
    "links": Table(Table(Table(Number(low=0, whole=True)))),
    "names": Listing(TEXTS),
    "bins_edges": Array("float64", ("edges",), infinite=True),
    "bins_offsets": Offsets("int64", of="own columns", into="edges", least=1),
    "entity_names": Optional(Listing(Text(), "entities")),
    "entity_vectors": Optional(Array("float16", ("entities", "width"))),
    **{name: kind for key in KEYS for name, kind in _counts(key).items()},
}


def check_parts(parts: Mapping[str, Any], *, structured: bool) -> None:
    """Raise InputError if a part is not as it must be. `structured`: the learner uses other decisions."""
    groups = {prefix: starting(parts, prefix) for prefix in ("forest_", "declining_", "lexicon_")}
    grouped = {prefix + name for prefix, group in groups.items() for name in group}
    sizes = check({name: part for name, part in parts.items() if name not in grouped}, _SCHEMA, Sizes())
    for kind in KEYS:
        numbered = sizes[f"keys of {kind}"] <= sizes[f"numbers of {kind}"]
        refuse_unless(numbered, f"counts_{kind}_keys", "has more keys than numbers")
    has_vectors = "entity_vectors" in parts
    refuse_unless(has_vectors == ("entity_names" in parts), "entity_names", "does not match the vectors")
    own, names = sizes["own columns"], parts["names"]
    refuse_unless(
        (parts["bins_offsets"][1:] - parts["bins_offsets"][:-1] <= _MOST_BINS).all(), "bins_offsets", "is wide"
    )
    refuse_unless(all(len(name) == 3 for name in names), "names", "does not say name, group and help")
    channels = channels_of(described=bool(parts["descriptions"]), vectors=has_vectors)
    pooled = len(pooled_names(channels)) if structured else 0
    refuse_unless(len(names) == own + pooled, "names", f"has {len(names)} columns where {own + pooled} are expected")
    check_forest(groups["forest_"], len(names), "forest_")
    check_forest(groups["declining_"], own, "declining_")
    if groups["lexicon_"]:
        check_lexicon(groups["lexicon_"], "lexicon_")
