"""The coreference column of CoNLL-2012: brackets around spans, numbered by entity.

(3   begins a mention of entity 3       3)  ends the one of that entity that began last
(3)  is one of a single token           |   stands between brackets of one cell, and may be missing
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

Span = tuple[int, int]
"""[first, last) tokens."""

NOTHING: Final = ("-", "_", "*")
BRACKET = re.compile(r"(\(?)([^()|]+)(\)?)")


class BracketError(ValueError):
    """A bracket without its partner, at a token."""

    def __init__(self, what: str, token: int) -> None:
        super().__init__(what)
        self.what = what
        self.token = token


class Column:
    """Reads the column cell by cell; cells without a bracket may be skipped."""

    def __init__(self) -> None:
        self._open: dict[str, list[int]] = {}
        self._spans: dict[str, list[Span]] = {}

    def add(self, token: int, cell: str) -> None:
        # A fast path: most cells hold one mention of one token, and files to score have many.
        name = cell[1:-1]
        if cell.startswith("(") and cell.endswith(")") and name.isalnum():
            self._spans.setdefault(name, []).append((token, token + 1))
            return
        found = BRACKET.findall(cell)
        # Only bars may be left over.
        if sum(map(len, map("".join, found))) + cell.count("|") != len(cell):
            raise BracketError(f"expected brackets like (3 or 3) or (3), joined by |, found {cell!r}", token)
        for begins, name, ends in found:
            if not (begins or ends):
                raise BracketError(f"expected brackets around {name}, found {cell!r}", token)
            if begins:
                self._open.setdefault(name, []).append(token)
                self._spans.setdefault(name, [])
            if ends:
                if not self._open.get(name):
                    raise BracketError(f"entity {name} is closed but was not opened", token)
                self._spans[name].append((self._open[name].pop(), token + 1))

    def chains(self) -> list[list[Span]]:
        """Chains in the order in which they began, with all marked spans."""
        for name, left in self._open.items():
            if left:
                raise BracketError(f"entity {name} is opened but not closed", left[-1])
        return list(self._spans.values())


def read(cells: Sequence[str]) -> list[list[Span]]:
    """Chains of spans in the order in which they begin; each span once, in the chain that began first."""
    column = Column()
    for token, cell in enumerate(cells):
        if cell not in NOTHING:
            column.add(token, cell)
    seen: set[Span] = set()
    chains = []
    for spans in column.chains():
        chain = [span for span in dict.fromkeys(spans) if span not in seen]
        seen.update(chain)
        if chain:
            chains.append(chain)
    return chains


def write(chains: Iterable[Iterable[Span]], length: int) -> list[str]:
    """The cells of `length` tokens; outer brackets open first and close last."""
    opening: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    closing: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    single: defaultdict[int, list[str]] = defaultdict(list)
    for name, chain in enumerate(chains):
        for first, last in chain:
            if last - first == 1:
                single[first].append(f"({name})")
            else:
                opening[first].append((-last, f"({name}"))
                closing[last - 1].append((-first, f"{name})"))
    cells = ["-"] * length
    for token in {*opening, *closing, *single}:
        outer = [bracket for _, bracket in sorted(opening.get(token, ()))]
        inner = [bracket for _, bracket in sorted(closing.get(token, ()))]
        cells[token] = "|".join([*outer, *single.get(token, ()), *inner])
    return cells


def partition(chains: Iterable[Iterable[Span]]) -> set[frozenset[Span]]:
    """The chains as sets, for comparison regardless of order."""
    return {frozenset(chain) for chain in chains}
