"""Schemas of the parts of a model file, checked before the parts are used.

Arrays go to compiled kernels, which do not check array bounds: a damaged or hostile file would crash the process. So
every part is declared: its type, its shape in named dimensions that must agree between parts, its range, whether it is
finite. A schema is a mapping from the names of parts to the kinds below; `check` compares it with the parts in two
passes: first the shapes, which determine the dimensions, then the contents, which may refer to them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from engine.data.errors import InputError

LARGEST: Final = 1e15
"""Larger numbers are not valid weights: sums of them would overflow."""

Size: TypeAlias = int | str
"""A length, or the name of one; "name+1" is one more than it."""


class Mismatch(ValueError):
    """A part does not match its schema; the message continues the sentence that begins with the part's name."""


class Sizes:
    """The lengths of named dimensions."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self._known = dict(known or {})

    def __getitem__(self, size: Size) -> int:
        if isinstance(size, int):
            return size
        name, _, more = size.partition("+")
        return self._known[name] + int(more or 0)

    def settle(self, size: Size, length: int) -> None:
        """Set the length of a dimension, or check it if it is already known."""
        if isinstance(size, str):
            name, _, more = size.partition("+")
            wanted = self._known.setdefault(name, length - int(more or 0)) + int(more or 0)
        else:
            wanted = size
        if length != wanted or length < 0:
            raise Mismatch(f"has length {length} where {wanted} is expected ({size})")


class Kind(ABC):
    """The schema of one part, or of a value inside one."""

    def shape(self, value: Any, sizes: Sizes) -> None:
        """First pass: check type and shape, if the kind has any."""
        return None

    @abstractmethod
    def content(self, value: Any, sizes: Sizes) -> None:
        """Second pass: check the contents."""


Schema: TypeAlias = Mapping[str, Kind]


def check(parts: Mapping[str, Any], schema: Schema, sizes: Sizes | None = None, *, place: str = "") -> Sizes:
    """Check parts against their schema; InputError names the first that does not match."""
    sizes = sizes or Sizes()
    lacking = [name for name, kind in schema.items() if name not in parts and not isinstance(kind, Optional)]
    if lacking:
        raise _wrong(place + lacking[0], "is not there")
    strange = sorted(set(parts) - set(schema))
    if strange:
        raise _wrong(place + strange[0], "is not known here")
    there = [(name, kind) for name, kind in schema.items() if name in parts]
    for look in ("shape", "content"):
        for name, kind in there:
            try:
                getattr(kind, look)(parts[name], sizes)
            except Mismatch as error:
                raise _wrong(place + name, str(error)) from None
    return sizes


def refuse_unless(fine: bool | np.bool_, part: str, fault: str) -> None:
    """Enforce a rule that involves more than one part."""
    if not fine:
        raise _wrong(part, fault)


def _wrong(part: str, fault: str) -> InputError:
    return InputError(f"part {part!r} {fault}: the model is damaged or of another version; train it again")


# Arrays


@dataclass(frozen=True)
class Array(Kind):
    """Numbers of one type; `below` is an exclusive upper limit: a number or a dimension."""

    dtype: str
    dimensions: tuple[Size, ...]
    low: float | None = None
    below: Size | None = None
    high: float | None = None
    infinite: bool = False
    """Whether infinities are allowed; NaN never is."""

    def shape(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray):
            raise Mismatch("is not an array")
        if value.dtype != np.dtype(self.dtype):
            raise Mismatch(f"holds {value.dtype} where {self.dtype} is expected")
        if value.ndim != len(self.dimensions):
            raise Mismatch(f"has {value.ndim} dimensions where {len(self.dimensions)} are expected")
        for size, length in zip(self.dimensions, value.shape, strict=True):
            sizes.settle(size, length)

    def content(self, value: Any, sizes: Sizes) -> None:
        if not value.size:
            return
        if value.dtype.kind == "f":
            fine = ~np.isnan(value) if self.infinite else np.isfinite(value)
            if not fine.all():
                raise Mismatch("holds what is not a number" if self.infinite else "holds numbers that are not finite")
            if not self.infinite and np.abs(value).max() > LARGEST:
                raise Mismatch(f"holds numbers beyond {LARGEST:g}")
        if self.low is not None and value.min() < self.low:
            raise Mismatch(f"holds {value.min()}, below {self.low}")
        if self.high is not None and value.max() > self.high:
            raise Mismatch(f"holds {value.max()}, above {self.high}")
        if self.below is not None and value.max() >= sizes[self.below]:
            raise Mismatch(f"holds {value.max()}, which must stay below {sizes[self.below]} ({self.below})")


@dataclass(frozen=True)
class Offsets(Kind):
    """The start of each of `of` rows in something of length `into`, and the end of the last."""

    dtype: str
    of: str
    into: str
    least: int = 0
    """The minimum length of a row."""

    def shape(self, value: Any, sizes: Sizes) -> None:
        Array(self.dtype, (f"{self.of}+1",)).shape(value, sizes)
        if not len(value):
            raise Mismatch("is empty")

    def content(self, value: Any, sizes: Sizes) -> None:
        steps = np.diff(value.astype(np.int64))
        if value[0] != 0 or value[-1] != sizes[self.into] or (len(steps) and steps.min() < self.least):
            raise Mismatch(
                f"does not lead from 0 to {sizes[self.into]} ({self.into}) in steps of at least {self.least}"
            )


def scalar(dtype: str = "float64", **limits: float) -> Array:
    """One number, stored as an array of length one."""
    return Array(dtype, (1,), **limits)  # type: ignore[arg-type]


# Values of JSON


@dataclass(frozen=True)
class Optional(Kind):
    """A part that may be missing."""

    kind: Kind

    def shape(self, value: Any, sizes: Sizes) -> None:
        self.kind.shape(value, sizes)

    def content(self, value: Any, sizes: Sizes) -> None:
        self.kind.content(value, sizes)


@dataclass(frozen=True)
class Maybe(Kind):
    """A value, or null."""

    kind: Kind

    def shape(self, value: Any, sizes: Sizes) -> None:
        if value is not None:
            self.kind.shape(value, sizes)

    def content(self, value: Any, sizes: Sizes) -> None:
        if value is not None:
            self.kind.content(value, sizes)


@dataclass(frozen=True)
class Text(Kind):
    """A text, optionally one of a few."""

    among: tuple[str, ...] = ()

    def content(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, str) or (self.among and value not in self.among):
            raise Mismatch("is not a text" if not isinstance(value, str) else f"is not one of {', '.join(self.among)}")


@dataclass(frozen=True)
class Number(Kind):
    """A finite number."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    def content(self, value: Any, sizes: Sizes) -> None:
        kinds = int if self.whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
            raise Mismatch("is not a whole number" if self.whole else "is not a finite number")
        if not self.low <= value <= self.high:
            raise Mismatch(f"is {value}, not from {self.low} to {self.high}")


