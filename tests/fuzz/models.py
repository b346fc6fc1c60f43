"""Mutated model files: each must be refused with an InputError or work; nothing else may happen, least of all a crash.

python -m tests.fuzz.models --number 100000 [--seed 0]     # `make fuzz`

Mutants are tried in a child, which names each before it tries it: when the child dies, it is known at which.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import selectors
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.corpora import read
from engine.data.errors import InputError
from engine.tasks.base import Resources
from engine.tasks.registry import get
from engine.tasks.saving import load_model, save_model
from tests.fuzz import mutation

ROOT: Final = Path(__file__).resolve().parents[2]
SAMPLES: Final = ROOT / "sample_data"
KINDS: Final[Mapping[str, tuple[str, str, Mapping[str, Any]]]] = {
    "linking-linear": ("linking", "perceptron", {"n_rounds": 1, "folds": 0}),
    "linking-quadratic": ("linking", "poly-ssvm", {"n_rounds": 2, "folds": 0}),
    "linking-network": ("linking", "lambdarank", {"n_rounds": 1, "folds": 0}),
    "linking-trees": ("linking", "mart", {"trees": 3, "rate": 0.3, "min_leaf": 10, "folds": 0, "linear": False}),
    "linking-two-stages": ("linking", "s-mart-2", {"trees": 3, "rate": 0.3, "min_leaf": 10, "folds": 2}),
    "disambiguation-local": ("disambiguation", "local", {"trees": 2, "check_every": 1}),
    "disambiguation-bsg": ("disambiguation", "bsg", {"trees": 2, "check_every": 1}),
    "coreference-local": ("coreference", "baseline", {"n_rounds": 1}),
    "coreference-nonlocal": ("coreference", "laso", {"n_rounds": 1}),
    "distant": ("distant", "hoffmann", {"n_rounds": 1}),
    "joint": ("joint", "lp", {"winnow_rounds": 1, "folds": 2}),
}
"""One model for every kind of scorer and state that there is."""

PARTS: Final = {
    "linking": "score",
    "disambiguation": "entity",
    "coreference": "score",
    "distant": "member_scores",
    "joint": "type_score",
}
"""The column of each system's scored corpus that is as long as its parts."""

PATIENCE: Final = 240.0
"""Seconds without a word from the child after which it counts as hanging; compiling kernels takes a while."""


def make(folder: Path, kind: str) -> Path:
    """A small sound model of this kind, trained where it is not there yet."""
    path = folder / f"{kind}.zip"
    if not path.is_file():
        name, learner, changes = KINDS[kind]
        task = get(name)
        lexicon = (SAMPLES / "linking" / "lexicon",) if name in ("linking", "disambiguation") else ()
        constraints = SAMPLES / "joint" / "constraints.toml" if name == "joint" else None
        train = read(next((SAMPLES / name).glob("train.*")))[:24]
        settings = dataclasses.replace(task.learner(learner).settings, **changes)
        *_, last = task.rounds(train, [], learner, settings, Resources(lexicon=lexicon, constraints=constraints))
        save_model(task, last.model, path)
    return path


def attempt(path: Path, name: str) -> str:
    """Load the model and do with it what a page does with one document; how that ended."""
    task = get(name)
    document = read(next((SAMPLES / name).glob("dev.*")))[0]
    try:
        model = load_model(task, path)
        scored = task.score([document], model)
        task.decide(scored)
        task.trace(scored)
        task.features(model)
        if len(getattr(scored, PARTS[name])):
            task.explain(scored, model, 0)
    except InputError:
        return "refused"
    return "works"


def mutants(kinds: Mapping[str, Path], number: int, seed: int) -> Iterator[tuple[str, str, bytes]]:
    """(its name, the kind of model, the file) of so many mutants; the same for the same seed."""
    names = list(kinds)
    for i in range(number):
        rng = np.random.default_rng([seed, i])
        kind = names[i % len(names)]
        yield f"{seed}:{i}", kind, mutation.of_file(kinds[kind], rng)


def child(folder: Path, kinds: list[str], first: int, number: int, seed: int) -> None:
    """Try mutants from `first` on; one line on standard output before each, and one after."""
    files = {kind: make(folder, kind) for kind in kinds}
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "mutant.zip"
        for at, (name, kind, content) in enumerate(mutants(files, number, seed)):
            if at < first:
                continue
            print(json.dumps([at, name, kind]), flush=True)
            path.write_bytes(content)
            try:
                ending = attempt(path, KINDS[kind][0])
            except Exception as error:  # noqa: BLE001  what is looked for is exactly what nobody expects
                ending = f"{type(error).__name__}: {error}"[:300]
            print(json.dumps(ending), flush=True)


def run(folder: Path, kinds: list[str], number: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Endings by how often they came, and a line for each that must not be."""
    for kind in kinds:
        make(folder, kind)
    endings: Counter[str] = Counter()
    faults: list[str] = []
    at = 0
    while at < number:
        command = [sys.executable, "-m", "tests.fuzz.models", "--child", str(folder), "--first", str(at)]
        command += ["--number", str(number), "--seed", str(seed), "--kinds", *kinds]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT, text=True)
        trying = ""
        for line in _lines(process):
            told = json.loads(line)
            if isinstance(told, list):
                at, trying = told[0], f"{told[1]} ({told[2]})"
                continue
            endings["works" if told == "works" else "refused" if told == "refused" else "other exception"] += 1
            if told not in ("works", "refused"):
                faults.append(f"{trying}: {told}")
            trying = ""
            at += 1
        process.wait()
        if trying:
            ending = "hangs" if process.returncode == -9 else f"ends with {process.returncode}"
            endings["crash or hang"] += 1
            faults.append(f"{trying}: {ending}")
            at += 1
        elif process.returncode:
            raise RuntimeError(f"the child ended with {process.returncode} before it tried anything")
    return endings, faults


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """What the child says; it is killed when it has nothing to say for too long."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(PATIENCE):
                process.kill()
                return
            line = process.stdout.readline()
            if not line:
                return
            yield line


def main() -> int:
    parser = argparse.ArgumentParser(description="Try mutated model files.")
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--child", type=Path)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.kinds, args.first, args.number, args.seed)
        return 0
    with tempfile.TemporaryDirectory(prefix="espalier-fuzz-") as folder:
        endings, faults = run(Path(folder), args.kinds, args.number, args.seed)
    for fault in faults[:50]:
        print(fault)
    print(f"{args.number} mutated models: " + ", ".join(f"{n} {what}" for what, n in sorted(endings.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
