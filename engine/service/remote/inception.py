"""Projects of an INCEpTION server, over its remote API (version 1, "aero"), as UIMA CAS JSON.

A document is known by its name there, which is its id here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

from engine.corpora.formats import uimacas
from engine.corpora.io import whole_json
from engine.corpora.records.fields import expect, required
from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.service.remote.http import Server

FORMAT: Final = "jsoncas"
CURATED: Final = ("CURATION-COMPLETE", "CURATION-IN-PROGRESS")


def connect(url: str, token: str, user: str | None = None) -> Server:
    """The token is the user's password."""
    if not user:
        raise InputError("INCEpTION asks for a user besides the password: name one with --user")
    known = base64.b64encode(f"{user}:{token}".encode()).decode("ascii")
    return Server(url, {"Authorization": f"Basic {known}"})


def pull(server: Server, project: str) -> Iterator[Document]:
    """All documents, with one layer for each annotator. Gold is the curated layer, else the first annotator's, else the
    annotations that the document was imported with."""
    for item in _documents(server, project):
        number, name = required(item, "id", int), required(item, "name", str)
        path = f"{_path(project)}/documents/{number}"
        users = sorted(required(one, "user", str) for one in _body(server, f"{path}/annotations"))
        found = [(user, _cas(server, f"{path}/annotations/{quote(user, safe='')}", name)) for user in users]
        if item.get("state") in CURATED:
            found.insert(0, ("curated", _cas(server, f"{path}/curation", name)))
        if not found:
            yield _cas(server, path, name)
            continue
        (_, first), *others = found
        # An annotator may have seen another version of the text; such spans would be in the wrong places.
        layers = {user: other.gold for user, other in others if other.text == first.text}
        yield replace(first, layers={GOLD: first.gold, **layers})


def push(server: Server, project: str, documents: Sequence[Document], layer: str) -> dict[str, int]:
    """Send documents that the project does not have yet, with a layer as their annotation."""
    there = {required(item, "name", str) for item in _documents(server, project)}
    new = [document for document in documents if document.id not in there]
    for document in new:
        shown = replace(document, layers={GOLD: document.layers.get(layer, document.gold)})
        content = whole_json.dump(uimacas.record(shown)).encode("utf-8")
        fields = {"name": document.id, "format": FORMAT, "state": "NEW"}
        server.post_file(f"{_path(project)}/documents", document.id, content, fields)
    return {"documents": len(new)}


def _path(project: str) -> str:
    return f"/api/aero/v1/projects/{quote(project, safe='')}"


def _documents(server: Server, project: str) -> list[dict[str, Any]]:
    return _body(server, f"{_path(project)}/documents")


def _body(server: Server, path: str) -> list[dict[str, Any]]:
    """The body of a response, without the messages that INCEpTION adds."""
    body = required(expect(server.get(path), dict, "the answer"), "body", list)
    return [expect(item, dict, "body") for item in body]


def _cas(server: Server, path: str, name: str) -> Document:
    try:
        return replace(uimacas.document(server.get(f"{path}?format={FORMAT}"), name), id=name)
    except InputError as error:
        raise InputError(f"document {name!r}: {error.what}", file=server.url, field=error.field) from None
    except ValueError as error:
        raise InputError(f"document {name!r}: {error}", file=server.url) from None
