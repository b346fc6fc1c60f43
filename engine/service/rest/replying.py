"""Predictions, batches and curves of our own REST interface, as plain functions from a request to a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.records.fields import expect, optional
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.service.models.loading import Loaded
from engine.service.models.pool import fault, guarded
from engine.service.models.predicting import Decided, Wish, decide, read_wish, told
from engine.service.requests.documents import GIVEN, read_document, read_documents
from engine.service.requests.limits import Limits
from engine.service.requests.pins import read_pins
from engine.service.requests.replies import FAILED, WRONG, Ask, Refused, Reply, dumped, reply
from engine.structures.base import Infeasible
from engine.tuning.curve import Curve, thin

PREDICT: Final = (*GIVEN, "bias", "pins", "with", "k", "answer")
CURVE: Final = (*GIVEN, "precision", "recall", "points")
POINTS: Final = 1000
"""Points of a curve that are sent unless more are requested."""
MOST_POINTS: Final = 100_000


@dataclass(frozen=True, eq=False)
class Request:
    """A prediction request."""

    wish: Wish
    documents: Sequence[Document]
    pins: Mapping[str, Sequence[Pin]]


def predict_together(loaded: Loaded, asks: Sequence[Ask]) -> list[Reply]:
    """The replies to requests that arrived at the same time. Requests with the same bias are decided together. Requests
    with pins are decided separately: pins refer to documents by id, and ids are unique within a request only."""
    read = [guarded(_read, loaded, ask) for ask in asks]
    replies = {place: one for place, one in enumerate(read) if isinstance(one, Reply)}
    alike: dict[object, list[tuple[int, Request]]] = {}
    for place, one in enumerate(read):
        if isinstance(one, Request):
            alike.setdefault(("alone", place) if one.pins else one.wish.bias, []).append((place, one))
    for group in alike.values():
        found = _replies(loaded, [request for _, request in group])
        replies.update((place, reply) for (place, _), reply in zip(group, found, strict=True))
    return [replies[place] for place in range(len(asks))]


def _read(loaded: Loaded, ask: Ask) -> Request:
    record = _known(ask, PREDICT)
    wish = read_wish(record, ask.limits)
    documents = read_documents(record, ask.limits)
    return Request(wish, documents, read_pins(record.get("pins"), documents, loaded.task))


def _replies(loaded: Loaded, requests: Sequence[Request]) -> list[Reply]:
    """The replies to requests with the same bias. They are decided separately if deciding them together fails."""
    if len(requests) > 1:
        documents = [document for request in requests for document in request.documents]
        try:
            decided = decide(loaded, documents, bias=requests[0].wish.bias)
        except Exception:  # noqa: BLE001  (finds out next which of the requests it was)
            return [_alone(loaded, request) for request in requests]
        firsts = accumulate((len(request.documents) for request in requests), initial=0)
        return [
            guarded(_reply, loaded, decided, request, first) for request, first in zip(requests, firsts, strict=False)
        ]
    return [_alone(loaded, request) for request in requests]


def _alone(loaded: Loaded, request: Request) -> Reply:
    return guarded(_decided_alone, loaded, request)


def _decided_alone(loaded: Loaded, request: Request) -> Reply:
    return _reply(loaded, decide(loaded, request.documents, bias=request.wish.bias, pins=request.pins), request)


def _reply(loaded: Loaded, decided: Decided, request: Request, first: int = 0) -> Reply:
    """The reply to a request whose documents begin at position `first` of the decided ones."""
    own = range(first, first + len(request.documents))
    answer = {
        "system": loaded.task.name,
        "version": loaded.version,
        "bias": decided.scored.bias,
        "documents": told(loaded, decided, request.wish, own),
    }
    return reply(answer, documents=len(own))


def predict_lines(loaded: Loaded, lines: Sequence[tuple[int, bytes]], query: Mapping[str, str], limits: Limits) -> str:
    """The answers to some numbered lines of a batch, one line each; a line that cannot be answered says why.

    They are decided together, which is faster, and one by one only if that fails, so that each error is reported for
    the line that caused it.
    """
    wish = read_wish(query_record(query), limits)
    try:
        documents = [_read_line(number, line, limits) for number, line in lines]
        answers = told(loaded, decide(loaded, documents, bias=wish.bias), wish, range(len(documents)))
    except Exception:  # noqa: BLE001  (finds out next which of the lines it was)
        answers = [_answer_line(loaded, number, line, wish, limits) for number, line in lines]
    return "".join(dumped(answer) + "\n" for answer in answers)


def _read_line(number: int, line: bytes, limits: Limits) -> Document:
    return read_document(_parsed(line), number, f"line {number}", limits)


def _answer_line(loaded: Loaded, number: int, line: bytes, wish: Wish, limits: Limits) -> dict[str, Any]:
    try:
        document = _read_line(number, line, limits)
        [answer] = told(loaded, decide(loaded, [document], bias=wish.bias), wish, range(1))
        return answer
    except Refused as error:
        status, message = error.status, error.message
    except InputError as error:
        status, message = WRONG, error.what
    except Infeasible as error:
        status, message = WRONG, str(error)
    except Exception:  # noqa: BLE001  (clients must not see internal details)
        status, message = FAILED, fault()
    return {"line": number, "error": {"status": status, "message": message}}


def check_query(query: Mapping[str, str], limits: Limits) -> None:
    """Raise Refused for unknown or wrong options of a batch before its first line is answered."""
    try:
        read_wish(query_record(query), limits)
    except InputError as error:
        raise Refused(WRONG, error.what, error.field) from None


def query_record(query: Mapping[str, str]) -> dict[str, Any]:
    """The options of a batch, from its query string: ?bias=0.5&with=parts,k_best&k=3&answer=record."""
    known = ("bias", "with", "k", "answer")
    for name in query:
        if name not in known:
            raise Refused(
                WRONG, f"{name[:40]!r} is unknown; the address of a batch takes {', '.join(known)}", name[:40]
            )
    found: dict[str, Any] = {"answer": query.get("answer")}
    try:
        found["bias"] = float(query["bias"]) if "bias" in query else None
        found["k"] = int(query["k"]) if "k" in query else None
    except ValueError:
        raise Refused(WRONG, "bias and k are numbers") from None
    found["with"] = [name for name in query.get("with", "").split(",") if name]
    return found


def curve(loaded: Loaded, ask: Ask) -> Reply:
    """Precision and recall at every bias, for documents with gold, and the operating points of interest."""
    record = _known(ask, CURVE)
    documents = read_documents(record, ask.limits)
    most = optional(record, "points", int)
    if most is not None and not 2 <= most <= MOST_POINTS:
        raise InputError(f"expected a number from 2 to {MOST_POINTS}", field="points")
    task, model = loaded.task, loaded.model
    if task.fits(documents) != "yes":
        raise Refused(WRONG, f"gold of these documents holds nothing that {task.name} decides")
    found = task.curve(task.score(documents, model))
    wanted = {name: _share(record, name) for name in ("precision", "recall")}
    best = found.best_index()
    shown = thin(found, [0, best, len(found.bias) - 1, found.index_at(model.bias)], most or POINTS)
    answer = {
        "system": task.name,
        "version": loaded.version,
        "unit": task.unit,
        "exact": found.exact,
        "area": found.area(),
        "chosen": {**found.at(model.bias).to_json(), "bias": model.bias},
        "best": _point(found, best),
        "points": [found.point(int(i)).to_json() for i in shown],
    }
    if wanted["precision"] is not None:
        answer["for_precision"] = _point(found, found.for_precision(wanted["precision"]))
    if wanted["recall"] is not None:
        answer["for_recall"] = _point(found, found.for_recall(wanted["recall"]))
    return reply(answer, documents=len(documents))


def _point(found: Curve, index: int | None) -> dict[str, float | None] | None:
    """A point with a bias that leads to it; None if there is no such point."""
    return None if index is None else {**found.point(index).to_json(), "bias": found.bias_of(index)}


def _share(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    if value is None:
        return None
    if not 0.0 <= expect(value, float, name) <= 1.0:
        raise InputError("expected a number from 0 to 1", field=name)
    return float(value)


def _known(ask: Ask, names: Sequence[str]) -> dict[str, Any]:
    """The record of a request that has these fields only, and no options in its address, where they would be lost."""
    for name in ask.query:
        raise Refused(
            WRONG, f"{name[:40]!r} is in the address, where only a batch of JSON lines has options", name[:40]
        )
    record = ask.json()
    for name in record:
        if name not in names:
            raise Refused(WRONG, f"{name[:40]!r} is unknown; a request has {', '.join(names)}", name[:40])
    return record


def _parsed(line: bytes) -> Any:
    try:
        return jsonl.parse(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text") from None
