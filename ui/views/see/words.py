"""The texts that all See pages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.corpora.scores.scales import Alternatives

MAKE_GOLD: Final = "Annotate it: then precision and recall can be counted"
LISTED: Final[Mapping[Alternatives, str]] = {
    "all": "",
    "top-k": (
        "These scores come from another program, with only the best few alternatives: others may have been considered"
        " that are not listed here."
    ),
    "argmax": "These scores come from another program, for its choices only; the alternatives are not known.",
}
"""What a page of a structure cannot show, by how complete the alternatives are."""

NO_WHY: Final = "These scores came from outside: what this one is made of is not known here."
"""In the place of what each feature adds."""
