"""From documents to decisions. All protocols use these functions, so that they give the same answers.

Nothing of a request is kept after its reply.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.records.fields import expect, list_of, optional
from engine.corpora.shapes.document import layer_record
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.service.models.loading import Loaded
from engine.service.requests.limits import Limits
from engine.service.requests.replies import TOO_LARGE, WRONG, Refused
from engine.tasks.capabilities import ListedPart, ListsParts, RanksOutputs
from engine.tasks.explanation import Explanation
from engine.tasks.scored import Scored

MOST_BIAS: Final = 1e6
"""Far larger than any score, but small enough for the kernels to add to one."""
EXTRAS: Final = ("parts", "k_best", "explanation")
ANSWERS: Final = ("layer", "record")
CONTRIBUTIONS: Final = 10
"""Number of features in an explanation; those with the largest contributions are listed."""
EXPLAINED: Final = 200
"""Largest number of decisions per document that are explained."""

REHEARSAL: Final = Document(
    "rehearsal",
    "Ada met Bob .",
    tokens=((0, 3), (4, 7), (8, 11), (12, 13)),
    sentences=((0, 4),),
    layers={GOLD: Layer((Mention(0, 3), Mention(8, 11)))},
)


@dataclass(frozen=True)
class Wish:
    """The options of a prediction request."""

    bias: float | None = None
    extras: tuple[str, ...] = ()
    k: int = 5
    answer: str = "layer"


def read_wish(record: Mapping[str, Any], limits: Limits) -> Wish:
    extras = tuple(list_of(record.get("with") or [], str, "with"))
    for name in extras:
        if name not in EXTRAS:
            raise InputError(f"{name[:40]!r} is unknown; choose from {', '.join(EXTRAS)}", field="with")
    k = optional(record, "k", int)
    if k is not None and not 1 <= k <= limits.outputs:
        raise InputError(f"expected a number from 1 to {limits.outputs}", field="k")
    answer = optional(record, "answer", str) or "layer"
    if answer not in ANSWERS:
        raise InputError(f"expected {' or '.join(ANSWERS)}", field="answer")
    return Wish(read_bias(record), extras, 5 if k is None else k, answer)


def read_bias(record: Mapping[str, Any]) -> float | None:
    bias = record.get("bias")
    if bias is None:
        return None
    if not abs(expect(bias, float, "bias")) <= MOST_BIAS:
        raise InputError(f"expected a number from {-MOST_BIAS:g} to {MOST_BIAS:g}", field="bias")
    return float(bias)


@dataclass(frozen=True, eq=False)
class Decided:
    """Documents and the decisions about them."""

    scored: Scored
    layers: Sequence[Layer]
    pins: Mapping[str, Sequence[Pin]]


def decide(
    loaded: Loaded,
    documents: Sequence[Document],
    *,
    bias: float | None = None,
    pins: Mapping[str, Sequence[Pin]] | None = None,
) -> Decided:
    """Decide about documents exactly as `predict` on the command line does."""
    task, model = loaded.task, loaded.model
    held = {id: own for id, own in (pins or {}).items() if own}
    scored = task.score(documents, model, pins=held or None).at(model.bias if bias is None else bias)
    return Decided(scored, task.decide(scored, pins=held or None), held)


def rehearse(loaded: Loaded) -> None:
    """Make a full prediction for a short sentence, so that what Python and numba load on first use is loaded before
    the first request, which has a time limit."""
    able = (("parts", ListsParts), ("k_best", RanksOutputs))
    extras = tuple(name for name, capability in able if isinstance(loaded.task, capability))
    told(loaded, decide(loaded, [REHEARSAL]), Wish(extras=extras), range(1))


def told(loaded: Loaded, decided: Decided, wish: Wish, own: range) -> list[dict[str, Any]]:
    """The response records of the documents in a range."""
    return [_told_one(loaded, decided, wish, index) for index in own]


def _told_one(loaded: Loaded, decided: Decided, wish: Wish, index: int) -> dict[str, Any]:
    document, layer = decided.scored.documents[index], decided.layers[index]
    found: dict[str, Any] = {"id": document.id}
    if wish.answer == "layer":
        found["layer"] = layer_of(layer)
    else:
        found["record"] = jsonl.record(_in_place_of_gold(document, layer))
    if (lacking := loaded.lacks(document)) is not None:
        found["note"] = lacking
    if wish.extras:
        one, pins = decided.scored.one(index), decided.pins.get(document.id, ())
        found |= _extras(loaded, one, pins, wish)
    return found


def layer_of(layer: Layer) -> dict[str, Any]:
    """A layer as JSON, including lists that are empty, so that clients need not check which are present."""
    return {"mentions": [], "clusters": [], "relations": [], "labels": [], **layer_record(layer)}


def _in_place_of_gold(document: Document, layer: Layer) -> Document:
    try:
        return document.with_layer(GOLD, layer)
    except ValueError as error:
        raise InputError(f"document {document.id!r} cannot take the answer: {error}") from None


def _extras(loaded: Loaded, one: Scored, pins: Sequence[Pin], wish: Wish) -> dict[str, Any]:
    task = loaded.task
    found: dict[str, Any] = {}
    parts: list[ListedPart] = []
    if {"parts", "explanation"} & set(wish.extras):
        if not isinstance(task, ListsParts):
            raise Refused(WRONG, f"{task.name} cannot list its parts", "with")
        parts = task.list_parts(one, pins=pins)
    if "parts" in wish.extras:
        found["parts"] = [_part(part) for part in parts]
    if "k_best" in wish.extras:
        if not isinstance(task, RanksOutputs):
            raise Refused(WRONG, f"{task.name} finds one best output only", "with")
        outputs = task.best_outputs(one, wish.k, pins=pins)
        found["k_best"] = [{"score": score, "layer": layer_of(layer)} for score, layer in outputs]
    if "explanation" in wish.extras:
        chosen = [part for part in parts if part.chosen]
        if len(chosen) > EXPLAINED:
            raise Refused(TOO_LARGE, f"{len(chosen)} decisions to explain, where {EXPLAINED} are allowed", "with")
        found["explanation"] = [
            {**part.says, **_explanation(task.explain(one, loaded.model, part.number, pins=pins))} for part in chosen
        ]
    return found


def _part(part: ListedPart) -> dict[str, Any]:
    told = {**part.says, "score": part.score, "chosen": part.chosen}
    return told if part.probability is None else {**told, "probability": part.probability}


def _explanation(why: Explanation) -> dict[str, Any]:
    return {
        "score": why.score,
        "base": why.base,
        "contributions": [dataclasses.asdict(one) for one in why.contributions[:CONTRIBUTIONS]],
    }
