"""Suggestions beside the page: an edit is acknowledged first, with what was suggested before, and decided about later.

Models decide in threads of their own, one after the other; of several questions about a document only the latest waits.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import streamlit as st

from engine.data.edits import State
from engine.store.annotations import LogRow
from engine.workbench.suggestions import Suggestion, settled
from ui.views.annotate.desk import Desk

MOST: Final = 64
"""Documents of which the latest suggestions are kept."""
HEAD_START: Final = 0.05
"""Seconds in which the answer to an edit can leave before deciding takes the processor."""

Offer: TypeAlias = tuple[list[Suggestion], str]
Key: TypeAlias = tuple[object, ...]


@dataclass
class _Asked:
    """What is suggested for one document and, perhaps, what is being decided."""

    version: int = -1
    offer: Offer = field(default_factory=lambda: ([], ""))
    wanted: int = -1
    future: Future[Offer] | None = None


class Offers:
    """The latest suggestions by document, layer, annotator and model."""

    def __init__(self) -> None:
        self._asked: OrderedDict[Key, _Asked] = OrderedDict()
        self._guard = threading.Lock()
        self._workers = ThreadPoolExecutor(max_workers=1, thread_name_prefix="suggest")

    def now(self, desk: Desk, rows: Sequence[LogRow], state: State) -> tuple[Offer, bool]:
        """What is known to be suggested, without what has been said since, and whether that is the last word. Where it
        is not, a decision is under way."""
        version = rows[-1].number if rows else 0
        with self._guard:
            one = self._asked.setdefault(_key(desk), _Asked())
            self._asked.move_to_end(_key(desk))
            while len(self._asked) > MOST:
                self._asked.popitem(last=False)
            self._collect(one)
            if one.version != version and one.wanted != version:
                if one.future is not None:
                    one.future.cancel()
                one.wanted = version
                one.future = self._workers.submit(self._decide, desk, list(rows), state)
            offered, message = one.offer
            fresh = one.version == version
        if fresh:
            return (offered, message), True
        said = settled(state)
        return ([one for one in offered if one.decision not in said], message), False

    @staticmethod
    def _decide(desk: Desk, rows: Sequence[LogRow], state: State) -> Offer:
        time.sleep(HEAD_START)
        return desk.suggestions(rows, state)

    def _collect(self, one: _Asked) -> None:
        if one.future is None or not one.future.done():
            return
        if not one.future.cancelled():
            one.offer, one.version = one.future.result(), one.wanted
        one.future = None


def _key(desk: Desk) -> Key:
    """What suggestions depend on besides the edits; a model is known by what it has learnt, which the cache holds."""
    bias = None if desk.model is None else desk.model.bias
    model = None if desk.model is None else id(desk.model.state)
    return desk.log.corpus, desk.document.id, desk.user, desk.layer, desk.beside, model, bias


@st.cache_resource(show_spinner=False)
def offers() -> Offers:
    return Offers()
