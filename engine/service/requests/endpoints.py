"""What endpoints have in common: they read a request within the limits, pass it to the pool and send the reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from engine.service.models.pool import Answerer
from engine.service.requests.reading import body_of
from engine.service.requests.replies import BUSY, OVERLOADED, UNKNOWN, WRONG_TYPE, Ask, Refused, Reply, refusal
from engine.service.state import Service

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Path: TypeAlias = tuple[str, Sequence[str], Endpoint]
"""A path pattern, the HTTP methods it accepts, and its endpoint."""


def response(found: Reply) -> Response:
    headers = {"retry-after": "1"} if found.status in (BUSY, OVERLOADED) else {}
    if found.status == UNKNOWN:
        headers["www-authenticate"] = 'Bearer realm="espalier"'
    return Response(found.content, found.status, headers, media_type=found.media_type if found.content else None)


def refused(error: Refused) -> Response:
    return response(refusal(error.status, error.message, error.field))


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def system_of(request: Request) -> str:
    return str(request.path_params["system"])


async def ask_of(service: Service, request: Request, *, json: bool = True) -> Ask:
    kind = media_type(request)
    if json and kind not in ("application/json", ""):
        raise Refused(WRONG_TYPE, f"expected application/json, found {kind[:60]!r}")
    return Ask(
        body=await body_of(request, service.limits),
        query=dict(request.query_params),
        accept=request.headers.get("accept", ""),
        limits=service.limits,
    )


def answering(service: Service, answerer: Answerer, *, json: bool = True) -> Endpoint:
    """An endpoint that passes requests to a function, with the model of the system in the path."""

    async def endpoint(request: Request) -> Response:
        system = system_of(request)
        file = service.shelf.get(system).file
        found = await service.pool.answer(answerer, file, await ask_of(service, request, json=json))
        service.metrics.decided(system, found.documents)
        return response(found)

    return endpoint
