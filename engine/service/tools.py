"""The paths that other tools call: INCEpTION, Label Studio, GERBIL and doccano."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from engine.data.document import Document
from engine.service import doccano, nif
from engine.service.inception import lessons
from engine.service.inception import suggestions as inception
from engine.service.labelstudio import events, predictions
from engine.service.models.pool import guarded
from engine.service.requests.endpoints import Path, answering, ask_of, response, system_of
from engine.service.requests.replies import TOO_EARLY, Refused, Reply, reply
from engine.service.state import Service

MOST_COLLECTED: Final = 10_000
"""How many annotated texts from Label Studio are kept for training; older ones are dropped."""


class Tools:
    """The endpoints of other tools; those that need more than a function of the request are methods."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._collected: dict[str, dict[str, Document]] = {}
        """Annotated texts from Label Studio: system -> project and task -> document."""

    def paths(self) -> list[Path]:
        service = self.service
        studio = "/label-studio/{system}"
        return [
            ("/inception/{system}/predict", ["POST"], answering(service, inception.predict)),
            ("/inception/{system}/train", ["POST"], self.train),
            (studio, ["GET"], self.health),
            (f"{studio}/health", ["GET"], self.health),
            (f"{studio}/setup", ["POST"], answering(service, predictions.setup)),
            (f"{studio}/predict", ["POST"], answering(service, predictions.predict)),
            (f"{studio}/webhook", ["POST"], self.webhook),
            (f"{studio}/versions", ["GET"], self.versions),
            ("/nif/{system}", ["POST"], answering(service, nif.annotate, json=False)),
            ("/doccano/{system}", ["POST"], answering(service, doccano.annotate)),
        ]

    async def train(self, request: Request) -> Response:
        """Every request of INCEpTION contains all documents of a project, so nothing is kept between requests."""
        service, system = self.service, system_of(request)
        service.shelf.get(system)
        ask = await ask_of(service, request)
        service.learning.check()
        found = await service.pool.run(guarded, lessons.training_documents, ask, system)
        if isinstance(found, Reply):
            return response(found)
        service.learning.start(system, list(found))
        return response(Reply(b"", status=204))

    async def health(self, request: Request) -> Response:
        served = self.service.shelf.get(system_of(request))
        return response(reply({"status": "UP", "model_class": f"Espalier {served.file.system}"}))

    async def versions(self, request: Request) -> Response:
        served = self.service.shelf.get(system_of(request))
        return response(reply({"versions": [f"{served.file.system} {served.version}"]}))

    async def webhook(self, request: Request) -> Response:
        service, system = self.service, system_of(request)
        service.shelf.get(system)
        event = await service.pool.run(guarded, events.read_event, await ask_of(service, request))
        if isinstance(event, Reply):
            return response(event)
        if not event.is_known:
            return response(reply({"status": "Unknown event"}))
        collected = self._collected.setdefault(system, {})
        for name, document in event.documents:
            collected.pop(name, None)
            if document is not None:
                collected[name] = document
        while len(collected) > MOST_COLLECTED:
            del collected[next(iter(collected))]
        if event.action == events.TRAIN:
            if not collected:
                raise Refused(TOO_EARLY, "nothing has been annotated yet since the server was started")
            service.learning.start(system, list(collected.values()))
        return response(reply({"result": {"collected": len(collected)}, "status": "ok"}, status=201))
