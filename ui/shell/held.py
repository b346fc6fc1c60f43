"""Values that all visitors share, by the arguments they were made from, found in a microsecond.

`st.cache_resource` computes a digest of all arguments, which takes a millisecond, and a click looks up fifty values: a
third of the server's work on a click was that. Here the arguments, short strings and numbers, are the key themselves.
Streamlit still lets one visitor compute what several want at the same time, and shows the spinner.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import update_wrapper
from threading import Lock
from typing import Final, Generic, ParamSpec, Protocol, TypeVar

import streamlit as st

P = ParamSpec("P")
T = TypeVar("T")


class Clearable(Protocol):
    """Something that keeps values, and can let go of them."""

    def clear(self) -> None: ...


C = TypeVar("C", bound=Clearable)
_brief: Final[list[Clearable]] = []


def brief(one: C) -> C:
    """Have this let go of its values while nobody is there; also a decorator for what `st.cache_resource` keeps."""
    _brief.append(one)
    return one


def held(most: int, spinner: str | bool = False, *, lasting: bool = True) -> Callable[[Callable[P, T]], Held[P, T]]:
    """A decorator for functions of hashable arguments: the results used last are kept, `most` of them, and while
    nobody is there only those that are `lasting`."""

    def decorated(make: Callable[P, T]) -> Held[P, T]:
        made = Held(make, most, spinner)
        return made if lasting else brief(made)

    return decorated


def forget() -> None:
    """Called when nobody is there."""
    for one in _brief:
        one.clear()


class Held(Generic[P, T]):
    """A function whose results are kept."""

    def __init__(self, make: Callable[P, T], most: int, spinner: str | bool) -> None:
        update_wrapper(self, make)
        self._known: OrderedDict[object, T] = OrderedDict()
        self._guard = Lock()
        self._most = most
        # One entry is enough: what has been computed is kept here.
        self._compute = st.cache_resource(show_spinner=spinner, max_entries=1)(make)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, *kwargs.items())
        with self._guard:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = self._compute(*args, **kwargs)
        with self._guard:
            self._known[key] = made
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return made

    def clear(self) -> None:
        with self._guard:
            self._known.clear()
        self._compute.clear()
