"""Scorers to and from the parts of a model file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from engine.learners.priced import Priced

_KINDS: Final[Mapping[str, str]] = {
    "forest": "engine.learners.trees.forest:Forest",
    "against-nil": "engine.learners.trees.against_nil:AgainstNil",
    "linear": "engine.learners.linear.scaled:Linear",
    "quadratic": "engine.learners.margin.polynomial:Quadratic",
    "network": "engine.learners.ranking.lambdarank:Network",
    "linear-forest": "engine.learners.trees.linear_start:LinearForest",
    "classifier": "engine.learners.linear.onoff:Classifier",
    "bags": "engine.learners.bags:LinearBags",
    "arcs": "engine.learners.laso.learner:ArcScorer",
}
"""Modules and classes, imported when they are needed: a model has one scorer, and a program should start soon."""

_PRICE: Final = "price_"


def pack(scorer: Any) -> dict[str, Any]:
    """The scorer as arrays, and the name of its kind."""
    if isinstance(scorer, Priced):
        return {**pack(scorer.scorer), **{f"{_PRICE}{name}": part for name, part in scorer.to_parts().items()}}
    own = {f"{cls.__module__}:{cls.__qualname__}" for cls in type(scorer).__mro__}
    for kind, name in _KINDS.items():
        if name in own:
            return {"kind": kind, **scorer.to_parts()}
    raise TypeError(f"{type(scorer).__name__} is not a scorer that can be saved")


def unpack(parts: Mapping[str, Any]) -> Any:
    """The scorer that `pack` took apart."""
    if parts["kind"] not in _KINDS:
        raise ValueError(f"there is no scorer of kind {parts['kind']!r}; known are {', '.join(_KINDS)}")
    price = {name.removeprefix(_PRICE): part for name, part in parts.items() if name.startswith(_PRICE)}
    rest = {name: part for name, part in parts.items() if not name.startswith(_PRICE)}
    module, _, name = _KINDS[parts["kind"]].partition(":")
    scorer = getattr(import_module(module), name).from_parts(rest)
    return Priced.around(scorer, price) if price else scorer
