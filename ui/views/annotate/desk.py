"""The annotator's desk: one document of one layer, what is suggested for it, and what each of the editor's actions
writes down.

Nothing here draws. Every action ends in one row of the annotation log before it is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.data import edits
from engine.data.document import GOLD, Document
from engine.data.edits import EditRefused, State, Together
from engine.data.errors import InputError
from engine.store.annotations import AnnotationLog, EditConflict, LogRow, fold, live
from engine.structures.base import Infeasible
from engine.tasks.base import AnyModel, AnyTask
from engine.workbench.annotation import asked, followed, pins_of
from engine.workbench.suggestions import Suggestion, accept, accept_all, reject_all, suggestions, suggestions_of
from ui.views.annotate import history


def own_layer(user: str) -> str:
    """The layer that belongs to one annotator. The shared gold belongs to nobody, not even to somebody called so."""
    return user if user != GOLD else f"{user} (person)"


@dataclass(frozen=True)
class Desk:
    """One annotator at one document of one layer, with a model or without."""

    log: AnnotationLog
    document: Document
    user: str
    layer: str = GOLD
    task: AnyTask | None = None
    model: AnyModel | None = None
    beside: tuple[str, ...] = ()
    """Layers of other annotators whose decisions are shown as suggestions."""
    find: Callable[[str], Document | None] = field(default=lambda id: None, repr=False)
    """Other documents of the corpus, by id: an edit that was made there may arrive after this one was opened."""
    next_up: Callable[[], str | None] = field(default=lambda: None, repr=False)
    """The document that the queue has after this one."""

    def rows(self) -> list[LogRow]:
        return self.log.history(self.document.id, layer=self.layer)

    def state(self) -> State:
        return fold(self.document, self.rows(), self.layer)

    def suggestions(self, rows: Sequence[LogRow], state: State) -> tuple[list[Suggestion], str]:
        """What the model and the others suggest under the annotator's corrections, and a message where the model cannot
        follow these: they stand all the same."""
        others = {name: self.log.state(self.document, layer=name).layer() for name in self.beside}
        offered = suggestions_of(state, others)
        if self.task is None or self.model is None:
            return offered, ""
        pins = pins_of(fold(self.document, (), self.layer), state, live(rows), self.task.decides)
        given = () if self.layer == GOLD else self.task.given(self.document, self.model)
        current = asked(self.document, state, given)
        held = followed(self.task, self.task.scored([current], self.model), pins)
        try:
            predicted = self.task.predict([current], self.model, pins={current.id: held.pins})[0]
        except (Infeasible, InputError) as clash:
            return offered, f"The model cannot follow your corrections: {clash}."
        mine = [one for one in suggestions(state, predicted, self.task.decides) if held.leaves(one.decision)]
        names = ", ".join(repr(name) for name in held.names)
        return _merged(mine, offered), f"The model does not know {names}; it suggests the rest." if names else ""

    def where(self, action: Mapping[str, Any]) -> Desk:
        """The desk that the action was made at: the editor names document and layer."""
        id, layer = action.get("document", self.document.id), action.get("layer", self.layer)
        if layer not in (GOLD, own_layer(self.user)):
            raise EditRefused(f"the layer {layer!r} belongs to somebody else")
        if id == self.document.id:
            return replace(self, layer=layer)
        document = self.find(str(id))
        if document is None:
            raise EditRefused(f"the corpus has no document {id!r}")
        return replace(self, document=document, layer=layer)


def _merged(model: Sequence[Suggestion], people: Sequence[Suggestion]) -> list[Suggestion]:
    """One list in text order; what both suggest stands once, with the score and the names."""
    found = {one.key: one for one in people}
    for one in model:
        found[one.key] = replace(one, by=found[one.key].by if one.key in found else ())
    return sorted(found.values(), key=lambda one: one.decision)


@dataclass(frozen=True)
class Outcome:
    """What an action came to: a message where it was refused, the choice to make where somebody else was first, and
    the document it changed."""

    message: str = ""
    document: str | None = None
    clash: Mapping[str, Any] | None = None


def perform(desk: Desk, action: Mapping[str, Any]) -> Outcome:
    """Write down one action of the editor."""
    token = f"{action.get('client')}:{action.get('seq')}"
    try:
        desk = desk.where(action)
        match action.get("action"):
            case "undo":
                row = desk.log.undo(user=desk.user, layer=desk.layer, token=token)
                return Outcome(document=row.document) if row else Outcome("There is nothing to undo.")
            case "redo":
                row = desk.log.redo(user=desk.user, layer=desk.layer, token=token)
                return Outcome(document=row.document) if row else Outcome("There is nothing to redo.")
            case "next":
                following = desk.next_up()
                return Outcome(document=following) if following else Outcome("Every document of the queue is done.")
            case "edit":
                edit = edits.from_json(action["edit"])
            case "accept" | "reject" as verb:
                edit = _answer(desk, verb, action["keys"], token)
            case other:
                return Outcome(f"The editor sent an action that is not known: {other!r}.")
        _check_fits(desk.document, edit)
        base = action.get("base")
        try:
            desk.log.append(
                desk.document,
                edit,
                user=desk.user,
                base=base if isinstance(base, int) else None,
                layer=desk.layer,
                token=token,
            )
        except EditConflict as conflict:
            return Outcome(f"Not saved: {conflict}.", desk.document.id, _clash(desk, edit, conflict, token))
    except EditRefused as refused:
        return Outcome(f"Not saved: {refused}.")
    return Outcome(document=desk.document.id)


def _clash(desk: Desk, edit: edits.Edit, conflict: EditConflict, token: str) -> dict[str, Any]:
    """Both sides of a conflict in words, and the edit to send again by whoever insists."""
    now = desk.state()
    rows = desk.rows()
    first = min(row.number for row in conflict.theirs)
    before = fold(desk.document, [row for row in rows if row.number < first], desk.layer)
    try:
        mine = [new or "deleted" for _, new in history.changes(desk.document, now, edits.apply(now, edit))]
    except EditRefused:
        mine = [history.describe(edit, None)]
    return {
        "token": token,
        "document": desk.document.id,
        "who": ", ".join(sorted({row.user for row in conflict.theirs})),
        "theirs": "; ".join(new or "deleted" for _, new in history.changes(desk.document, before, now)),
        "mine": "; ".join(mine),
        "edit": edits.to_json(edit),
    }


def perform_all(desk: Desk, actions: Iterable[Mapping[str, Any]]) -> Outcome | None:
    """Write down one action after the other; the last outcome worth telling, None where there was no action."""
    told: Outcome | None = None
    for action in actions:
        outcome = perform(desk, action)
        told = outcome if told is None or outcome.message or not told.message else told
    return told


def _answer(desk: Desk, verb: str, keys: Sequence[str], token: str) -> edits.Edit:
    rows = desk.rows()
    state = fold(desk.document, rows, desk.layer)
    offered, _ = desk.suggestions(rows, state)
    chosen = [one for one in offered if one.key in set(keys)]
    if not chosen:
        raise EditRefused("the suggestion is no longer made")
    if verb == "reject":
        return reject_all(chosen)
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
