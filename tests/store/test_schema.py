"""Declared parts: what fits passes, and what does not is refused by the name of its part."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.errors import InputError
from engine.store.schema import (
    Array,
    Blob,
    Fields,
    Flag,
    Listing,
    Maybe,
    Number,
    Offsets,
    Optional,
    Sizes,
    Table,
    Text,
    check,
)

SCHEMA = {
    "weights": Array("float64", ("rows", "columns")),
    "ids": Array("int32", ("cells",), low=0, below="columns"),
    "offsets": Offsets("int64", of="rows", into="cells"),
    "names": Listing(Text(), "columns", distinct=True),
    "about": Fields({"n": Number(low=1, whole=True), "path": Maybe(Text()), "on": Flag()}),
    "links": Table(Number(low=0)),
    "trie": Optional(Blob()),
}


def sound() -> dict[str, Any]:
    return {
        "weights": np.zeros((2, 3)),
        "ids": np.array([0, 2], np.int32),
        "offsets": np.array([0, 2, 2], np.int64),
        "names": ["a", "b", "c"],
        "about": {"n": 1, "path": None, "on": True},
        "links": {"x": 0.5},
    }


def test_what_fits_passes_and_settles_the_sizes() -> None:
    sizes = check(sound(), SCHEMA)
    assert (sizes["rows"], sizes["columns"], sizes["columns+1"]) == (2, 3, 4)
    check({**sound(), "trie": b""}, SCHEMA)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("weights", np.zeros((2, 3), np.float32), "float32 where float64"),
        ("weights", np.zeros((2, 3), ">f8"), "where float64"),
        ("weights", np.zeros(6), "1 dimensions where 2"),
        ("weights", np.full((2, 3), np.nan), "not finite"),
        ("weights", np.full((2, 3), np.inf), "not finite"),
        ("weights", [[0.0] * 3] * 2, "not an array"),
        ("ids", np.array([0, 3], np.int32), "must stay below 3"),
        ("ids", np.array([-1, 0], np.int32), "below 0"),
        ("ids", np.array([0, 1, 1], np.int32), "does not lead"),
        ("offsets", np.array([0, 3, 2], np.int64), "does not lead"),
        ("offsets", np.array([1, 2, 2], np.int64), "does not lead"),
        ("offsets", np.array([], np.int64), "length"),
        ("offsets", np.array([0, 2], np.int64), "length 2 where 3"),
        ("names", ["a", "b"], "length 2 where 3"),
        ("names", ["a", "b", "b"], "twice"),
        ("names", ["a", "b", 3], "not a text"),
        ("names", {"a": 1}, "not a list"),
        ("about", {"n": 0, "path": None, "on": True}, "n: is 0"),
        ("about", {"n": True, "path": None, "on": True}, "n: is not a whole number"),
        ("about", {"n": 1, "path": 3, "on": True}, "path: is not a text"),
        ("about", {"n": 1, "on": True}, "path"),
        ("about", {"n": 1, "path": None, "on": 1}, "on: is not true or false"),
        ("links", {"x": float("nan")}, "not a finite"),
        ("links", {"x": -1}, "from 0"),
        ("trie", "text", "bytes"),
    ],
)
def test_what_does_not_fit_is_named(name: str, value: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check({**sound(), name: value}, SCHEMA)


def test_parts_that_lack_or_are_strange_are_named() -> None:
    lacking = sound()
    del lacking["ids"]
    with pytest.raises(InputError, match="'p-ids' is not there"):
        check(lacking, SCHEMA, place="p-")
    with pytest.raises(InputError, match="'odd' is not known"):
        check({**sound(), "odd": 1}, SCHEMA)


def test_sizes_that_are_known_beforehand_bind() -> None:
    with pytest.raises(InputError, match="where 4 is expected"):
        check(sound(), SCHEMA, Sizes({"columns": 4}))


@given(
    offsets=st.lists(st.integers(-3, 6), min_size=1, max_size=5),
    n=st.integers(0, 6),
)
def test_offsets_are_accepted_exactly_where_every_slice_lies_inside(offsets: list[int], n: int) -> None:
    """Against the definition: rows one after another that cover 0 to n."""
    covered = [i for low, high in pairwise(offsets) for i in range(low, high)]
    sound = covered == list(range(n)) and offsets == sorted(offsets) and offsets[0] == 0 and offsets[-1] == n
    schema = {"offsets": Offsets("int64", of="rows", into="cells"), "cells": Array("int8", ("cells",))}
    parts = {"offsets": np.array(offsets), "cells": np.zeros(n, np.int8)}
    try:
        check(parts, schema)
    except InputError:
        assert not sound
    else:
        assert sound
