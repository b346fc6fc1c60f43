"""The texts that all See pages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.corpora.scores.scales import Alternatives

LISTED: Final[Mapping[Alternatives, str]] = {
    "all": "",
    "top-k": "These scores came from outside with the best few alternatives only: what is not listed here may have been"
    " weighed all the same.",
    "argmax": "These scores came from outside for what was chosen only: what else was weighed is not known.",
}
"""What a page of a structure cannot show, by how complete the alternatives are."""
