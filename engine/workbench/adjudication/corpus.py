"""Adjudication of a whole corpus: the progress of each document, and writing everything agreed as one action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.data import edits as e
from engine.data.document import Document, Layer
from engine.data.edits import Edit, State, Together
from engine.store.annotations import AnnotationLog
from engine.workbench.adjudication.places import Place, Reading, places
from engine.workbench.adjudication.taking import ready, settle, take_over
from engine.workbench.adjudication.votes import Threshold, weights


@dataclass(frozen=True)
class Standing:
    """The progress of one document: the annotators' layers, gold, what is agreed but not yet in gold, and open
    questions."""

    document: Document
    layers: Mapping[str, Layer]
    gold: State
    agreed: Sequence[Place]
    questions: Sequence[Place]


def shared_work(
    log: AnnotationLog, documents: Sequence[Document], names: Sequence[str]
) -> tuple[list[Document], dict[str, list[Layer]]]:
    """The documents that all of these annotators have worked on, and the layers of each."""
    touched = set.intersection(*(log.edited_documents(layer=name) for name in names))
    common = [document for document in documents if document.id in touched]
    return common, {name: [state.layer() for _, state in log.states(common, layer=name)] for name in names}


def standings(log: AnnotationLog, documents: Sequence[Document], names: Sequence[str]) -> dict[str, Standing]:
    """Document -> its progress, for those that all of these annotators have worked on."""
    common, layers = shared_work(log, documents, names)
    found: dict[str, Standing] = {}
    for i, (document, gold) in enumerate(log.states(common)):
        own = {name: layers[name][i] for name in names}
        found[document.id] = Standing(document, own, gold, ready(gold, own), open_places(own, gold))
    return found


def open_places(layers: Mapping[str, Layer], gold: State) -> list[Place]:
    """Questions that no curator has answered yet, in text order."""
    return [place for place in places(layers, gold) if place.disputed and place.key not in gold.settled]


def take_everything(log: AnnotationLog, found: Mapping[str, Standing], threshold: Threshold, user: str) -> int:
    """Write everything on which enough annotators agree, in all documents as one action; returns the number of changed
    documents. Documents without open questions are marked as done."""
    names = list(next(iter(found.values())).layers) if found else []
    weight = weights({name: [one.layers[name] for one in found.values()] for name in names})
    mark = f"adj{log.version()}"
    edits: list[tuple[Document, Edit]] = []
    for one in found.values():
        edit = take_over(one.gold, one.layers, threshold, weight, mark)
        whole = finished(one.gold, one.layers, edit)
        if whole is not None:
            edits.append((one.document, whole))
    log.append_all(edits, user=user)
    return len(edits)


def answer(log: AnnotationLog, here: Standing, place: Place, reading: Reading, reason: str, user: str) -> None:
    """Write a curator's answer; the last answer marks the document as done."""
    gold = log.state(here.document)
    edit = settle(gold, place, reading, reason, f"adj{log.version()}")
    whole = finished(gold, here.layers, edit)
    log.append(here.document, edit if whole is None else whole, user=user)


def finished(gold: State, layers: Mapping[str, Layer], edit: Edit | None) -> Edit | None:
    """The edit; if it leaves nothing to take over or to ask, it also marks the document as done."""
    after = gold if edit is None else e.apply(gold, edit)
    if after.done or ready(after, layers) or open_places(layers, after):
        return edit
    return e.MarkDone() if edit is None else Together((edit, e.MarkDone()))
