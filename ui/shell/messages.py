"""Messages from components: each is acted on once, in order. The browser's end is ui/components/shared/messages.js.

A component's state `messages` holds everything that its page has no answer for, oldest first. A message says its
`action`; `client` (a script in a tab) and `seq` tell it from all others. What was acted on is remembered for the
session and told to the page with the component's next data.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ui.shell import session

Message: TypeAlias = Mapping[str, Any]
Hear: TypeAlias = Callable[[Iterator[Message]], None]
"""What a page does with the new messages of a component."""
Selects: TypeAlias = Callable[[str | None], None]
"""What a page does when something is selected in a component, or nothing any more."""


def each(**actions: Callable[[Message], None]) -> Hear:
    """Hand every message to the function for its action; others are not meant for this page."""

    def hear(new: Iterator[Message]) -> None:
        for message in new:
            act = actions.get(message["action"])
            if act is not None:
                act(message)

    return hear


def selecting(on_select: Selects) -> Hear:
    """For a component in which things are selected, and that is all."""
    return each(select=lambda message: on_select(message["id"]))


def nobody(selected: str | None) -> None:
    """Where it does not matter what is selected."""


def new(key: str) -> Iterator[Message]:
    """What the component mounted under `key` has told and nobody has acted on yet."""
    state = session.component(key, "messages")
    ack = _acknowledged(key)
    session.keep(_place(key), ack)
    return unheard(state["queue"] if state else [], ack)


def unheard(queue: Iterable[Any], ack: dict[str, int]) -> Iterator[Message]:
    """The messages of a queue that `ack` does not know, oldest first. One counts as acted on when the next is asked
    for: what fails before that is told again."""
    for message in queue:
        if not _is_message(message) or message["seq"] <= ack.get(message["client"], 0):
            continue
        yield message
        ack[message["client"]] = message["seq"]


def holds(key: str) -> object:
    """What the page of the component says it has of the data it was sent: anything that a browser can send."""
    state = session.component(key, "messages")
    return state.get("holds") if isinstance(state, Mapping) else None


def answer(key: str) -> dict[str, Any]:
    """What the page needs to know about its messages: the last that was acted on, and by which session."""
    return {"session": our_name(), "ack": dict(_acknowledged(key))}


def our_name() -> str:
    """This session, told from all others."""
    name: str | None = session.value("messages.session")
    if name is None:
        name = secrets.token_hex(4)
        session.keep("messages.session", name)
    return name


def _acknowledged(key: str) -> dict[str, int]:
    found: dict[str, int] = session.value(_place(key), {})
    return found


def _place(key: str) -> str:
    return f"{key}.acknowledged"


def _is_message(message: Any) -> bool:
    """Anything can come from a browser; what has no number could not be acknowledged."""
    return (
        isinstance(message, Mapping)
        and isinstance(message.get("action"), str)
        and isinstance(message.get("client"), str)
        and isinstance(message.get("seq"), int)
    )
