"""The waist: a corpus as parts with scores, without the model that made them.

All systems share this shape. Left of a `Scored` are candidates, features and trained scorers (or scores written by
another program); right of it are decisions, curves, traces and errors, none of which knows where the scores came from.

A system's own Scored is a frozen dataclass of flat arrays. Each field declares the axis along which it runs, so that
slicing by documents, saving and loading are written once, here:

    class LinkingScored(Scored):
        part_offsets: Ints = offsets("part")                  # parts of document d: part_offsets[d] to [d + 1]
        score: Floats = column("part")                        # one number per part
        gold: Ints = column("mention", points_to="part")      # numbers of parts, -1 for none

A field without an axis belongs to the corpus as a whole: names of relations, or the scorer of the steps where a part's
score depends on earlier decisions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from engine.corpora.formats import jsonl
from engine.corpora.scores.scales import ALTERNATIVES
from engine.corpora.scores.scales import Alternatives as Alternatives
from engine.corpora.shapes.document import layer_record, read_layer
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.store import modelfile

_DOCUMENT: Final = "document"


def offsets(axis: str, *, of: str = _DOCUMENT) -> Any:
    """An array of where each row of `of` begins along `axis`; it is one longer than `of`."""
    return field(metadata={"offsets": axis, "of": of})


def column(axis: str = _DOCUMENT, *, points_to: str | None = None, optional: bool = False) -> Any:
    """An array or tuple with one row per row of `axis`. `points_to`: its values are row numbers of that axis, and
    negative values mean none. `optional`: None by default."""
    metadata = {"axis": axis, "points_to": points_to}
    return field(default=None, metadata=metadata) if optional else field(metadata=metadata)


D = TypeVar("D", bound="Scored")


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored:
    """The fields that every system's scored corpus has. It holds no model, only what is needed to decide."""

    documents: tuple[Document, ...] = column()
    bias: float = 0.0
    """Added to the score of declining: the chosen operating point."""
    alternatives: Alternatives = "all"
    answers: tuple[Layer, ...] | None = column(optional=True)
    """Answers of another program that came without scores. They are kept as they are, except under pins."""

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def n_bytes(self) -> int:
        """The size of the arrays, for caches of scored corpora."""
        values = (getattr(self, spec.name) for spec in dataclasses.fields(self))
        return sum(int(getattr(value, "nbytes", 0)) for value in values)

    def at(self: D, bias: float | None) -> D:
        """The same scores at another operating point; None keeps their own."""
        return self if bias is None or bias == self.bias else dataclasses.replace(self, bias=float(bias))

    def one(self: D, index: int) -> D:
        """One document as a corpus."""
        return self.part(index, index + 1)

    def part(self: D, first: int, last: int) -> D:
        """The documents first to last - 1, as a corpus of their own."""
        ranges: dict[str, tuple[int, int]] = {_DOCUMENT: (first, last)}
        changes: dict[str, Any] = {}
        for spec in dataclasses.fields(self):
            axis = spec.metadata.get("offsets")
            if axis is not None:
                low, high = ranges[spec.metadata["of"]]
                cut = getattr(self, spec.name)[low : high + 1]
                ranges[axis] = int(cut[0]), int(cut[-1])
                changes[spec.name] = cut - cut[0]
        for spec in dataclasses.fields(self):
            axis, whole = spec.metadata.get("axis"), getattr(self, spec.name)
            if axis is not None and whole is not None:
                low, high = ranges[axis]
                cut = whole[low:high]
                target = spec.metadata["points_to"]
                if target is not None:
                    cut = np.where(cut >= 0, cut - ranges[target][0], cut)
                changes[spec.name] = cut
        return dataclasses.replace(self, **changes)

    @classmethod
    def joined(cls: type[D], pieces: Sequence[D]) -> D:
        """Several corpora as one, in this order: the inverse of `part`. Fields of a whole corpus (its bias, its scorer
        of the steps) are taken from the first piece."""
        if len(pieces) == 1:
            return pieces[0]
        before = {_DOCUMENT: _starts([len(piece) for piece in pieces])}
        changes: dict[str, Any] = {}
        for spec in dataclasses.fields(cls):
            axis = spec.metadata.get("offsets")
            if axis is not None:
                found = [getattr(piece, spec.name) for piece in pieces]
                before[axis] = _starts([int(one[-1]) for one in found])
                moved = [one[1:] + first for one, first in zip(found, before[axis], strict=True)]
                changes[spec.name] = np.concatenate([found[0][:1], *moved])
        for spec in dataclasses.fields(cls):
            if spec.metadata.get("axis") is not None and getattr(pieces[0], spec.name) is not None:
                found = [getattr(piece, spec.name) for piece in pieces]
                target = spec.metadata["points_to"]
                if target is not None:
                    firsts = before[target]
                    found = [np.where(one >= 0, one + first, one) for one, first in zip(found, firsts, strict=True)]
                changes[spec.name] = (
                    np.concatenate(found) if isinstance(found[0], np.ndarray) else tuple(chain.from_iterable(found))
                )
        return dataclasses.replace(pieces[0], **changes)

    def to_parts(self) -> dict[str, Any]:
        """Arrays and JSON values, for a file; `from_parts` puts them together again."""
        parts: dict[str, Any] = {"documents": [jsonl.record(document) for document in self.documents]}
        plain: dict[str, Any] = {}
        for spec in dataclasses.fields(self):
            value = getattr(self, spec.name)
            if spec.name in ("documents", "answers"):
                continue
            if isinstance(value, np.ndarray):
                parts[f"array-{spec.name}"] = value
            elif hasattr(value, "to_parts"):
                parts.update({f"{spec.name}-{name}": part for name, part in value.to_parts().items()})
            else:
                plain[spec.name] = value
        if self.answers is not None:
            parts["answers"] = [layer_record(layer) for layer in self.answers]
        return {**parts, "plain": plain}

    @classmethod
    def from_parts(cls: type[D], parts: Mapping[str, Any]) -> D:
        """The corpus that `to_parts` took apart. A subclass with fields that are objects restores those in
        `restored`."""
        values: dict[str, Any] = {
            "documents": tuple(jsonl.document(record, i + 1) for i, record in enumerate(parts["documents"]))
        }
        if "answers" in parts:
            values["answers"] = tuple(read_layer(one, f"answers[{i}]") for i, one in enumerate(parts["answers"]))
        values.update({name: _frozen(value) for name, value in parts["plain"].items()})
        known = {spec.name for spec in dataclasses.fields(cls)}
        values.update(
            {
                name.removeprefix("array-"): value
                for name, value in parts.items()
                if name.startswith("array-") and name.removeprefix("array-") in known
            }
        )
        return cls(**cls.restored(values, parts))

    @classmethod
    def restored(cls, values: dict[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        """The values of all fields, with those that are objects made from their parts ("field-part")."""
        return values


def parts_of(parts: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The parts of one object that was saved under a field's name."""
    return {key.removeprefix(f"{name}-"): part for key, part in parts.items() if key.startswith(f"{name}-")}


def save(scored: Scored, path: Path, *, task: str) -> None:
    modelfile.write(path, {"task": task, "holds": "scores"}, scored.to_parts())


def load(kind: type[D], path: Path, *, task: str) -> D:
    header, parts = modelfile.read(path)
    if header.get("holds") != "scores":
        raise InputError("this is a model, not scores", file=path)
    if header["task"] != task:
        raise InputError(f"these are scores for {header['task']}, not for {task}", file=path)
    try:
        made = kind.from_parts(parts)
    except (KeyError, TypeError) as error:
        raise InputError(f"the scores were written by another version ({error}): score again", file=path) from error
    if made.alternatives not in ALTERNATIVES:
        raise InputError(f"alternatives must be one of {', '.join(ALTERNATIVES)}", file=path)
    return made


def _starts(sizes: Sequence[int]) -> list[int]:
    """The first row of each piece when the pieces are laid one after the other."""
    return list(accumulate(sizes, initial=0))[:-1]


def _frozen(value: Any) -> Any:
    """A value from JSON, with lists turned back into tuples."""
    return tuple(_frozen(one) for one in value) if isinstance(value, list) else value
