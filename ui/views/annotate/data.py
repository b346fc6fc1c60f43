"""What the editor draws of a document, as plain data: its text, its annotation, what is suggested and offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.data.document import NIL
from engine.data.edits import State
from engine.store.annotations import fold
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
) -> dict[str, Any]:
    """Everything the editor draws. `least` hides suggestions the model is less sure of; `unsaved` names the place in
    the browser where edits wait for the server; `place` is what a link to the document is about."""
    rows = desk.rows()
    state = fold(desk.document, rows, desk.layer)
    offered, contradiction = desk.suggestions(rows, state)
    document, told = desk.document, outcome or Outcome()
    return {
        "doc": f"{document.id} {desk.layer}",
        "place": list(place) if place and place[0] < place[1] <= len(document.text) else None,
        "document": document.id,
        "layer": desk.layer,
        "unsaved": unsaved,
        "text": document.text,
        "tokens": [list(token) for token in document.tokens],
        "paragraphs": paragraphs_of(document),
        **_annotation(state),
        **_offered(state, vocabulary),
        "suggestions": [_suggestion(one) for one in offered if one.score is None or one.score >= least],
        "nil": NIL,
        "version": rows[-1].number if rows else 0,
        "message": told.message or contradiction,
        "clash": told.clash if told.clash and told.clash["document"] == document.id else None,
        "candidates": dict(candidates or {"id": None, "items": []}),
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
                "comment": state.comments.get(id, ""),
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
                "comment": state.comments.get(id, ""),
            }
            for id, arc in state.relations.items()
        ],
        "comment": state.comments.get("", ""),
        "fixed": sorted(state.arguments),
        "labels": list(state.labels),
        "done": state.done,
    }


def _offered(state: State, vocabulary: Vocabulary) -> dict[str, Any]:
    """What the annotator can choose from; what the document has already is always among it."""
    used = sorted({mention.type for mention in state.mentions.values() if mention.type})
    return {
        "labelChoices": _once([*state.labels, *vocabulary.labels[:24]]),
        "types": _once([*vocabulary.types[:20], *used]),
        "relationTypes": [
            {"type": one.type, "heads": list(one.heads), "tails": list(one.tails)} for one in vocabulary.relations
        ],
    }


def _once(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _suggestion(one: Suggestion) -> dict[str, Any]:
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
