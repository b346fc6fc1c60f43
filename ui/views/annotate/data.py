"""What the editor draws of a document, as plain data: its text, its annotation, what is suggested and offered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from engine.data.document import FRAGMENTS, NIL
from engine.data.edits import State
from engine.data.labels import with_labels
from engine.store.annotations import LogRow, fold
from engine.workbench.suggestions import Suggestion
from ui.components.text import paragraphs_of
from ui.shell import layout
from ui.views.annotate.desk import Desk, Outcome
from ui.views.annotate.vocabulary import Vocabulary


def payload(
    desk: Desk,
    vocabulary: Vocabulary,
    *,
    outcome: Outcome | None = None,
    candidates: Mapping[str, Any] | None = None,
    least: float = 0.0,
    unsaved: str = "",
    place: tuple[int, int] | None = None,
    offer: Callable[[Desk, Sequence[LogRow], State], tuple[list[Suggestion], str]] = Desk.suggestions,
) -> dict[str, Any]:
    """Everything the editor draws. `least` hides suggestions the model is less sure of; `unsaved` names the place in
    the browser where edits wait for the server; `place` is what a link to the document is about; `offer` says what is
    suggested."""
    rows = desk.rows()
    state = fold(desk.document, rows, desk.layer)
    offered, contradiction = offer(desk, rows, state)
    document, told = desk.document, outcome or Outcome()
    return {
        "doc": f"{document.id} {desk.layer}",
        "place": list(place) if place and place[0] < place[1] <= len(document.text) else None,
        "document": document.id,
        "layer": desk.layer,
        "user": desk.user,
        "unsaved": unsaved,
        "text": document.text,
        "tokens": document.tokens,
        "paragraphs": paragraphs_of(document),
        **_annotation(state),
        **_offered(state, vocabulary),
        "suggestions": [_suggestion(one) for one in offered if one.score is None or one.score >= least],
        "nil": NIL,
        "alike": not desk.own_only,
        "version": rows[-1].number if rows else 0,
        "message": told.message or contradiction,
        "clash": told.clash if told.clash and told.clash["document"] == document.id else None,
        "candidates": dict(candidates or {"id": None, "text": "", "items": []}),
        "saved": f"saved, {layout.counted(len(rows), 'edit')}" if rows else "nothing edited yet",
    }


def _annotation(state: State) -> dict[str, Any]:
    """What stands in the document."""
    return {
        "mentions": [
            {
                "id": id,
                "start": mention.start,
                "end": mention.end,
                "type": mention.type,
                "entity": mention.entity,
                "cluster": state.clusters.get(id),
                "pieces": mention.extra.get(FRAGMENTS, []),
                "doubted": id in state.doubted,
            }
            for id, mention in state.mentions.items()
        ],
        "relations": [
            {
                "id": id,
                "head": arc.head,
                "tail": arc.tail,
                "type": arc.type,
            }
            for id, arc in state.relations.items()
        ],
        "comments": [[target, [asdict(one) for one in thread]] for target, thread in state.comments.items()],
        "resolved": sorted(state.resolved),
        "agreed": [[target, list(by)] for target, by in state.agreed.items()],
        "fixed": sorted(state.arguments),
        "labels": list(state.labels),
        "done": state.done,
    }


def _offered(state: State, vocabulary: Vocabulary) -> dict[str, Any]:
    """What the annotator can choose from; what the document has already is always among it."""
    used = sorted({mention.type for mention in state.mentions.values() if mention.type})
    labels = with_labels(vocabulary.labels, types=used, document_labels=state.labels)
    return {
        "labelChoices": [one.name for one in labels.labels if not one.deprecated or one.name in state.labels],
        "types": [asdict(one) for one in labels.types],
        "relationTypes": [
            {
                "type": one.name,
                "heads": list(one.heads),
                "tails": list(one.tails),
                "symmetric": one.symmetric,
                "deprecated": one.deprecated,
            }
            for one in labels.relations
        ],
        "links": labels.links,
        "chains": labels.chains,
        "locked": labels.locked,
        "guideline": labels.guideline,
        "defined": vocabulary.defined,
    }


@lru_cache(maxsize=8192)
def _suggestion(one: Suggestion) -> Mapping[str, Any]:
    """What the editor draws of a suggestion; made once, since most of them are drawn again after every edit."""
    return {
        "key": one.key,
        "kind": one.decision.kind,
        "start": one.decision.start,
        "end": one.decision.end,
        "value": "NIL" if one.decision.value == NIL else one.decision.value,
        "other": list(one.decision.other),
        "score": one.score,
        "by": ", ".join(one.by),
    }
