"""A spinner where something takes a while once and a moment ever after.

Streamlit starts a thread for every spinner, whether or not it comes to be seen, and sends a message to take it away.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import streamlit as st

_MOST: Final = 10_000
_done: Final[set[object]] = set()


@contextmanager
def spinner(words: str, *key: str) -> Iterator[None]:
    """A spinner while this is done for the first time since the server started; `key` says what is done."""
    if key in _done:
        yield
        return
    with st.spinner(words, show_time=True):
        yield
    if len(_done) >= _MOST:
        _done.clear()
    _done.add(key)
