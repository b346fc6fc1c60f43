"""Batches of JSON lines: a few blocks of lines are handled at a time, and answers are sent in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

from engine.service.models.loading import HELD, ModelFile
from engine.service.models.pool import Pool, failure
from engine.service.requests.limits import Limits
from engine.service.requests.reading import Batch
from engine.service.requests.replies import Refused, refusal
from engine.service.rest import replying

BLOCK: Final = 16
"""Lines in one job."""


async def answers(
    pool: Pool, file: ModelFile, batch: Batch, query: Mapping[str, str], counted: Callable[[int], None]
) -> AsyncIterator[bytes]:
    """The answers to a batch. An error ends it with a line that says so, since the status has already been sent."""
    jobs: deque[tuple[int, asyncio.Task[bytes]]] = deque()
    try:
        while True:
            while len(jobs) < pool.width and (lines := batch.next(BLOCK)):
                job = pool.run(block, file, lines, query, pool.limits)
                jobs.append((len(lines), asyncio.create_task(job)))
            if not jobs:
                return
            size, job_done = jobs.popleft()
            yield await job_done
            counted(size)
    except Refused as error:
        yield refusal(error.status, error.message).content + b"\n"
    finally:
        for _, job_left in jobs:
            job_left.cancel()
        batch.close()


def block(file: ModelFile, lines: list[tuple[int, bytes]], query: Mapping[str, str], limits: Limits) -> bytes:
    """In a worker: the answers to some lines."""
    try:
        return replying.predict_lines(HELD.get(file), lines, query, limits).encode("utf-8")
    except Exception:  # noqa: BLE001  (clients must not see internal details)
        return failure().content + b"\n"
