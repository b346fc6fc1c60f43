"""Documents that INCEpTION sends for training.

A request may include documents that nobody has annotated yet. They are left out: a model would learn from them that
there is nothing to find.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.corpora.records.fields import expect, required
from engine.data.document import GOLD, Document, Layer
from engine.service.inception.documents import Opened, open_document
from engine.service.requests.replies import TOO_EARLY, TOO_LARGE, WRONG, Ask, Refused
from engine.tasks.registry import get


def training_documents(ask: Ask, system: str) -> Sequence[Document]:
    """The annotated documents of a `/train` request; Refused if there is none."""
    record = ask.json()
    items = required(record, "documents", list)
    if len(items) > ask.limits.documents:
        raise Refused(TOO_LARGE, f"{len(items)} documents, where {ask.limits.documents} are allowed", "documents")
    chains = "coreference" in get(system).decides
    documents: dict[str, Document] = {}
    for i, item in enumerate(items):
        opened = open_document(expect(item, dict, f"documents[{i}]"), record, ask.limits.characters)
        document = _with_chains(opened) if chains else opened.document
        if document.id in documents:
            raise Refused(WRONG, f"two documents have the id {document.id[:40]!r}", f"documents[{i}].documentId")
        if document.gold.clusters if chains else document.gold.mentions:
            documents[document.id] = document
    if not documents:
        raise Refused(TOO_EARLY, f"none of the {len(items)} documents has anything annotated on this layer yet")
    return list(documents.values())


def _with_chains(opened: Opened) -> Document:
    """The document with clusters: mentions that relations connect or, on a span layer, mentions with the same label."""
    layer = opened.document.gold
    if opened.is_relation:
        pairs: Iterable[tuple[int, int]] = ((one.head, one.tail) for one in layer.relations)
    else:
        first: dict[str, int] = {}
        named = [(i, mention.type) for i, mention in enumerate(layer.mentions) if mention.type is not None]
        pairs = [(first.setdefault(name, i), i) for i, name in named]
    mentions = tuple(replace(mention, type=None) for mention in layer.mentions)
    return replace(opened.document, layers={GOLD: Layer(mentions, _connected(pairs))})


def _connected(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    cluster: dict[int, set[int]] = {}
    for a, b in pairs:
        union = cluster.get(a, {a}) | cluster.get(b, {b})
        cluster |= dict.fromkeys(union, union)
    return tuple(sorted({tuple(sorted(members)) for members in cluster.values()}))
