"""The event loop is woken as often as needed: once for all that waits, and for everything that comes later."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from ui.server.waking import wake_once


def _noted(loop: Any) -> list[bytes]:
    """The bytes that wake the loop."""
    sent: list[bytes] = []
    socket = loop._csock

    class Noting:
        def send(self, data: bytes) -> int:
            sent.append(data)
            return int(socket.send(data))

        def close(self) -> None:
            socket.close()

    loop._csock = Noting()
    return sent


def test_what_is_put_down_while_the_loop_works_wakes_it_once() -> None:
    async def work() -> tuple[list[int], int]:
        loop = asyncio.get_running_loop()
        wake_once(loop)
        sent, done, all_done = _noted(loop), [], asyncio.Event()

        def put_down() -> None:
            for number in range(50):
                loop.call_soon_threadsafe(done.append, number)
            loop.call_soon_threadsafe(all_done.set)

        thread = threading.Thread(target=put_down)
        thread.start()
        thread.join()  # the loop works meanwhile, and reads nothing
        await asyncio.wait_for(all_done.wait(), 20)
        return done, len(sent)

    done, n_sent = asyncio.run(work())
    assert (done, n_sent) == (list(range(50)), 1)


def test_a_loop_that_sleeps_is_woken_again_and_again() -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        wake_once(loop)
        asked, answered = threading.Semaphore(0), asyncio.Queue[int]()

        def answer() -> None:
            for number in range(200):
                asked.acquire()
                loop.call_soon_threadsafe(answered.put_nowait, number)

        thread = threading.Thread(target=answer)
        thread.start()
        for number in range(200):
            asked.release()
            # Without a byte for each, the loop would sleep until the time is over.
            assert await asyncio.wait_for(answered.get(), 20) == number
        thread.join()

    asyncio.run(work())


def test_many_threads_at_once_are_all_heard() -> None:
    async def work() -> set[int]:
        loop = asyncio.get_running_loop()
        wake_once(loop)
        heard: set[int] = set()
        all_heard = asyncio.Event()

        def hear(number: int) -> None:
            heard.add(number)
            if len(heard) == 8 * 500:
                all_heard.set()

        def say(first: int) -> None:
            for number in range(first, first + 500):
                loop.call_soon_threadsafe(hear, number)

        threads = [threading.Thread(target=say, args=(500 * i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        await asyncio.wait_for(all_heard.wait(), 60)
        for thread in threads:
            thread.join()
        return heard

    assert len(asyncio.run(work())) == 4000
