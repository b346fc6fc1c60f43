"""Tests an uploaded model in a separate process before it becomes a run.

python -m ui.background.trial WORKSPACE MODEL

The child reads the file with bounded memory, checks it, and decides a document with it. It writes one JSON object: the
contents of the header, or why the model is refused. A crash of the child does not affect the server.
"""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from engine import corpora
from engine.data.document import Document
from engine.data.errors import InputError
from engine.store import modelfile
from engine.tasks import registry
from engine.tasks.saving import load_model
from ui.background import files, first

MOST_BYTES: Final = 1 << 30
"""Maximum unpacked size of an uploaded model, in bytes."""
MOST_MEMORY: Final = 12 << 30
"""Limit of the child's address space, most of which is taken by libraries that are mapped but never touched."""
PATIENCE: Final = 300.0
"""Time limit of a trial in seconds; the first model takes longest, because kernels are compiled."""

_ROOT: Final = Path(__file__).resolve().parents[2]


def attempt(workspace: Path, path: Path) -> dict[str, Any]:
    """The header of the model: task, learner, settings, bias, scores, data_hash. InputError if the model cannot become
    a run."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])),
    }
    command = [sys.executable, "-m", "ui.background.trial", str(workspace), str(path)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the model took more than {PATIENCE:.0f} s over one document", file=path) from None
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise InputError("the model broke the process that tried it", file=path) from None
    if "refused" in told:
        raise InputError(told["refused"], file=path)
    return told


def main(workspace: str, model: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        told = _tried(Path(workspace), Path(model))
    except InputError as error:
        told = {"refused": error.what}
    print(json.dumps(told))
    return 0


def _tried(workspace: Path, path: Path) -> dict[str, Any]:
    header, parts = modelfile.read(path, MOST_BYTES)
    name = header.get("task")
    if name not in registry.names():
        raise InputError(f"this model is for {name!r}, which is not a system here"[:200])
    task = registry.get(name)
    if not all(files.is_allowed(workspace, place) for place in task.opens(parts)):
        raise InputError(
            "the model's lexicon is not in its file, and it names one elsewhere on this machine; ask the administrator"
            " to put that lexicon into the directory of files and train it here"
        )
    loaded = load_model(task, path, most_bytes=MOST_BYTES)
    for document in _documents(name):
        scored = task.score([document], loaded)
        task.decide(scored)
        task.trace(scored)
    about = {field: getattr(loaded, field) for field in ("task", "learner", "bias", "scores", "data_hash")}
    return {**about, "settings": dataclasses.asdict(loaded.settings)}


def _documents(task: str) -> list[Document]:
    """One document to test a model with, if the system has samples."""
    samples = first.sample_files(task)
    path = samples.get("dev") or samples.get("train")
    return list(corpora.read(path))[:1] if path else []


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
