"""Scorers to and from the parts of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.learners.bags import LinearBags
from engine.learners.laso.learner import ArcScorer
from engine.learners.linear.onoff import Classifier
from engine.learners.linear.scaled import Linear
from engine.learners.margin.polynomial import Quadratic
from engine.learners.priced import Priced
from engine.learners.ranking.lambdarank import Network
from engine.learners.trees.against_nil import AgainstNil
from engine.learners.trees.forest import Forest
from engine.learners.trees.linear_start import LinearForest

_KINDS: Mapping[str, Any] = {
    "forest": Forest,
    "against-nil": AgainstNil,
    "linear": Linear,
    "quadratic": Quadratic,
    "network": Network,
    "linear-forest": LinearForest,
    "classifier": Classifier,
    "bags": LinearBags,
    "arcs": ArcScorer,
}

_PRICE: Final = "price_"


def pack(scorer: Any) -> dict[str, Any]:
    """The scorer as arrays, and the name of its kind."""
    if isinstance(scorer, Priced):
        return {**pack(scorer.scorer), **{f"{_PRICE}{name}": part for name, part in scorer.to_parts().items()}}
    for kind, cls in _KINDS.items():
        if isinstance(scorer, cls):
            return {"kind": kind, **scorer.to_parts()}
    raise TypeError(f"{type(scorer).__name__} is not a scorer that can be saved")


def unpack(parts: Mapping[str, Any]) -> Any:
    """The scorer that `pack` took apart."""
    if parts["kind"] not in _KINDS:
        raise ValueError(f"there is no scorer of kind {parts['kind']!r}; known are {', '.join(_KINDS)}")
    price = {name.removeprefix(_PRICE): part for name, part in parts.items() if name.startswith(_PRICE)}
    rest = {name: part for name, part in parts.items() if not name.startswith(_PRICE)}
    scorer = _KINDS[parts["kind"]].from_parts(rest)
    return Priced.around(scorer, price) if price else scorer
