"""Messages from components: each is processed once, in order. The browser's side is ui/components/shared/messages.js.

A component's state `messages` holds all messages that have not been acknowledged, oldest first. A message has an
`action`; `client` (a script in a tab) and `seq` identify it. Processed messages are remembered for the session and
acknowledged to the page with the component's next data.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ui.tab import session

Message: TypeAlias = Mapping[str, Any]
Hear: TypeAlias = Callable[[Iterator[Message]], None]
"""What a page does with the new messages of a component."""
Selects: TypeAlias = Callable[[str | None], None]
"""What a page does when something is selected in a component, or nothing any more."""


def each(**actions: Callable[[Message], None]) -> Hear:
    """A handler that passes every message to the function for its action; others are ignored."""

    def hear(new: Iterator[Message]) -> None:
        for message in new:
            act = actions.get(message["action"])
            if act is not None:
                act(message)

    return hear


def selecting(on_select: Selects) -> Hear:
    """A handler for a component that only sends selections."""
    return each(select=lambda message: on_select(message["id"]))


def nobody(selected: str | None) -> None:
    """A handler that ignores selections."""


def new(key: str) -> Iterator[Message]:
    """The unprocessed messages of the component mounted under `key`."""
    state = session.component(key, "messages")
    ack = _acknowledged(key)
    session.keep(_place(key), ack)
    return unheard(state["queue"] if state else [], ack)


def unheard(queue: Iterable[Any], ack: dict[str, int]) -> Iterator[Message]:
    """The messages of a queue that are not in `ack`, oldest first. A message counts as processed when the next is
    requested; if processing fails before that, it is delivered again."""
    for message in queue:
        if not _is_message(message) or message["seq"] <= ack.get(message["client"], 0):
            continue
        yield message
        ack[message["client"]] = message["seq"]


def holds(key: str) -> object:
    """What the component's page reports to have of the data sent to it; untrusted, since it comes from a browser."""
    state = session.component(key, "messages")
    return state.get("holds") if isinstance(state, Mapping) else None


def answer(key: str) -> dict[str, Any]:
    """The acknowledgement for the page: the last processed message, and the session that processed it."""
    return {"session": our_name(), "ack": dict(_acknowledged(key))}


def our_name() -> str:
    """The name of this session, distinct from all others."""
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
    """Whether this is a valid message: a browser may send anything, and only numbered messages can be acknowledged."""
    return (
        isinstance(message, Mapping)
        and isinstance(message.get("action"), str)
        and isinstance(message.get("client"), str)
        and isinstance(message.get("seq"), int)
    )
