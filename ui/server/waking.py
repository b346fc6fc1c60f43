"""The event loop is woken once for all that waits for it.

A page is drawn in a thread, which hands every element to the loop, some forty a click. asyncio wakes the loop for each
by a byte through a socket, although one byte that is not read yet is enough. Every byte is a question to the system at
which the drawing thread lets go of Python's lock and has to get it back from the loop.
"""

from __future__ import annotations

import asyncio
from typing import Any


def wake_once(loop: asyncio.AbstractEventLoop) -> None:
    """From now on a byte is sent only where none is on its way. Loops that are not asyncio's own stay as they are."""
    known: Any = loop
    if not isinstance(loop, asyncio.SelectorEventLoop) or not hasattr(known, "_process_self_data"):
        return
    send, read = known._write_to_self, known._process_self_data
    on_its_way = False

    def write() -> None:
        nonlocal on_its_way
        # What is called has been put down before, so that a loop which has yet to read the byte finds it afterwards.
        if not on_its_way:
            on_its_way = True
            send()

    def process(data: bytes) -> None:
        nonlocal on_its_way
        on_its_way = False
        read(data)

    known._write_to_self, known._process_self_data = write, process
