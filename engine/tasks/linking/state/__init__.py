"""The state of a trained linker: the lexicon, counts of names in the training corpus, and the scorer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from engine.data.errors import InputError
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.readings import Reader
from engine.learners import scorers
from engine.learners.base import Scorer
from engine.lexicon.lexicon import Lexicon

SMALL: Final = 64_000_000
"""A lexicon of up to this many bytes is stored in the model file; a larger one is referenced by path and hash."""


@dataclass(frozen=True, eq=False)
class LinkingKnowledge:
    """What candidates and features are made from, independent of the learner."""

    inventory: Inventory
    memory: Memory
    linked: frozenset[str]
    """Names that the training corpus linked somewhere, as keys of the lexicon."""
    entities: int
    """Maximum number of entities per mention."""
    path: str | None = None
    """The path of the lexicon if it is on disk."""

    @cached_property
    def proposer(self) -> Proposer:
        """Finds the spans of a text that may be names."""
        return Proposer(self.inventory, self.linked)

    @cached_property
    def reader(self) -> Reader:
        """Finds the entities that names in unseen texts may stand for."""
        return Reader(self.inventory, self.memory.view(None))


@dataclass(frozen=True, eq=False)
class FirstStage:
    """The scorer whose choices the next stage sees, and the Nil bias at which it chooses."""

    scorer: Scorer
    bias: float


@dataclass(frozen=True, eq=False)
class LinkingState:
    knowledge: LinkingKnowledge
    scorer: Scorer
    first: FirstStage | None = None
    """The first stage of a two-stage model."""


def pack(state: LinkingState) -> dict[str, Any]:
    """The state as parts of a model file."""
    known, first = state.knowledge, state.first
    lexicon = known.inventory.lexicon
    parts: dict[str, Any] = {
        "memory": known.memory.to_json(),
        "linking": {
            "own_tags": list(known.inventory.own_tags),
            "entities": known.entities,
            "first_bias": 0.0 if first is None else first.bias,
            "stages": 1 if first is None else 2,
            "lexicon": {"path": known.path, "digest": lexicon.digest()},
        },
        **_named("scorer", scorers.pack(state.scorer)),
    }
    if not lexicon.pieces and lexicon.size() <= SMALL:
        parts.update(_named("lexicon", lexicon.parts()))
    if first is not None:
        parts.update(_named("first", scorers.pack(first.scorer)))
    return parts


def unpack(parts: Mapping[str, Any]) -> LinkingState:
    """The state that `pack` took apart. A lexicon that is not in the model file is opened from its path."""
    about = parts["linking"]
    inside, first = _part(parts, "lexicon"), _part(parts, "first")
    lexicon = Lexicon.from_parts(inside) if inside else _reopen(about["lexicon"])
    memory = Memory.from_json(parts["memory"])
    pairs = memory.pairs()
    knowledge = LinkingKnowledge(
        inventory=Inventory(lexicon, about["own_tags"], pairs),
        memory=memory,
        linked=frozenset(key for key, _ in pairs),
        entities=about["entities"],
        path=about["lexicon"]["path"],
    )
    return LinkingState(
        knowledge,
        scorers.unpack(_part(parts, "scorer")),
        FirstStage(scorers.unpack(first), about["first_bias"]) if first else None,
    )


def opens(parts: Mapping[str, Any]) -> tuple[str, ...]:
    """The lexicon's path if the lexicon is not in the model file."""
    return () if _part(parts, "lexicon") else (str(parts["linking"]["lexicon"]["path"] or ""),)


def _named(part: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{part}-{name}": value for name, value in values.items()}


def _part(parts: Mapping[str, Any], part: str) -> dict[str, Any]:
    return {name.removeprefix(f"{part}-"): value for name, value in parts.items() if name.startswith(f"{part}-")}


def _reopen(about: Mapping[str, Any]) -> Lexicon:
    lexicon = Lexicon.open(Path(about["path"] or ""))
    if lexicon.digest() != about["digest"]:
        raise InputError("the lexicon has changed since the model was trained: train again", file=about["path"])
    return lexicon
