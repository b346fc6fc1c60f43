"""The annotator's desk: one document of one layer, what is suggested for it, and what each of the editor's actions
writes down.

Nothing here draws. Every action ends in one row of the annotation log before it is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from engine.data import edits
from engine.data.document import GOLD, Document, Layer
from engine.data.edits import EditRefused, State, Together
from engine.data.errors import InputError
from engine.data.labels import LabelSet, check
from engine.store.annotations import LABELS, AnnotationLog, EditConflict, LogRow, fold, live
from engine.store.tables import now
from engine.structures.base import Infeasible
from engine.tasks.base import AnyModel, AnyTask
from engine.workbench.annotation import Questions, asked, followed, pins_of, predicted_under
from engine.workbench.suggestions import Suggestion, accept, accept_all, reject_all, suggestions, suggestions_of
from engine.workbench.team.changes import changes
from ui.views.annotate import history

UNREADABLE: Final = "The run in the sidebar cannot read this document, so it suggests nothing; another run may."
_QUESTIONS = Questions()
"""What models were asked last: scores are kept by the document, so an edit that changes nothing for the model must ask
about the same one."""


def own_layer(user: str) -> str:
    """The layer that belongs to one annotator. The shared gold belongs to nobody, not even to somebody called so."""
    return user if user not in (GOLD, LABELS) else f"{user} (person)"


@dataclass(frozen=True)
class Seat:
    """Who works on which layer, and how sure the model must be to suggest."""

    user: str
    layer: str
    sees_others: bool
    least: float
    blind: bool = False
    """Whether the project lets the annotator see nothing but the text and their own layer."""


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
    own_only: bool = False
    """Whether only the annotator's own layer may be written: the project is blind."""
    labels: LabelSet | None = None
    """What may be given, where somebody has defined it."""
    next_up: Callable[[], str | None] = field(default=lambda: None, repr=False)
    """The document that the queue has after this one."""
    seen: dict[tuple[str, str], tuple[int, Layer]] = field(default_factory=dict, repr=False, compare=False)
    """Layers of others by document and name, each with the version that it was read at."""

    def rows(self) -> list[LogRow]:
        return self.log.history(self.document.id, layer=self.layer)

    def state(self) -> State:
        return fold(self.document, self.rows(), self.layer)

    def suggestions(self, rows: Sequence[LogRow], state: State) -> tuple[list[Suggestion], str]:
        """What the model and the others suggest under the annotator's corrections, and a message where the model cannot
        follow these: they stand all the same."""
        others = {name: self._layer_of(name) for name in self.beside}
        offered = suggestions_of(state, others)
        if self.task is None or self.model is None:
            return offered, ""
        pins = pins_of(fold(self.document, (), self.layer), state, live(rows), self.task.decides)
        given = () if self.layer == GOLD else self.task.given(self.document, self.model)
        current = _QUESTIONS.same(self.task, self.model, self.document, asked(self.document, state, given))
        try:
            scored = self.task.scored([current], self.model)
        except InputError:
            return offered, UNREADABLE
        held = followed(self.task, scored, pins)
        try:
            predicted = predicted_under(self.task, self.model, scored, held.pins)
        except (Infeasible, InputError) as clash:
            return offered, f"The model cannot follow your corrections: {clash}."
        mine = [one for one in suggestions(state, predicted, self.task.decides) if held.leaves(one.decision)]
        names = ", ".join(repr(name) for name in held.names)
        return _merged(mine, offered), f"The model does not know {names}; it suggests the rest." if names else ""

    def _layer_of(self, name: str) -> Layer:
        """Somebody else's layer; read again only after an edit of theirs, since a long one takes longer than mine."""
        version, key = self.log.version(self.document.id, layer=name), (self.document.id, name)
        known = self.seen.get(key)
        if known is None or known[0] != version:
            known = self.seen[key] = version, self.log.state(self.document, layer=name, upto=version).layer()
        return known[1]

    def where(self, action: Mapping[str, Any]) -> Desk:
        """The desk that the action was made at: the editor names document and layer."""
        id, layer = action.get("document", self.document.id), action.get("layer", self.layer)
        if layer not in (GOLD, own_layer(self.user)):
            raise EditRefused(f"the layer {layer!r} belongs to somebody else")
        if self.own_only and layer == GOLD:
            raise EditRefused("the project is annotated blind, so only your own layer can be written")
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
        edit = _signed(desk, edit)
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
                check=None if desk.labels is None else partial(check, desk.labels),
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
        mine = [new or "deleted" for _, new in changes(desk.document, now, edits.apply(now, edit))]
    except EditRefused:
        mine = [history.describe(edit, None)]
    return {
        "token": token,
        "document": desk.document.id,
        "who": ", ".join(sorted({row.user for row in conflict.theirs})),
        "theirs": "; ".join(new or "deleted" for _, new in changes(desk.document, before, now)),
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
        return reject_all(chosen, state if len(chosen) == len(offered) > 1 else None)
    new = token.replace(":", "")
    return accept(state, chosen[0], new) if len(chosen) == 1 else accept_all(state, chosen, new)


def _signed(desk: Desk, edit: edits.Edit) -> edits.Edit:
    """Comments bear the name of whoever is at the desk and the time of the server, whatever the browser says; nobody
    changes what somebody else wrote. What only a curator or a lead may say does not come from the editor."""
    if isinstance(edit, Together):
        return Together(tuple(_signed(desk, one) for one in edit.edits))
    if isinstance(edit, edits.Settle | edits.Credit | edits.DefineLabels):
        raise EditRefused("this is not said in the editor")
    if not isinstance(edit, edits.Comment):
        return edit
    thread = desk.state().comments.get(edit.target, ())
    before = next((one for one in thread if one.id == edit.id), None)
    if before is not None and before.author not in ("", desk.user):
        raise EditRefused(f"{before.author} wrote this comment")
    return replace(edit, author=desk.user, time=now())


def _check_fits(document: Document, edit: edits.Edit) -> None:
    """Spans come from the browser: they must lie in the text."""
    if isinstance(edit, Together):
        for one in edit.edits:
            _check_fits(document, one)
    elif isinstance(edit, edits.AddMention | edits.SetSpan):
        if not 0 <= edit.start < edit.end <= len(document.text):
            raise EditRefused(f"[{edit.start}, {edit.end}) is no part of the text")
