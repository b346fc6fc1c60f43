"""The annotator's desk: what the editor shows of a document, and what each of its actions writes down.

Nothing here draws. Every action ends in one row of the annotation log before it is acknowledged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.data import edits
from engine.data.document import GOLD, NIL, Document, Layer
from engine.data.edits import EditRefused, State, Together
from engine.store.annotations import AnnotationLog, Conflict, live
from engine.structures.base import Infeasible
from engine.tasks.annotation import pins_of
from engine.tasks.base import Model, Task
from engine.tasks.suggestions import Suggestion, accept, accept_all, reject, suggestions
from ui.components.text import paragraphs_of


@dataclass(frozen=True)
class RelationType:
    """A relation and the mention types it was seen between; these are what it is offered for."""

    type: str
    heads: tuple[str, ...]
    tails: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """What annotations of a corpus are made of, most frequent first."""

    types: tuple[str, ...]
    relations: tuple[RelationType, ...]
    labels: tuple[str, ...]
    entities: Mapping[str, int] = field(repr=False)

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Vocabulary:
        types: Counter[str] = Counter()
        entities: Counter[str] = Counter()
        labels: Counter[str] = Counter()
        sides: dict[str, tuple[set[str], set[str]]] = {}
        for document in documents:
            gold = document.gold
            types.update(m.type for m in gold.mentions if m.type)
            entities.update(m.entity for m in gold.mentions if m.is_linked and m.entity)
            labels.update(gold.labels)
            for relation in gold.relations:
                heads, tails = sides.setdefault(relation.type, (set(), set()))
                heads.add(gold.mentions[relation.head].type or "")
                tails.add(gold.mentions[relation.tail].type or "")
        return cls(
            tuple(name for name, _ in types.most_common()),
            tuple(
                RelationType(name, tuple(sorted(heads - {""})), tuple(sorted(tails - {""})))
                for name, (heads, tails) in sorted(sides.items())
            ),
            tuple(name for name, _ in labels.most_common()),
            entities,
        )

    def search(self, query: str, limit: int = 20) -> list[tuple[str, int]]:
        """Entities whose name holds the query, those that start with it first."""
        wanted = query.casefold().strip()
        found = [(name, n) for name, n in self.entities.items() if wanted in name.casefold()]
        return sorted(found, key=lambda pair: (not pair[0].casefold().startswith(wanted), -pair[1], pair[0]))[:limit]


@dataclass(frozen=True)
class Desk:
    """One annotator at one document of one layer, with a model or without."""

    log: AnnotationLog
    document: Document
    user: str
    layer: str = GOLD
    task: Task | None = None
    model: Model | None = None

    def state(self) -> State:
        return self.log.state(self.document, layer=self.layer)

    def suggestions(self, state: State) -> tuple[list[Suggestion], str]:
        """What the model suggests under the annotator's corrections, and a message where they contradict each other."""
        if self.task is None or self.model is None:
            return [], ""
        rows = self.log.history(self.document.id, layer=self.layer)
        pins = pins_of(self.log.state(self.document, layer=self.layer, upto=0), state, live(rows), self.task.decides)
        current = self.document.with_layer(GOLD, state.layer())
        try:
            predicted = self.task.predict([current], self.model, pins={current.id: pins})[0]
        except Infeasible as clash:
            return [], f"The model cannot follow your corrections: {clash}"
        return suggestions(state, predicted, self.task.decides), ""


@dataclass(frozen=True)
class Outcome:
    """What an action came to: a message where it was refused, and the document it changed."""

    message: str = ""
    document: str | None = None


def perform(desk: Desk, action: Mapping[str, Any]) -> Outcome:
    """Write down one action of the editor."""
    token = f"{action.get('client')}:{action.get('seq')}"
    try:
        match action.get("action"):
            case "undo":
                row = desk.log.undo(user=desk.user, layer=desk.layer, token=token)
                return Outcome(document=row.document) if row else Outcome("There is nothing to undo.")
            case "redo":
                row = desk.log.redo(user=desk.user, layer=desk.layer, token=token)
                return Outcome(document=row.document) if row else Outcome("There is nothing to redo.")
            case "edit":
                edit = edits.from_json(action["edit"])
            case "accept" | "reject" as verb:
                edit = _answer(desk, verb, action["keys"], token)
            case other:
                return Outcome(f"The editor sent an action that is not known: {other!r}.")
        _check_fits(desk.document, edit)
        base = action.get("base")
        desk.log.append(
            desk.document,
            edit,
            user=desk.user,
            base=base if isinstance(base, int) else None,
            layer=desk.layer,
            token=token,
        )
    except (EditRefused, Conflict) as refused:
        return Outcome(f"Not saved: {refused}.")
    return Outcome(document=desk.document.id)


