"""The annotation editor: spans, types, links, chains and relations of one document, by mouse or keyboard.

The page shows an edit at once and sends it in a queue that is kept until the server has written it down; `ack` is the
last that was. A queue in a state value arrives complete, where single events would be lost when they come fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.components import mount


def editor(data: dict[str, Any], *, key: str, on_ops: Callable[[], None], on_query: Callable[[], None]) -> Any:
    """Draw the editor. The result has `.ops` (actions not yet acknowledged) and `.query` (entities searched for)."""
    return mount("editor", key=key, data=data, on_ops_change=on_ops, on_query_change=on_query)
