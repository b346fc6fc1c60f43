"""The workers that handle requests: threads of this process or separate processes, so that the event loop stays free.

The numerical kernels release Python's global lock, so threads are enough for a light load; `--workers N` starts N
processes, each with the models in its own memory. When a job exceeds the time limit, its client gets an error at once,
but the job keeps its worker until it ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeAlias, TypeVar

from engine import logs
from engine.data.errors import InputError
from engine.service.models.loading import HELD, Loaded, ModelFile
from engine.service.models.predicting import rehearse
from engine.service.requests.limits import Limits
from engine.service.requests.replies import FAILED, OVERLOADED, TOO_SLOW, WRONG, Ask, Refused, Reply, refusal
from engine.structures.base import Infeasible
from engine.threads import one_per_process

THREADS: Final = 4
WARMING: Final = 120.0
"""Longest time, in seconds, to wait for all workers to start."""
log = logs.get("serve")

R = TypeVar("R")
Answerer: TypeAlias = Callable[[Loaded, Ask], Reply]
"""Handles one kind of request. A function at module level, so that it can be sent to other processes."""


class Pool:
    """Runs functions in a limited number of workers; used from one event loop."""

    def __init__(self, workers: int, limits: Limits, files: Sequence[ModelFile] = ()) -> None:
        self.workers, self.limits, self._files = workers, limits, tuple(files)
        self.busy = 0
        """Number of requests that are being handled or waiting."""
        self._executor = self._made()

    def _made(self) -> Executor:
        if self.workers == 1:
            return ThreadPoolExecutor(THREADS, thread_name_prefix="decide")
        spawning = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.workers, mp_context=spawning, initializer=_begin, initargs=(self._files,))

    @property
    def width(self) -> int:
        """How many jobs can run at the same time."""
        return THREADS if self.workers == 1 else self.workers

    def warm(self) -> None:
        """Wait until every worker has loaded the models and made a first prediction, so that no request has to."""
        if self.workers == 1:
            _rehearse(self._files)
            return
        seen: set[int] = set()
        until = time.monotonic() + WARMING
        while len(seen) < self.workers and time.monotonic() < until:
            jobs = [self._executor.submit(_who) for _ in range(self.workers)]
            seen.update(job.result() for job in jobs)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def check(self) -> None:
        """Raise Refused if too many requests are being handled or waiting."""
        if self.busy >= self.limits.waiting:
            raise Refused(OVERLOADED, f"{self.busy} requests are in progress or waiting; try again in a moment")

    async def answer(self, answerer: Answerer, file: ModelFile, ask: Ask) -> Reply:
        """The reply to one request, or Refused if a limit is exceeded."""
        self.check()
        return await self.run(answered, answerer, file, ask)

    async def run(self, function: Callable[..., R], *arguments: object, requests: int = 1) -> R:
        """The result of a function that a worker runs; the job counts as this many requests."""
        try:
            job: Future[R] = self._executor.submit(function, *arguments)
        except BrokenProcessPool:
            self._renew()
            job = self._executor.submit(function, *arguments)
        self.busy += requests
        loop = asyncio.get_running_loop()
        job.add_done_callback(lambda _: _soon(loop, lambda: self._end(requests)))
        waiting = asyncio.wrap_future(job)
        done, _ = await asyncio.wait([waiting], timeout=self.limits.seconds)
        if not done:
            job.cancel()
            raise self.too_slow()
        try:
            return waiting.result()
        except BrokenProcessPool:
            self._renew()
            raise Refused(OVERLOADED, "a worker was lost over this request; it has been replaced, try again") from None

    def too_slow(self) -> Refused:
        return Refused(TOO_SLOW, f"not answered within {self.limits.seconds:g} seconds; send less at once")

    def _end(self, requests: int) -> None:
        self.busy -= requests

    def _renew(self) -> None:
        self._executor.shutdown(wait=False)
        self._executor = self._made()


def _begin(files: Sequence[ModelFile]) -> None:
    """In a new process."""
    logs.to_stderr()
    one_per_process()
    _rehearse(files)


def _rehearse(files: Sequence[ModelFile]) -> None:
    for file in files:
        try:
            rehearse(HELD.get(file))
        except InputError as error:
            # The model needs more than a plain sentence; what is missing is loaded by the first request.
            logs.event(log, "a model was not rehearsed", system=file.system, reason=error.what)
        except Exception:  # noqa: BLE001  (requests may still work; the log has the details)
            logs.trouble(log, "a model failed at its rehearsal", system=file.system)


def _who() -> int:
    """The process id of the worker that runs this job, which takes long enough for the other workers to get one too."""
    time.sleep(0.05)
    return os.getpid()


def _soon(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(action)


def answered(answerer: Answerer, file: ModelFile, ask: Ask) -> Reply:
    """In a worker: the reply of a function that needs a model."""
    return guarded(_with_model, answerer, file, ask)


def _with_model(answerer: Answerer, file: ModelFile, ask: Ask) -> Reply:
    return answerer(HELD.get(file), ask)


def guarded(function: Callable[..., R], *arguments: object) -> R | Reply:
    """In a worker: the result of a function, or a reply that says what is wrong with the request. Internal errors are
    logged, and the client does not see their details."""
    try:
        return function(*arguments)
    except Refused as error:
        return refusal(error.status, error.message, error.field)
    except InputError as error:
        # Not str(error), which may name a file.
        return refusal(WRONG, error.what, error.field)
    except Infeasible as error:
        return refusal(WRONG, str(error))
    except Exception:  # noqa: BLE001  (clients must not see internal details)
        return failure()


def failure() -> Reply:
    """The reply to a request that failed because of an internal error."""
    return refusal(FAILED, fault())


def fault() -> str:
    """Log the exception that is being handled; the message for the client has the number to look for in the log."""
    number = uuid.uuid4().hex[:8]
    logs.trouble(log, "a request failed", failure=number)
    return f"this is our fault; the log of the server says more under failure {number}"
