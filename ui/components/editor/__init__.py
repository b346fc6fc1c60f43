"""The annotation editor: spans, types, links, chains and relations of one document, by mouse or keyboard.

The page shows an edit at once, keeps it in the browser, and sends it again until the server has written it down.
"""

from __future__ import annotations

from typing import Any

from ui.components import mount
from ui.shell import messages


def editor(data: dict[str, Any], *, key: str, hear: messages.Hear) -> None:
    """Draw the editor. `hear` gets what the annotator does ("edit", "undo", "redo", "next", "accept", "reject") and
    which entities are searched for ("ask")."""
    mount("editor", key=key, data=data, hear=hear)
