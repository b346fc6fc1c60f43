"""Tries mutants of one subject in a child process, which names each before it tries it: when the child dies, it is
known at which.

A subject is a module of this folder with `KINDS`, `prepare(folder, kind)`, which makes what is mutated where it is
not there yet, and `attempt(folder, kind, rng)`, which makes one mutant, tries it, and says "works" or "refused".
Whatever it raises is a fault.
"""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, cast

import numpy as np

ROOT: Final = Path(__file__).resolve().parents[2]
SUBJECTS: Final = ("models", "files", "scores", "constraints", "requests")
PATIENCE: Final = 240.0
"""Seconds without a word from the child after which it counts as hanging; compiling kernels takes a while."""
AT_FIRST: Final = 1200.0
"""The same for its first words: models may have to be trained before anything is tried."""
EVERY: Final = 200
"""After so many mutants the child says how much memory it holds."""


class Subject(Protocol):
    KINDS: Sequence[str]

    def prepare(self, folder: Path, kind: str) -> None: ...

    def attempt(self, folder: Path, kind: str, rng: np.random.Generator) -> str: ...


def subject_of(name: str) -> Subject:
    return cast(Subject, import_module(f"tests.fuzz.{name}"))


@dataclass
class Findings:
    """How mutants ended, a line for each that must not end so, and the child's memory along the way in MB."""

    endings: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def growth(self) -> float:
        """Memory at the end over memory after the first third, when everything has been loaded once."""
        return self.memory[-1] / self.memory[len(self.memory) // 3] if len(self.memory) > 5 else 1.0


@dataclass(frozen=True)
class Plan:
    subject: str
    folder: Path
    number: int
    seed: int = 0
    kinds: tuple[str, ...] = ()

    def command(self, first: int) -> list[str]:
        options = ["--subjects", self.subject, "--child", str(self.folder), "--first", str(first)]
        kinds = ["--kinds", *self.kinds] if self.kinds else []
        return [sys.executable, "-m", "tests.fuzz", *options, f"--number={self.number}", f"--seed={self.seed}", *kinds]


def child(plan: Plan, first: int) -> None:
    """Try mutants from `first` on; one line on standard output before each, and one after."""
    subject = subject_of(plan.subject)
    kinds = plan.kinds or tuple(subject.KINDS)
    for kind in kinds:
        subject.prepare(plan.folder, kind)
    for at in range(first, plan.number):
        kind = kinds[at % len(kinds)]
        print(json.dumps([at, f"{plan.subject} {plan.seed}:{at} ({kind})"]), flush=True)
        try:
            ending: Any = subject.attempt(plan.folder, kind, np.random.default_rng([plan.seed, at]))
        except Exception as error:  # noqa: BLE001  what is looked for is exactly what nobody expects
            ending = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(ending), flush=True)
        if at % EVERY == 0:
            print(json.dumps({"memory": _memory()}), flush=True)


def run(plan: Plan) -> Findings:
    found = Findings()
    at = 0
    while at < plan.number:
        process = subprocess.Popen(
            plan.command(at), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, text=True
        )
        trying = ""
        for line in _lines(process):
            told = json.loads(line)
            if isinstance(told, list):
                at, trying = told
            elif isinstance(told, dict):
                found.memory.append(told["memory"])
                print(f"{plan.subject}: {at} of {plan.number}, {len(found.faults)} faults", file=sys.stderr, flush=True)
            else:
                _count(found, trying, told)
                trying, at = "", at + 1
        process.wait()
        if trying:
            found.endings["crash or hang"] += 1
            found.faults.append(f"{trying}: {'hangs' if process.returncode == -9 else process.returncode}")
            at += 1
        elif process.returncode:
            raise RuntimeError(f"the child ended with {process.returncode} before it tried anything")
    return found


def _count(found: Findings, trying: str, ending: str) -> None:
    if ending in ("works", "refused"):
        found.endings[ending] += 1
    else:
        found.endings["other exception"] += 1
        found.faults.append(f"{trying}: {ending}")


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """What the child says; it is killed when it has nothing to say for too long."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        left = AT_FIRST
        while True:
            # Second by second: time in which both processes were stopped, or the machine slept, does not count.
            if not selector.select(1.0):
                left -= 1.0
                if left <= 0:
                    process.kill()
                    return
                continue
            line = process.stdout.readline()
            if not line:
                return
            yield line
            left = PATIENCE


def _memory() -> float:
    """MB that this process holds now; 0 where the system does not say."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return 0.0
    line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024
