"""The copy-link button: every view is an address."""

from __future__ import annotations

from ui.components import mount


def copy_link(key: str = "copy-link") -> None:
    mount("link", key=key, data={"label": "copy link"}, width="content")
