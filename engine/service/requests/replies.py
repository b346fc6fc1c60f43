"""Requests as the functions that handle them see them, their replies, and refusals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.records.fields import expect
from engine.data.errors import InputError
from engine.service.requests.limits import Limits

JSON: Final = "application/json"

UNREADABLE, UNKNOWN, FORBIDDEN, NOT_FOUND, TOO_EARLY = 400, 401, 403, 404, 409
TOO_LARGE, WRONG_TYPE, WRONG, BUSY = 413, 415, 422, 429
FAILED, MISSING, OVERLOADED, TOO_SLOW = 500, 501, 503, 504


class Refused(Exception):
    """Raised for a request that is refused, with the HTTP status and a sentence that says why."""

    def __init__(self, status: int, message: str, field: str | None = None) -> None:
        # All three are arguments of Exception, so that it can be unpickled when another process raises it.
        super().__init__(status, message, field)
        self.status, self.message, self.field = status, message, field


@dataclass(frozen=True)
class Ask:
    """One request: its body, and what matters of its address and headers."""

    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict)
    accept: str = ""
    limits: Limits = field(default_factory=Limits)

    def json(self) -> dict[str, Any]:
        """The body as a JSON object."""
        try:
            text = self.body.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(UNREADABLE, "the body is not UTF-8 text") from None
        try:
            value = jsonl.parse(text)
        except InputError as error:
            raise Refused(UNREADABLE, f"the body is {error.what}") from None
        found: dict[str, Any] = expect(value, dict, "the body")
        return found


@dataclass(frozen=True)
class Reply:
    """A response, and the number of documents that it is about."""

    content: bytes
    media_type: str = JSON
    status: int = 200
    documents: int = 0


def reply(value: Any, *, status: int = 200, documents: int = 0) -> Reply:
    return Reply(dumped(value).encode("utf-8"), JSON, status, documents)


def refusal(status: int, message: str, field: str | None = None) -> Reply:
    """An error response, in the same form for all protocols."""
    told: dict[str, Any] = {"status": status, "message": message}
    return reply({"error": told | ({"field": field} if field else {})}, status=status)


def dumped(value: Any) -> str:
    """JSON text; NaN and infinities, which JSON lacks, become null, and lone surrogates are escaped."""
    text = json.dumps(finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(finite(value), allow_nan=False, separators=(",", ":"))
    return text


def finite(value: Any) -> Any:
    """The value as JSON can represent it: NaN and infinities become null, tuples lists, NumPy scalars plain numbers."""
    if isinstance(value, Mapping):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.item() if hasattr(value, "item") else value
