"""Features with values: of every member of a bag, and of the pair as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from engine.data.document import Document
from engine.features.distant.sites import site_of
from engine.features.distant.templates import BIAS, features_at

Row: TypeAlias = list[tuple[str, float]]
"""Names of features and their values."""

_OF_THE_PAIR: Final = frozenset(
    f"{side}{what}" for side in ("head", "tail") for what in ("", " word", " last", " ending", " length")
) | {"lengths", "types", "head known", "tail known", "known"}
"""Templates about the two names, independent of the sentence."""


def member_features(document: Document) -> list[Row]:
    """Features with values of every member of the document's bag."""
    if document.bag is None:
        raise ValueError(f"document {document.id} has no bag")
    rows: list[Row] = []
    for position, member in enumerate(document.bag.members):
        if member.features:
            row = [(str(name), float(value)) for name, value in member.features.items()]
        else:
            site = site_of(document, position)
            row = [(name, 1.0) for name in dict.fromkeys(features_at(site))] if site else []
        row.append((BIAS, 1.0))
        rows.append(row)
    return rows


def bag_features(members: Sequence[Row]) -> Row:
    """Features of the pair as a whole, from those of its members: the names, and the number of mentions."""
    size = _size(len(members))
    names = [name for name, _ in (members[0] if members else []) if name.split("=", 1)[0] in _OF_THE_PAIR]
    names += [f"{name}, {size}" for name in names if name.startswith(("head=", "tail="))]
    return [(f"pair: {name}", 1.0) for name in [*names, size, BIAS]]


def _size(n: int) -> str:
    return f"{n} mentions" if n < 4 else "4 to 7 mentions" if n < 8 else "8 mentions or more"
