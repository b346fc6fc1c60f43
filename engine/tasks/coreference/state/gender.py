"""Reads lists of the gender of words and names, given as classes or as counts.

A row is a word or a name, a tab, and either a class (male, female, neutral, plural), optionally followed by a tab and a
count, or the four counts in this order, as in lists counted on the web (Bergsma and Lin 2006). Rows of the same name
are added up. A name has a class if at least two thirds of its counts agree on it.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.data.errors import InputError

CLASSES: Final = ("male", "female", "neutral", "plural")
_MAJORITY: Final = 2 / 3


def read_gender(paths: Sequence[Path]) -> dict[str, str]:
    """Word or name -> male, female, neutral or plural, from files (may be .gz)."""
    totals: dict[str, Floats] = {}
    for path in paths:
        if not path.is_file():
            raise InputError("there is no such gender list", file=path)
        opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
        with opened as lines:
            for number, line in enumerate(lines, 1):
                name, _, said = line.rstrip("\n").partition("\t")
                counts = _counts(said.split())
                if not name.strip() or counts is None:
                    raise InputError(
                        "expected a name, a tab, and male, female, neutral or plural, with a count if there is one;"
                        " or the four counts",
                        file=path,
                        line=number,
                    )
                key = " ".join(name.lower().split())
                totals[key] = totals.get(key, np.zeros(4)) + counts
    return {name: CLASSES[int(counts.argmax())] for name, counts in totals.items() if _is_clear(counts)}


def _counts(cells: Sequence[str]) -> Floats | None:
    """The counts of a row by class; None if it is not such a row."""
    if cells and cells[0] in CLASSES and len(cells) <= 2:
        times = cells[1] if len(cells) == 2 else "1"
        return np.eye(4)[CLASSES.index(cells[0])] * int(times) if _is_count(times) else None
    if len(cells) == 4 and all(map(_is_count, cells)):
        return np.array([float(cell) for cell in cells])
    return None


def _is_count(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) <= 12


def _is_clear(counts: Floats) -> bool:
    total = float(counts.sum())
    return total > 0 and float(counts.max()) >= _MAJORITY * total
