"""The paths of our own REST interface, and those for monitoring."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from engine import __version__
from engine.service.models.together import Together
from engine.service.requests.endpoints import Path, answering, ask_of, media_type, response, system_of
from engine.service.requests.metrics import MEDIA_TYPE
from engine.service.requests.reading import Batch
from engine.service.requests.replies import reply
from engine.service.rest import replying
from engine.service.rest.openapi import document
from engine.service.rest.streaming import answers
from engine.service.rest.systems import described
from engine.service.state import Service

LINES: Final = ("application/x-ndjson", "application/jsonl", "application/jsonlines", "application/x-jsonlines")


class Own:
    """The endpoints, one method for each path."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._together = Together(service.pool, replying.predict_together)

    def paths(self) -> list[Path]:
        return [
            ("/health", ["GET"], self.health),
            ("/ready", ["GET"], self.ready),
            ("/metrics", ["GET"], self.metrics),
            ("/openapi.json", ["GET"], self.openapi),
            ("/v1/systems", ["GET"], self.systems),
            ("/v1/models", ["GET"], self.models),
            ("/v1/models/{system}", ["GET"], self.model),
            ("/v1/models/{system}/predict", ["POST"], self.predict),
            ("/v1/models/{system}/curve", ["POST"], answering(self.service, replying.curve)),
        ]

    async def health(self, request: Request) -> Response:
        return response(reply({"status": "UP"}))

    async def ready(self, request: Request) -> Response:
        systems = self.service.shelf.systems
        return response(reply({"ready": bool(systems), "systems": systems}, status=200 if systems else 503))

    async def metrics(self, request: Request) -> Response:
        shelf = self.service.shelf
        versions = {system: shelf.get(system).version for system in shelf.systems}
        text = self.service.metrics.text(busy=self.service.pool.busy, versions=versions)
        return Response(text, media_type=MEDIA_TYPE)

    async def openapi(self, request: Request) -> Response:
        return response(reply(document(__version__, self.service.limits)))

    async def systems(self, request: Request) -> Response:
        # All systems are imported for this, which takes a moment the first time.
        listed = await asyncio.to_thread(described, self.service.shelf.systems)
        return response(reply({"systems": listed}))

    async def models(self, request: Request) -> Response:
        shelf = self.service.shelf
        return response(reply({"models": [shelf.get(system).about for system in shelf.systems]}))

    async def model(self, request: Request) -> Response:
        return response(reply(self.service.shelf.get(system_of(request)).about))

    async def predict(self, request: Request) -> Response:
        if media_type(request) in LINES:
            return await self.predict_lines(request)
        service, system = self.service, system_of(request)
        file = service.shelf.get(system).file
        found = await self._together.answer(file, await ask_of(service, request))
        service.metrics.decided(system, found.documents)
        return response(found)

    async def predict_lines(self, request: Request) -> Response:
        service, query, system = self.service, dict(request.query_params), system_of(request)
        file = service.shelf.get(system).file
        replying.check_query(query, service.limits)
        service.pool.check()
        batch = Batch(service.limits)
        await batch.fill(request)

        def counted(documents: int) -> None:
            service.metrics.decided(system, documents)

        lines = answers(service.pool, file, batch, query, counted)
        return StreamingResponse(lines, media_type="application/x-ndjson")
