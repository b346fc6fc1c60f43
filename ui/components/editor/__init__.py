"""The annotation editor: spans, types, links, chains and relations of one document, by mouse or keyboard.

The page shows an edit at once, keeps it in the browser, and sends it again until the server has written it down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ui.components import mount
from ui.components.editor.portions import Portions
from ui.components.editor.sent import Sent
from ui.tab import messages, session
from ui.tab.messages import Message


def editor(data: dict[str, Any], *, key: str, hear: messages.Hear) -> None:
    """Draw the editor. `hear` gets what the annotator does ("edit", "undo", "redo", "next", "accept", "reject") and
    which entities are searched for ("ask"). What the page asks for is answered by drawing again: all data ("whole"), of
    which it is else sent what changed, and suggestions that were held back ("rest")."""
    sent = session.value(f"{key}.sent")
    if sent is None:
        sent = (Sent(messages.our_name()), Portions())
        session.keep(f"{key}.sent", sent)
    differences, portions = sent

    def told(new: Iterator[Message]) -> Iterator[Message]:
        for message in new:
            if message["action"] == "rest":
                portions.look(message)
            elif message["action"] != "whole":
                yield message

    shown = differences.next(portions.next(data), messages.holds(key))
    mount("editor", key=key, data=shown, hear=lambda new: hear(told(new)))