def perform_all(
    desk: Desk, actions: Sequence[Mapping[str, Any]], acknowledged: Mapping[str, int]
) -> tuple[dict[str, int], Outcome]:
    """Write down what is new in the editor's queue; what is acknowledged now, and the last outcome worth telling."""
    ack = dict(acknowledged)
    told = Outcome()
    for action in actions:
        client, seq = str(action.get("client")), int(action.get("seq", 0))
        if seq <= ack.get(client, 0):
            continue
        outcome = perform(desk, action)
        told = outcome if outcome.message or not told.message else told
        ack[client] = seq
    return ack, told


def _answer(desk: Desk, verb: str, keys: Sequence[str], token: str) -> edits.Edit:
    state = desk.state()
    offered, _ = desk.suggestions(state)
    chosen = [one for one in offered if one.key in set(keys)]
    if not chosen:
        raise EditRefused("the suggestion is no longer made")
    if verb == "reject":
        return reject(chosen[0]) if len(chosen) == 1 else Together(tuple(reject(one) for one in chosen))
    new = token.replace(":", "")
    return accept(state, chosen[0], new) if len(chosen) == 1 else accept_all(state, chosen, new)


def _check_fits(document: Document, edit: edits.Edit) -> None:
    """Spans come from the browser: they must lie in the text."""
    if isinstance(edit, Together):
        for one in edit.edits:
            _check_fits(document, one)
    elif isinstance(edit, edits.AddMention | edits.SetSpan):
        if not 0 <= edit.start < edit.end <= len(document.text):
            raise EditRefused(f"[{edit.start}, {edit.end}) is no part of the text")


def payload(
    desk: Desk,
    vocabulary: Vocabulary,
    *,
    ack: Mapping[str, int],
    message: str = "",
    candidates: Mapping[str, Any] | None = None,
    least: float = 0.0,
) -> dict[str, Any]:
    """Everything the editor draws, as plain data. `least` hides suggestions the model is less sure of."""
    state = desk.state()
    offered, clash = desk.suggestions(state)
    rows = desk.log.history(desk.document.id, layer=desk.layer)
    document = desk.document
    return {
        "doc": f"{document.id} {desk.layer}",
        "text": document.text,
        "tokens": [list(token) for token in document.tokens],
        "paragraphs": paragraphs_of(document),
        "mentions": [
            {
                "id": id,
                "start": m.start,
                "end": m.end,
                "type": m.type,
                "entity": m.entity,
                "cluster": state.clusters.get(id),
                "comment": state.comments.get(id, ""),
                "doubted": id in state.doubted,
            }
            for id, m in state.mentions.items()
        ],
        "relations": [
            {"id": id, "head": arc.head, "tail": arc.tail, "type": arc.type} for id, arc in state.relations.items()
        ],
        "labels": list(state.labels),
        "labelChoices": list(dict.fromkeys([*state.labels, *vocabulary.labels[:24]])),
        "types": list(vocabulary.types[:20]),
        "relationTypes": [
            {"type": r.type, "heads": list(r.heads), "tails": list(r.tails)} for r in vocabulary.relations
        ],
        "suggestions": [
            {
                "key": one.key,
                "kind": one.decision.kind,
                "start": one.decision.start,
                "end": one.decision.end,
                "value": "NIL" if one.decision.value == NIL else one.decision.value,
                "other": list(one.decision.other),
                "score": one.score,
            }
            for one in offered
            if one.score is None or one.score >= least
        ],
        "nil": NIL,
        "version": rows[-1].number if rows else 0,
        "ack": dict(ack),
        "message": message or clash,
        "candidates": dict(candidates or {"id": None, "items": []}),
        "saved": f"saved, {len(rows)} edits" if rows else "nothing edited yet",
    }


def history(desk: Desk) -> list[dict[str, Any]]:
    """Who changed what, when; the latest first."""
    rows = desk.log.history(desk.document.id, layer=desk.layer)
    return [
        {
            "no.": row.number,
            "when": row.time[:19].replace("T", " "),
            "who": row.user,
            "what": describe(row.edit, row.undoes),
        }
        for row in reversed(rows)
    ]


def describe(edit: edits.Edit | None, undoes: int | None) -> str:
    """An edit in words."""
    if edit is None:
        return f"takes back no. {undoes}"
    if isinstance(edit, Together):
        return "; ".join(describe(one, None) for one in edit.edits)
    values = edits.to_json(edit)
    kind = values.pop("kind")
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in kind).strip()
    return f"{words}: " + ", ".join(f"{name} {value}" for name, value in values.items() if value not in (None, -1, ""))


def edited(documents: Sequence[Document], layers: Mapping[str, Layer]) -> list[Document]:
    """The documents with these layers as gold, where they have one."""
    return [d.with_layer(GOLD, layers[d.id]) if d.id in layers else d for d in documents]
