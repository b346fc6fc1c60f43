"""doccano's custom REST request: a text in, spans out, in a form that needs only a simple mapping template."""

from __future__ import annotations

from typing import Any

from engine.data.document import NIL, Layer
from engine.service.models.loading import Loaded
from engine.service.models.predicting import decide
from engine.service.requests.documents import read_documents
from engine.service.requests.replies import WRONG, Ask, Refused, Reply, reply


def annotate(loaded: Loaded, ask: Ask) -> Reply:
    """Mentions are labelled with their type, their entity, or the number of their coreference chain."""
    record = ask.json()
    if set(record) != {"text"}:
        raise Refused(WRONG, 'expected {"text": "{{ text }}"} and nothing else')
    documents = read_documents(record, ask.limits)
    return reply(_spans(decide(loaded, documents).layers[0]), documents=1)


def _spans(layer: Layer) -> list[dict[str, Any]]:
    chains = layer.cluster_of()
    found = []
    for i, mention in enumerate(layer.mentions):
        entity = mention.entity if mention.entity != NIL else None
        label = mention.type or entity or (f"entity {chains[i] + 1}" if i in chains else None)
        if label is not None:
            found.append({"label": label, "start_offset": mention.start, "end_offset": mention.end})
    return found
