"""Tells whoever asked that kernels are being compiled, which happens once, when they are first used."""

from __future__ import annotations

from collections.abc import Callable

_asked: list[Callable[[], None]] = []


def when_compiling(tell: Callable[[], None]) -> None:
    """Have this called once, when the first kernel is compiled and not read from disk."""
    _asked.append(tell)


def compiling() -> None:
    while _asked:
        _asked.pop()()
