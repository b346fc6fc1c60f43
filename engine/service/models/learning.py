"""Training on annotations that users of other tools have made, in a separate process, one training at a time.

The process runs the command `train` with the learner and the settings of the model that is being served. Its model then
replaces that one in the server; the file named on the command line is not changed.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine import corpora, logs
from engine.data.document import Document
from engine.data.errors import InputError
from engine.service.models.loading import HELD
from engine.service.models.shelf import FileSource, Shelf
from engine.service.requests.replies import BUSY, FORBIDDEN, Refused
from engine.settings import Settings

log = logs.get("serve")


@dataclass(frozen=True)
class Lessons:
    """How to train: options for `train`, and additional training files for each system."""

    options: tuple[str, ...] = ()
    files: Mapping[str, Sequence[Path]] = dataclasses.field(default_factory=dict)


class Learning:
    """The trainings of a server. Without lessons, none is allowed."""

    def __init__(self, shelf: Shelf, lessons: Lessons | None = None) -> None:
        self.shelf, self.lessons = shelf, lessons
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._running: asyncio.Task[None] | None = None
        self._number = 0

    @property
    def busy(self) -> bool:
        return self._running is not None and not self._running.done()

    def check(self) -> None:
        """Raise Refused if no training can be started now."""
        if self.lessons is None:
            raise Refused(FORBIDDEN, "this service does not train models; start it with --learn")
        if self.busy:
            raise Refused(BUSY, "a training is under way; try again when it is done")

    def start(self, system: str, documents: Sequence[Document]) -> None:
        """Start a training; Refused if one is in progress."""
        self.check()
        self._running = asyncio.get_running_loop().create_task(self._train(system, documents))

    async def wait(self) -> None:
        """Wait until the training in progress has ended."""
        if self._running is not None:
            await asyncio.wait([self._running])

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait([self._running])
        if self._folder is not None:
            self._folder.cleanup()

    async def _train(self, system: str, documents: Sequence[Document]) -> None:
        try:
            await self._trained(system, documents)
        except (InputError, OSError) as error:
            # Nobody waits for this task: the log is the only place where it can be said.
            logs.trouble(log, "a training failed", system=system, reason=str(error))

    async def _trained(self, system: str, documents: Sequence[Document]) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="espalier-learning-")
        self._number += 1
        folder = Path(self._folder.name)
        learnt, made = folder / f"{system}-{self._number}.jsonl", folder / f"{system}-{self._number}.zip"
        await asyncio.to_thread(corpora.write, documents, learnt)
        process = await asyncio.create_subprocess_exec(
            *self._command(system, learnt, made),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, said = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode:
            reason = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
            logs.trouble(log, "a training failed", system=system, reason=reason)
            return
        await asyncio.to_thread(self.shelf.replace, system, FileSource(system, made))
        learnt.unlink()
        notes = await asyncio.to_thread(self._notes, system)
        told = {"notes": notes} if notes else {}
        logs.event(log, "a newly trained model is served", system=system, documents=len(documents), **told)

    def _notes(self, system: str) -> str:
        """The warnings about the training of the model that is served."""
        return "; ".join(HELD.get(self.shelf.get(system).file).model.notes)

    def _command(self, system: str, learnt: Path, made: Path) -> list[str]:
        assert self.lessons is not None
        model = HELD.get(self.shelf.get(system).file).model
        command = [sys.executable, "-m", "engine", "train", system, "--learner", model.learner, "--quiet"]
        command += ["--model", str(made), "--train", *map(str, self.lessons.files.get(system, ())), str(learnt)]
        for setting in settings_texts(model.settings):
            command += ["--set", setting]
        return [*command, *self.lessons.options]


def settings_texts(settings: Settings) -> list[str]:
    """Settings in the form that `--set` expects."""
    return [f"{spec.name}={_text(getattr(settings, spec.name))}" for spec in dataclasses.fields(settings)]


def _text(value: object) -> str:
    if value is None:
        return "none"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
