"""The service as an ASGI application: its routes, access control and metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import logs
from engine.service.models.pool import failure
from engine.service.requests.endpoints import Endpoint, refused, response
from engine.service.requests.replies import NOT_FOUND, Refused, refusal
from engine.service.rest.paths import Own
from engine.service.state import Service
from engine.service.tools import Tools

log = logs.get("serve")

LOOK_SECONDS: Final = 1.0
"""Seconds between two checks for changed models."""


def gated(service: Service) -> ASGIApp:
    """The application with access control and metrics around it, as servers and tests run it."""
    return Gate(create(service), service)


def create(service: Service) -> Starlette:
    paths = [*Own(service).paths(), *Tools(service).paths()]
    return Starlette(
        routes=[Route(path, _named(path, endpoint), methods=methods) for path, methods, endpoint in paths],
        exception_handlers={HTTPException: _not_found, Exception: _failed},
        lifespan=lambda _: _living(service),
    )


class Gate:
    """Middleware that checks whether a client may send requests, and counts the responses."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        scope = {**scope, "espalier": {}}

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(self.service.access.checked(scope), receive, noting)
        except Refused as error:
            await refused(error)(scope, receive, noting)
        finally:
            route = scope["espalier"].get("route", "unknown")
            self.service.metrics.answered(route, status, time.perf_counter() - began)


def _named(path: str, endpoint: Endpoint) -> Endpoint:
    """The endpoint, with refusals turned into responses, counted under its path pattern."""

    async def named(request: Request) -> Response:
        request.scope["espalier"]["route"] = path
        try:
            return await endpoint(request)
        except Refused as error:
            return refused(error)

    return named


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else NOT_FOUND
    told = "this path is asked with another method" if status == 405 else "there is nothing at this path"
    found = response(refusal(status, f"{told}; /openapi.json lists all"))
    if isinstance(error, HTTPException) and error.headers:
        found.headers.update(error.headers)
    return found


async def _failed(request: Request, error: Exception) -> Response:
    return response(failure())


@asynccontextmanager
async def _living(service: Service) -> AsyncIterator[None]:
    await asyncio.to_thread(service.pool.warm)
    watcher = asyncio.create_task(_watch(service))
    try:
        yield
    finally:
        watcher.cancel()
        await service.learning.close()
        service.pool.close()


async def _watch(service: Service) -> None:
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            changed = await asyncio.to_thread(service.shelf.refresh)
        except Exception:  # noqa: BLE001  (a database that is away for a while must not end the watch)
            logs.trouble(log, "the models could not be looked at")
            continue
        for system in changed:
            service.metrics.reloaded(system)
