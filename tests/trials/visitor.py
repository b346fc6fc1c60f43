"""A visitor without a window: speaks to the server as Streamlit's page does, so that many fit on one machine.

It keeps what the page would keep (the components on screen and their data, cached messages, the address, fragments
that ask to be drawn again by themselves) and tells what the components would tell.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

PATIENCE: Final = 60.0
"""Seconds after which an action counts as failed."""
WHOLE: Final = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)


class Failed(Exception):
    """An exception is on the page, or nothing came."""


@dataclass
class Component:
    """A component on screen: what it was sent, and how it is spoken to."""

    id: str
    fragment: str
    data: dict[str, object]


class Visitor:
    """One tab. Open it with `opened`, act with `tell`, and leave with `close`."""

    def __init__(self, name: str, *, repeats: bool = True) -> None:
        """`repeats`: whether it asks again by itself where fragments want that."""
        self.components: dict[str, Component] = {}
        self._name, self._repeats = name, repeats
        self._drawing: dict[str, Component] = {}
        self._states: dict[str, str] = {}
        self._cached: dict[str, ForwardMsg] = {}
        self._query = self._page = ""
        self._sequence = self._submissions = self._runs = 0
        self._message: dict[str, object] = {}
        self.words = ""
        """What the page has said since it was last told something."""
        self._drawn = 0
        self._fault = ""
        self._news = asyncio.Event()
        self._socket: ClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._repeating: dict[str, asyncio.Task[None]] = {}

    async def opened(self, address: str, page: str, query: str = "") -> None:
        """Go to a page by its address, as a new tab does."""
        await self.close()
        self.components.clear()
        self._states.clear()
        self._drawn, self._page, self._query = 0, "", query
        self._socket = await connect(
            address.replace("http://", "ws://") + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            additional_headers={"Origin": address},
            max_size=None,
            compression=None,
        )
        self._tasks = [asyncio.create_task(self._listen(self._socket))]
        await self._ask(page=page)
        await self._until(lambda: self._drawn > 0)

    async def tell(self, name: str, action: str, **body: object) -> None:
        """What the component of this name would tell, until it is acknowledged and the page has been drawn."""
        await self.sent(name, action, **body)
        await self._until(lambda: self._heard(name) >= self._sequence)

    async def sent(self, name: str, action: str, **body: object) -> None:
        """The same, until the server has answered, whatever it says."""
        self._sequence += 1
        self._message = {"action": action, "client": self._name, "seq": self._sequence, **body}
        await self._send(name)

    async def again(self, name: str) -> None:
        """The last message once more, as a page does where it was not acknowledged."""
        await self._send(name)
        await self._until(lambda: self._heard(name) >= self._sequence)

    async def _send(self, name: str) -> None:
        component, runs = self.components[name], self._runs
        self._submissions += 1
        told = {"submission": self._submissions, "holds": component.data.get("stamp"), "queue": [self._message]}
        self.words = ""
        await self._ask(fragment=component.fragment, states={component.id: json.dumps({"messages": told})})
        await self._until(lambda: self._runs > runs)

    async def close(self) -> None:
        for task in (*self._tasks, *self._repeating.values()):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._repeating.values(), return_exceptions=True)
        self._tasks, self._repeating = [], {}
        if self._socket is not None:
            await self._socket.close()
            self._socket = None

    def _heard(self, name: str) -> int:
        component = self.components.get(name)
        answer = component.data.get("messages") if component else None
        ack = answer["ack"] if isinstance(answer, dict) else {}
        return int(ack.get(self._name, 0))

    async def _until(self, happened: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not self._fault and not happened():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), until - time.monotonic())
            except TimeoutError:
                raise Failed("no answer") from None
        if self._fault:
            fault, self._fault = self._fault, ""
            raise Failed(fault)

    async def _ask(
        self, *, page: str = "", fragment: str = "", states: Mapping[str, str] | None = None, is_auto: bool = False
    ) -> None:
        asked = BackMsg()
        wanted = asked.rerun_script
        wanted.query_string, wanted.page_script_hash, wanted.page_name = self._query, self._page, page
        wanted.fragment_id, wanted.is_auto_rerun = fragment, is_auto
        wanted.cached_message_hashes.extend(self._cached)
        # All that is on screen, not only what is new: the server joins requests that wait, and keeps the later states.
        self._states.update(states or {})
        here = {component.id for component in (*self.components.values(), *self._drawing.values())}
        for id, value in self._states.items():
            if id in here:
                state = wanted.widget_states.widgets.add()
                state.id, state.json_value = id, value
        assert self._socket is not None
        await self._socket.send(asked.SerializeToString())

    async def _listen(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            async for part in socket:
                assert isinstance(part, bytes)
                self._hear(ForwardMsg.FromString(part))
        self._fault = "the server has closed the connection"
        self._news.set()

    def _hear(self, told: ForwardMsg) -> None:
        if told.WhichOneof("type") == "ref_hash":
            known = ForwardMsg.FromString(self._cached[told.ref_hash].SerializeToString())
            known.metadata.CopyFrom(told.metadata)
            told = known
        elif told.metadata.cacheable:
            self._cached[told.hash] = told
        kind = told.WhichOneof("type")
        if kind == "delta":
            self._draw(told)
        elif kind == "new_session" and not told.metadata.run.fragment_ids:
            self._drawing = {}
            for task in self._repeating.values():
                task.cancel()
            self._repeating = {}
        elif kind == "navigation":
            self._page = told.navigation.page_script_hash
        elif kind == "page_info_changed":
            self._query = told.page_info_changed.query_string
        elif kind == "auto_rerun":
            self._repeat(told.auto_rerun.fragment_id, told.auto_rerun.interval)
        elif kind == "script_finished":
            if told.script_finished in WHOLE:
                self.components = self._drawing
                self._drawn += 1
            self._runs += 1
            self._news.set()

    def _draw(self, told: ForwardMsg) -> None:
        element = told.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            self._fault = f"{element.exception.type}: {element.exception.message}"[:200]
        elif kind in ("heading", "text", "markdown", "alert"):
            self.words += f"{getattr(element, kind).body}\n"
        elif kind == "bidi_component":
            one = element.bidi_component
            name = one.component_name.rpartition("espalier_")[2]
            data = json.loads((one.mixed.json if one.WhichOneof("data") == "mixed" else one.json) or "{}")
            before = self._drawing.get(name) or self.components.get(name)
            made = Component(one.id, told.delta.fragment_id, _together(before.data if before else {}, data))
            self._drawing[name] = made
            if told.delta.fragment_id:
                self.components[name] = made

    def _repeat(self, fragment: str, interval: float) -> None:
        async def again() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._ask(fragment=fragment, is_auto=True)

        if self._repeats and fragment not in self._repeating:
            self._repeating[fragment] = asyncio.create_task(again())


def _together(before: dict[str, object], data: dict[str, object]) -> dict[str, object]:
    """The data of a component, where it was sent only what changed (ui/components/editor/received.js)."""
    fields = data.get("fields")
    if data.get("over") is None or not isinstance(fields, dict):
        return data
    rest = {name: value for name, value in data.items() if name not in ("fields", "lists", "missing")}
    return {**before, **fields, **rest}
