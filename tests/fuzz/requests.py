"""Mutated requests to the HTTP service, of every system and protocol: answered, or refused with a sentence."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

import numpy as np

from engine.tasks.registry import TASKS
from tests.service import test_fuzz as service

KINDS: Final = ("bodies", "headers")
SYSTEMS: Final = tuple(TASKS)
HEADERS: Final = ("content-type", "content-encoding", "authorization", "host", "origin", "accept", "cookie", "x-any")


def prepare(folder: Path, kind: str) -> None:
    """The models are made, and their kernels compiled, by the service's own tests."""
    service.client(SYSTEMS)


def attempt(folder: Path, kind: str, rng: np.random.Generator) -> str:
    chance = random.Random(int(rng.integers(2**32)))
    path, body = chance.choice(service.bodies(SYSTEMS))
    headers = [(b"content-type", b"application/json")]
    if kind == "headers":
        letters = "".join(chr(chance.randrange(32, 127)) for _ in range(chance.randrange(40)))
        odd = (*service.ODD_HEADERS, letters)
        headers = [(chance.choice(HEADERS).encode(), chance.choice(odd).encode()) for _ in range(2)]
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
    else:
        content = service.mutated(body, chance)
    answer = service.client(SYSTEMS).post(path, content=content, headers=headers)
    service.check(answer)
    return "works" if answer.status_code < 400 else "refused"
