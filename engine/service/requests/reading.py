"""Reading the bodies of requests, within the limits on size and time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import IO, Final

import anyio
from starlette.requests import ClientDisconnect, Request

from engine.service.requests.limits import Limits
from engine.service.requests.replies import TOO_LARGE, UNREADABLE, WRONG_TYPE, Refused

IN_MEMORY: Final = 4 << 20
"""Bytes of a batch that are buffered in memory; larger batches are buffered on disk."""
TIMED_OUT: Final = 408


async def body_of(request: Request, limits: Limits) -> bytes:
    chunks: list[bytes] = []
    await _read(request, limits.body, limits.seconds, chunks.append)
    return b"".join(chunks)


class Batch:
    """The lines of a batch. All are read before the first answer is sent: otherwise, a client that reads nothing before
    it has sent everything would block."""

    def __init__(self, limits: Limits) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)
        self._limits = limits
        self._number = 0

    async def fill(self, request: Request) -> None:
        try:
            await _read(request, self._limits.batch, 10 * self._limits.seconds, self._file.write)
        except BaseException:
            self.close()
            raise
        self._file.seek(0)

    def next(self, most: int) -> list[tuple[int, bytes]]:
        """The next lines that are not blank, at most `most`, with their numbers from 1; none at the end."""
        found: list[tuple[int, bytes]] = []
        while len(found) < most and (line := self._file.readline(self._limits.line + 1)):
            self._number += 1
            if len(line) > self._limits.line:
                raise Refused(TOO_LARGE, f"line {self._number} is longer than {self._limits.line} bytes")
            if line.strip():
                found.append((self._number, line))
        return found

    def close(self) -> None:
        self._file.close()


async def _read(request: Request, most: int, seconds: float, take: Callable[[bytes], object]) -> None:
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() not in ("identity", ""):
        raise Refused(WRONG_TYPE, "a compressed body is not read; send it as it is")
    stated = request.headers.get("content-length", "0")
    if stated.isascii() and stated.isdigit() and int(stated[:20]) > most:
        raise _too_large(most)
    size = 0
    try:
        with anyio.fail_after(seconds):
            async for chunk in request.stream():
                size += len(chunk)
                if size > most:
                    raise _too_large(most)
                take(chunk)
    except TimeoutError:
        raise Refused(TIMED_OUT, f"the request did not arrive within {seconds:g} seconds") from None
    except ClientDisconnect:
        raise Refused(UNREADABLE, "the client left before its request was complete") from None


def _too_large(most: int) -> Refused:
    return Refused(TOO_LARGE, f"the body is larger than {most} bytes; send less at once, or JSON lines")
