"""Projects of a Label Studio server.

Tasks that we create have the id of the document in their data; other tasks are identified by their number. So a second
pull can be merged with the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from engine.corpora.formats import labelstudio
from engine.corpora.records.fields import expect, required
from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.service.remote.http import Server

KEPT: Final = ("result", "score", "model_version")
"""The fields of a prediction that are about the document."""


def connect(url: str, token: str, user: str | None = None) -> Server:
    """A personal access token, a JSON web token in three parts, is exchanged for a short-lived one first."""
    if token.count(".") == 2:
        answer = Server(url, {}).post("/api/token/refresh", {"refresh": token})
        access = required(expect(answer, dict, "the answer"), "access", str)
        return Server(url, {"Authorization": f"Bearer {access}"})
    return Server(url, {"Authorization": f"Token {token}"})


def pull(server: Server, project: str) -> Iterator[Document]:
    """All tasks with their annotations and predictions; the first annotation is gold."""
    name = quote(project, safe="")
    tasks = server.get(f"/api/projects/{name}/export?exportType=JSON&download_all_tasks=true")
    predictions = _by_task(server.get(f"/api/predictions/?project={name}"))
    for position, task in enumerate(expect(tasks, list, "the answer"), 1):
        try:
            expect(task, dict, "the task")
            yield labelstudio.document({**task, "predictions": predictions.get(task.get("id"), [])}, position)
        except InputError as error:
            raise InputError(f"task {position}: {error.what}", file=server.url, field=error.field) from None
        except ValueError as error:
            raise InputError(f"task {position}: {error}", file=server.url) from None


def _by_task(predictions: Any) -> dict[Any, list[Any]]:
    """Number of a task -> its predictions, of which the export contains only the numbers."""
    found: dict[Any, list[Any]] = {}
    for i, one in enumerate(expect(predictions, list, "the answer")):
        number = required(expect(one, dict, f"predictions[{i}]"), "task", int, f"predictions[{i}].")
        found.setdefault(number, []).append({name: one[name] for name in KEPT if name in one})
    return found


def push(server: Server, project: str, documents: Sequence[Document], layer: str) -> dict[str, int]:
    """Send a layer as predictions for documents that the project has; others become tasks, with gold as annotation."""
    there = {known.id: number for known, number in _numbered(server, project)}
    new = []
    predicted = 0
    for document in documents:
        number = there.get(document.id)
        if number is None:
            new.append(labelstudio.task(_chosen(document, layer)))
            continue
        if layer in document.layers and layer != GOLD:
            server.post("/api/predictions/", {"task": number, **_prediction(document, layer)})
            predicted += 1
    if new:
        server.post(f"/api/projects/{quote(project, safe='')}/import", new)
    return {"tasks": len(new), "predictions": predicted}


def _numbered(server: Server, project: str) -> Iterator[tuple[Document, Any]]:
    for document in pull(server, project):
        yield document, document.extra.get("number", document.id)


def _chosen(document: Document, layer: str) -> Document:
    names = [name for name in (GOLD, layer) if name in document.layers]
    return Document(document.id, document.text, layers={name: document.layers[name] for name in names})


def _prediction(document: Document, layer: str) -> dict[str, Any]:
    [made] = labelstudio.task(_chosen(document, layer))["predictions"]
    scores = [result["score"] for result in made["result"] if isinstance(result.get("score"), float)]
    return {**made, **({"score": min(1.0, max(0.0, min(scores)))} if scores else {})}
