"""What the server holds of visitors who have left, counted in its own process.

python -m tests.trials.leaving --workspace FOLDER [--visitors 20] [--turns 4]

Visitors without a window (tests/trials/visitor.py) come, work and leave, in several turns; after each, the sessions
that are still in memory are counted, and its size is given. Prints one line of JSON a turn.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from tests.browser.conftest import free_port
from tests.trials.people import PAGES, first_visit, offers
from tests.trials.visitor import Visitor
from ui.server import freeing, serve

COUNTED: Final = ("AppSession", "ScriptRunner", "SessionState")
"""Streamlit's objects of which every session has some."""
VISITS, ACTIONS = 2, 4


async def turn(address: str, visitors: int, seed: int) -> None:
    """So many visitors at the same time: each opens pages and acts there."""

    async def visit(number: int) -> None:
        chance, visitor = random.Random(1000 * seed + number), Visitor(f"person{number}")
        for _ in range(VISITS):
            await visitor.opened(address, chance.choice(PAGES), f"user=person{number}")
            for _ in range(ACTIONS):
                if found := offers(visitor, chance):
                    await found[chance.choice(list(found))]()
        await visitor.close()

    await asyncio.gather(*(visit(number) for number in range(visitors)))


def held() -> dict[str, object]:
    """What is in memory now; frozen objects are counted, too, so this may follow `give_back` only."""
    gc.unfreeze()
    kinds = Counter(type(one).__name__ for one in gc.get_objects())
    return {**{name: kinds[name] for name in COUNTED}, "MB": round(psutil.Process().memory_info().rss / 1e6)}


def let_go() -> None:
    """As if two minutes had passed."""
    storage = freeing.manager()._session_storage._cache
    for id in list(storage._expirations):
        storage._expirations[id] = 0.0


def visited(address: str, visitors: int, turns: int) -> None:
    """Beside the server, which is told to end in any case."""
    try:
        wait_for(address)
        asyncio.run(first_visit(address))
        for number in range(turns):
            asyncio.run(turn(address, visitors, number))
            let_go()
            freeing.sessions()
            freeing.give_back()
            print(json.dumps(held()), flush=True)
    finally:
        os.kill(os.getpid(), signal.SIGINT)


def wait_for(address: str) -> None:
    while True:
        try:
            urlopen(f"{address}/_stcore/health", timeout=2).close()
            return
        except (URLError, OSError):
            threading.Event().wait(0.1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--turns", type=int, default=4)
    args = parser.parse_args()
    os.environ["ESPALIER_WORKSPACE"], os.environ["ESPALIER_SAMPLES"] = str(args.workspace), "off"
    port = free_port()
    beside = threading.Thread(target=visited, args=(f"http://127.0.0.1:{port}", args.visitors, args.turns), daemon=True)
    beside.start()
    return serve.serve("127.0.0.1", str(port), serve.MAKE)


if __name__ == "__main__":
    sys.exit(main())
