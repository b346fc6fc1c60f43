"""Checks of the scorers and lexicons in a model file; each system checks its other parts itself.

There is one schema per kind of scorer, under the name that engine/learners/scorers.py gives the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from engine.data.errors import InputError
from engine.lexicon.knowledge import NUMBERS
from engine.lexicon.lexicon import ALIAS_KINDS, TRIES
from engine.lexicon.sieve import OPEN
from engine.lexicon.trial import sizes_of
from engine.store.schema import (
    TEXTS,
    Array,
    Blob,
    Fields,
    Listing,
    Number,
    Offsets,
    Optional,
    Schema,
    Sizes,
    Text,
    check,
    refuse_unless,
    scalar,
)

FOREST: Final[Schema] = {
    "offsets": Offsets("int64", of="trees", into="nodes", least=1),
    "feature": Array("int32", ("nodes",), low=-1, below="features"),
    "threshold": Array("float64", ("nodes",), infinite=True),
    "bin": Array("uint8", ("nodes",)),
    "missing_left": Array("bool", ("nodes",)),
    "left": Array("int32", ("nodes",), low=-1),
    "right": Array("int32", ("nodes",), low=-1),
    "value": Array("float64", ("nodes",)),
    "n": Array("int64", ("nodes",), low=0),
    "start": scalar(),
}
DEEPEST: Final = 62
"""Maximum number of splits on the way to a leaf: growing never makes more, and explaining has no room for more."""

_SCALING: Final[Schema] = {
    "mean": Array("float64", ("features",)),
    # A feature that was constant has infinite spread, so that it counts for nothing.
    "spread": Array("float64", ("features",), low=1e-300, infinite=True),
}
_LINEAR: Final[Schema] = {"weights": Array("float64", ("weights",)), **_SCALING}
_QUADRATIC: Final[Schema] = {"matrix": Array("float64", ("features+1", "features+1")), **_SCALING}
_NETWORK: Final[Schema] = {
    "hidden": Array("float64", ("units", "features+1")),
    "out": Array("float64", ("units",)),
    "offset": scalar(),
    **_SCALING,
}
_PRICE: Final[Schema] = {"column": Array("int64", (1,), low=0, below="features"), "price": scalar()}


def check_scorer(parts: Mapping[str, Any], features: int, place: str = "") -> None:
    """Check the parts of one scorer over this number of features."""
    kind = parts.get("kind")
    price = starting(parts, "price_")
    rest = {name: part for name, part in parts.items() if name != "kind" and not name.startswith("price_")}
    if price:
        check(price, _PRICE, Sizes({"features": features}), place=f"{place}price_")
    if kind == "forest":
        check_forest(rest, features, place)
    elif kind == "against-nil":
        shared = {name: part for name, part in rest.items() if name == "shared"}
        check(shared, {"shared": Array("bool", ("features",))}, Sizes({"features": features}), place=place)
        check_forest({name: part for name, part in rest.items() if name != "shared"}, features, place)
    elif kind == "linear":
        _check_linear(rest, features, place)
    elif kind == "linear-forest":
        known = {name for name in rest if name.startswith(("line_", "tree_"))}
        refuse_unless(known == set(rest), place + min(set(rest) - known, default=""), "is not known here")
        _check_linear(starting(rest, "line_"), features, f"{place}line_")
        check_forest(starting(rest, "tree_"), features, f"{place}tree_")
    elif kind == "quadratic":
        check(rest, _QUADRATIC, Sizes({"features": features}), place=place)
    elif kind == "network":
        check(rest, _NETWORK, Sizes({"features": features}), place=place)
    else:
        refuse_unless(False, f"{place}kind", f"names no kind of scorer: {kind!r}"[:120])


def check_forest(parts: Mapping[str, Any], features: int, place: str = "") -> None:
    """Check that every walk through the trees stays inside them and ends: children come after their parents, and every
    node has one parent."""
    check(parts, FOREST, Sizes({"features": features}), place=place)
    offsets = parts["offsets"]
    lengths = np.diff(offsets)
    roots = np.repeat(offsets[:-1], lengths)
    nodes = np.arange(len(roots)) - roots
    inner = parts["feature"] >= 0
    for side in ("left", "right"):
        child = parts[side]
        fine = (child > nodes) & (child < np.repeat(lengths, lengths))
        refuse_unless(fine[inner].all(), place + side, "names nodes that do not follow their parents")
        refuse_unless((child[~inner] == -1).all(), place + side, "gives children to a leaf")
    children = np.concatenate([(parts[side] + roots)[inner] for side in ("left", "right")])
    parents = np.bincount(children, minlength=len(roots)) if len(roots) else np.zeros(0, dtype=np.int64)
    refuse_unless((parents == (nodes > 0)).all(), f"{place}left", "does not make trees of the nodes")
    n = parts["n"]
    sums = n[(parts["left"] + roots)[inner]] + n[(parts["right"] + roots)[inner]]
    refuse_unless((sums == n[inner]).all(), f"{place}n", "does not add up")
    level = offsets[:-1]
    for _ in range(DEEPEST + 1):
        split = level[inner[level]]
        if not len(split):
            return
        level = np.concatenate([parts[side][split] + roots[split] for side in ("left", "right")])
    refuse_unless(False, f"{place}left", f"makes a tree deeper than {DEEPEST}")


def _check_linear(parts: Mapping[str, Any], features: int, place: str) -> None:
    sizes = check(parts, _LINEAR, Sizes({"features": features}), place=place)
    # If there is one weight more than features, the last is that of the constant.
    refuse_unless(sizes["weights"] - features in (0, 1), f"{place}weights", "has not one weight for each feature")


LEXICON: Final[Schema] = {
    "names": Fields(
        {"format": Number(whole=True), "types": Listing(Text(), "types"), "tagsets": Listing(TEXTS, "sets")}
    ),
    "posting_offsets": Offsets("int64", of="surfaces", into="postings"),
    "posting_entities": Array("int32", ("postings",), low=0, below="titles"),
    "posting_counts": Array("uint32", ("postings",)),
    "posting_tagsets": Array("uint16", ("postings",), below="sets"),
    "squeezed_offsets": Offsets("int32", of="squeezed", into="spaceless"),
    "squeezed_surfaces": Array("int32", ("spaceless",), low=0, below="surfaces"),
    "alias_offsets": Offsets("int32", of="aliases", into="named"),
    "alias_entities": Array("int32", ("named",), low=0, below="titles"),
    "alias_kinds": Array("uint8", ("named",), below=len(ALIAS_KINDS)),
    **{f"entity_{name}": Array("float32", ("titles",)) for name in NUMBERS},
    "entity_type_offsets": Offsets("int32", of="titles", into="typed"),
    "entity_type_ids": Array("int16", ("typed",), low=0, below="types"),
    "entity_description_offsets": Offsets("int64", of="titles", into="described"),
    "entity_description_bytes": Array("uint8", ("described",)),
    "entity_link_offsets": Offsets("int64", of="titles", into="linked"),
    # Pages that are not entities are numbered after the entities.
    "entity_link_ids": Array("int32", ("linked",), low=0),
    # Lexicons of former versions have none.
    "sieve": Optional(Array("uint64", ("sieve",))),
    **{f"trie_{name}": Blob() for name in TRIES},
}


def check_lexicon(parts: Mapping[str, Any], place: str = "") -> None:
    """Check a lexicon that came inside a model file."""
    tries = {name: parts.get(f"trie_{name}") for name in TRIES}
    for name, content in tries.items():
        refuse_unless(isinstance(content, bytes), f"{place}trie_{name}", "does not hold bytes")
    try:
        known = sizes_of({name: bytes(content or b"") for name, content in tries.items()})
    except InputError as error:
        raise InputError(f"{error.what}: the model is damaged; train it again") from error
    check(parts, LEXICON, Sizes(known), place=place)
    n_words = len(parts.get("sieve", OPEN))
    refuse_unless(n_words > 0 and n_words & (n_words - 1) == 0, f"{place}sieve", "has not a power of two of words")
    offsets, text = parts["entity_description_offsets"], bytes(parts["entity_description_bytes"])
    try:
        text.decode()
    except UnicodeDecodeError:
        refuse_unless(False, f"{place}entity_description_bytes", "is not text")
    # Every description must begin at the first byte of a character; empty ones at the end begin at no byte at all.
    starts = parts["entity_description_bytes"][offsets[offsets < len(text)]]
    refuse_unless(((starts & 0xC0) != 0x80).all(), f"{place}entity_description_offsets", "cuts a character in two")


def starting(parts: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The parts whose names start with the prefix, with the prefix removed."""
    return {name.removeprefix(prefix): part for name, part in parts.items() if name.startswith(prefix)}
