"""Requests that wait for a worker at the same time are combined into one job: computing features and inference for
sixteen short documents at once takes about half the time that it takes one by one. A single request never waits for
others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from engine.service.models.loading import HELD, Loaded, ModelFile
from engine.service.models.pool import Pool, guarded
from engine.service.requests.replies import Ask, Refused, Reply

MOST: Final = 16
"""Largest number of requests in one job."""
MOST_BYTES: Final = 64 << 10
"""Largest total size of their bodies. Long requests gain nothing from being combined and would delay the others."""

Answerers: TypeAlias = Callable[[Loaded, Sequence[Ask]], list[Reply]]
"""Replies to several requests, in order. A function at module level, so that it can be sent to other processes."""
_Waiting: TypeAlias = tuple[Ask, asyncio.Future[Reply]]


class Together:
    """Queues of requests for the workers of a pool, one for each model; used from one event loop."""

    def __init__(self, pool: Pool, answerers: Answerers) -> None:
        self._pool, self._answerers = pool, answerers
        self._line: dict[ModelFile, deque[_Waiting]] = {}
        self._working: set[asyncio.Task[None]] = set()

    async def answer(self, file: ModelFile, ask: Ask) -> Reply:
        """The reply to one request, or Refused if a limit is exceeded."""
        self._pool.check()
        self._pool.busy += 1
        reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._line.setdefault(file, deque()).append((ask, reply))
        self._begin()
        done, _ = await asyncio.wait([reply], timeout=self._pool.limits.seconds)
        if not done:
            reply.cancel()
            raise self._pool.too_slow()
        return reply.result()

    def _begin(self) -> None:
        """Start jobs for waiting requests while there are free workers."""
        while self._line and len(self._working) < self._pool.width:
            file = next(iter(self._line))
            if taken := self._take(file):
                job = asyncio.create_task(self._work(file, taken))
                self._working.add(job)
                job.add_done_callback(self._ended)

    def _take(self, file: ModelFile) -> list[_Waiting]:
        """Take the first waiting requests for a model off its queue, without those that have timed out."""
        line, size = self._line[file], 0
        taken: list[_Waiting] = []
        while line and len(taken) < MOST and (not taken or size + len(line[0][0].body) <= MOST_BYTES):
            ask, reply = line.popleft()
            if reply.done():
                self._pool.busy -= 1
            else:
                taken.append((ask, reply))
                size += len(ask.body)
        if not line:
            del self._line[file]
        return taken

    async def _work(self, file: ModelFile, taken: Sequence[_Waiting]) -> None:
        asks = [ask for ask, _ in taken]
        self._pool.busy -= len(asks)  # from here on, the pool counts them itself
        try:
            replies = await self._pool.run(answered_together, self._answerers, file, asks, requests=len(asks))
        except Refused as error:
            for _, reply in taken:
                if not reply.done():
                    reply.set_exception(error)
            return
        for (_, reply), found in zip(taken, replies, strict=True):
            if not reply.done():
                reply.set_result(found)

    def _ended(self, job: asyncio.Task[None]) -> None:
        self._working.discard(job)
        self._begin()


def answered_together(answerers: Answerers, file: ModelFile, asks: Sequence[Ask]) -> list[Reply]:
    """In a worker: the replies to several requests."""
    found = guarded(_with_model, answerers, file, asks)
    return [found] * len(asks) if isinstance(found, Reply) else found


def _with_model(answerers: Answerers, file: ModelFile, asks: Sequence[Ask]) -> list[Reply]:
    return answerers(HELD.get(file), asks)