@dataclass(frozen=True)
class Flag(Kind):
    def content(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, bool):
            raise Mismatch("is not true or false")


@dataclass(frozen=True)
class Listing(Kind):
    """A list of values of one kind; `size` names its length."""

    item: Kind
    size: Size | None = None
    distinct: bool = False

    def shape(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, list):
            raise Mismatch("is not a list")
        if self.size is not None:
            sizes.settle(self.size, len(value))

    def content(self, value: Any, sizes: Sizes) -> None:
        for item in value:
            self.item.shape(item, sizes)
            self.item.content(item, sizes)
        if self.distinct and len(set(value)) != len(value):
            raise Mismatch("names something twice")


@dataclass(frozen=True)
class Table(Kind):
    """An object with any keys, whose values are of one kind."""

    item: Kind

    def shape(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            raise Mismatch("is not an object")

    def content(self, value: Any, sizes: Sizes) -> None:
        for item in value.values():
            self.item.shape(item, sizes)
            self.item.content(item, sizes)


@dataclass(frozen=True)
class Fields(Kind):
    """An object with these fields and no others."""

    fields: Schema

    def shape(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            raise Mismatch("is not an object")
        if set(value) != set(self.fields):
            odd = sorted(set(value) ^ set(self.fields))
            raise Mismatch(f"lacks the field {odd[0]!r}, or has it without need")
        for name, kind in self.fields.items():
            _within(name, kind.shape, value[name], sizes)

    def content(self, value: Any, sizes: Sizes) -> None:
        for name, kind in self.fields.items():
            _within(name, kind.content, value[name], sizes)


def _within(name: str, look: Any, value: Any, sizes: Sizes) -> None:
    try:
        look(value, sizes)
    except Mismatch as error:
        raise Mismatch(f"{name}: {error}") from None


@dataclass(frozen=True)
class Blob(Kind):
    """Bytes."""

    def content(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, bytes):
            raise Mismatch("does not hold bytes")


@dataclass(frozen=True)
class Free(Kind):
    """Any JSON value of the given type; code that displays it must be careful."""

    type: type

    def content(self, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, self.type):
            raise Mismatch(f"is not {'a list' if self.type is list else 'an object'}")


TEXTS: Final = Listing(Text())
