"""The annotation editor: spans, types, links, chains and relations of one document, by mouse or keyboard.

The page shows an edit at once, keeps it in the browser, and sends it again until the server has written it down.
"""

from __future__ import annotations

from typing import Any

from ui.components import mount
from ui.components.editor.sent import Sent
from ui.shell import messages, session


def editor(data: dict[str, Any], *, key: str, hear: messages.Hear) -> None:
    """Draw the editor. `hear` gets what the annotator does ("edit", "undo", "redo", "next", "accept", "reject") and
    which entities are searched for ("ask"); "whole" asks for all data, of which the page is else sent what changed."""
    sent = session.value(f"{key}.sent")
    if sent is None:
        sent = Sent(messages.our_name())
        session.keep(f"{key}.sent", sent)
    mount("editor", key=key, data=sent.next(data, messages.holds(key)), hear=hear)
