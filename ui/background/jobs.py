"""Training in the background: one process per run, identified by the run's id in every tab and after every refresh.

The workspace holds the state of a run; a lock file shows whether its process is alive. Nothing here draws.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from engine import logs
from engine.data.errors import InputError
from engine.store.workspace import RoundInfo, RunInfo, Workspace
from engine.tasks.base import Resources

GRACE: Final = 6.0
"""Seconds a cancelled run has to keep its last round before it is killed."""

_log: Final = logs.get("training")
_ROOT: Final = Path(__file__).resolve().parents[2]
_processes: dict[tuple[str, str], subprocess.Popen[bytes]] = {}
_guard = threading.Lock()
_threads = threading.RLock()
_depth = threading.local()

Asked: TypeAlias = Literal["only done", "tune"]
"""Options of a training: see `only_done` and `tunes`."""


@dataclass(frozen=True)
class JobSpec:
    """What to train; written for the worker process."""

    run: str
    task: str
    learner: str
    settings: Mapping[str, Any]
    train: tuple[str, ...]
    dev: tuple[str, ...] = ()
    files: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Paths by kind: lexicon, vectors, gazetteers, constraints."""
    only_done: bool = False
    """Train only on documents that are marked as done."""
    tunes: bool = False
    """Choose settings on dev first, over the values that the learner's paper tries."""

    def to_resources(self) -> Resources:
        paths = {kind: tuple(map(Path, found)) for kind, found in self.files.items() if found}
        return Resources(
            lexicon=paths.get("lexicon", ()),
            vectors=paths.get("vectors", ()),
            gazetteers=paths.get("gazetteers", ()),
            constraints=paths.get("constraints", (None,))[0],
        )


KILLED: Final = (
    "the process was ended from outside, as systems do when memory runs out; resume it, or train on fewer documents"
)
NO_MEMORY: Final = "there was not enough memory; train on fewer documents, or where there is more of it"


@dataclass(frozen=True)
class JobState:
    """A run as the Train page shows it."""

    run: RunInfo
    rounds: tuple[RoundInfo, ...]
    total: int
    alive: bool

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the pace of the rounds since this process began; None if it is not known yet."""
        last = self.rounds[-1].details if self.rounds else {}
        made = self.rounds[-1].index - int(last.get("after", 0)) if self.rounds else 0
        if "elapsed" not in last or made < 1 or not self.total:
            return None
        return float(last["elapsed"]) / made * max(0, self.total - self.rounds[-1].index)

    @property
    def fraction(self) -> float:
        return min(1.0, self.rounds[-1].index / self.total) if self.rounds and self.total else 0.0


def start(
    workspace: Workspace,
    task: str,
    learner: str,
    settings: Mapping[str, Any],
    *,
    train: Sequence[str],
    dev: Sequence[str] = (),
    files: Mapping[str, Sequence[str]] | None = None,
    asked: Collection[Asked] = (),
) -> str:
    """Start training; returns the run's id."""
    with _starting(workspace):
        run = workspace.start_run(task, learner, settings, train=",".join(train), dev=",".join(dev))
        spec = JobSpec(
            run,
            task,
            learner,
            dict(settings),
            tuple(train),
            tuple(dev),
            dict(files or {}),
            only_done="only done" in asked,
            tunes="tune" in asked,
        )
        path = spec_path(workspace.directory, run)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(spec)), encoding="utf-8")
        _launch(workspace, run)
    return run


def resume(workspace: Workspace, run: str) -> None:
    """Resume a stopped run after its last saved round."""
    if is_alive(workspace, run) and workspace.run(run).status == "running" and not _is_stopping(workspace, run):
        return
    _await_end(workspace, run)
    read_spec(workspace.directory, run)
    with _starting(workspace):
        _stop_mark(workspace, run).unlink(missing_ok=True)
        workspace.reopen_run(run)
        _launch(workspace, run)


def cancel(workspace: Workspace, run: str) -> None:
    """Ask the run to stop and keep its last round; if it does not, it is killed after a while."""
    number = _process_of(workspace, run)
    if number is None:
        return
    _stop_mark(workspace, run).touch()
    _signal(number, signal.SIGTERM)
    threading.Thread(target=_insist, args=(workspace, run, number), daemon=True).start()


def _stop_mark(workspace: Workspace, run: str) -> Path:
    """A file that marks the run as asked to stop, so that its end, however it comes, counts as intended."""
    return spec_path(workspace.directory, run).with_suffix(".stop")


def _is_stopping(workspace: Workspace, run: str) -> bool:
    return _stop_mark(workspace, run).exists()


def _await_end(workspace: Workspace, run: str) -> None:
    """Wait for a run that was just cancelled to end, so that it can be resumed at once."""
    until = time.monotonic() + GRACE + 2.0
    while is_alive(workspace, run):
        if time.monotonic() > until:
            raise InputError(f"{run} is still being stopped; try again in a moment")
        time.sleep(0.05)


def state(workspace: Workspace, run: str) -> JobState:
    info = workspace.run(run)
    alive = is_alive(workspace, run)
    if info.status == "running" and not alive:
        with _starting(workspace):
            alive = is_alive(workspace, run)
            if not alive:
                _record_death(workspace, run)
        info = workspace.run(run)
    rounds = tuple(workspace.rounds(run))
    total = max((int(one.details.get("total", 0)) for one in rounds), default=0)
    return JobState(info, rounds, total, alive and info.status == "running")


def running(workspace: Workspace) -> list[RunInfo]:
    return [run for run in workspace.runs() if run.status == "running" and state(workspace, run.id).alive]


def is_alive(workspace: Workspace, run: str) -> bool:
    return _process_of(workspace, run) is not None


def _process_of(workspace: Workspace, run: str) -> int | None:
    """The process that is training the run; None if there is none."""
    with _guard:
        process = _processes.get((str(workspace.directory), run))
    if process is not None and process.poll() is None:
        return process.pid
    path = lock_path(workspace.directory, run)
    if not path.exists():
        return None
    with path.open("r") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            # Started by another server on the same workspace: the lock file holds its process id.
            text = file.read().strip()
            return int(text) if text.isdigit() else 0
    return None


def settle(workspace: Workspace) -> None:
    """Record the end of every run that is marked as running but whose process is gone."""
    for run in workspace.runs():
        if run.status == "running":
            state(workspace, run.id)


@contextmanager
def _starting(workspace: Workspace) -> Iterator[None]:
    """A lock for starting runs: a run is recorded before its process exists, and while this is held, neither another
    thread nor another server on the same workspace takes it for dead."""
    with _threads:
        inside = getattr(_depth, "held", False)
        if inside:
            yield
            return
        folder = workspace.directory / "jobs"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "starting.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            _depth.held = True
            try:
                yield
            finally:
                _depth.held = False


def can_resume(workspace: Workspace, run: RunInfo) -> bool:
    return run.status in ("cancelled", "failed") and spec_path(workspace.directory, run.id).is_file()


def read_spec(directory: Path, run: str) -> JobSpec:
    path = spec_path(directory, run)
    if not path.is_file():
        raise InputError(f"run {run} was not started here, so its data are not known; start a new one")
    values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return JobSpec(**{**values, **{name: tuple(values[name]) for name in ("train", "dev")}})


def spec_path(directory: Path, run: str) -> Path:
    return directory / "jobs" / f"{run}.json"


def lock_path(directory: Path, run: str) -> Path:
    return directory / "jobs" / f"{run}.lock"


def _launch(workspace: Workspace, run: str) -> None:
    """Start the worker. It inherits the run's lock, so that the run never appears to be dead."""
    lock = _take_lock(lock_path(workspace.directory, run))
    log = spec_path(workspace.directory, run).with_suffix(".log")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])),
    }
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "ui.background.worker", str(workspace.directory), run],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                pass_fds=(lock,),
            )
        os.pwrite(lock, str(process.pid).encode(), 0)
    finally:
        os.close(lock)
    with _guard:
        _processes[str(workspace.directory), run] = process
    logs.event(_log, "a training was started", run=run, process=process.pid)


def _take_lock(path: Path) -> int:
    """The run's lock as an open file; InputError if another process holds it."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise InputError(f"{path.stem} is being trained already") from None
    os.ftruncate(lock, 0)
    return lock


def _signal(process: int, number: signal.Signals) -> None:
    # The process may have ended meanwhile.
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _insist(workspace: Workspace, run: str, process: int) -> None:
    """Kill the process if it does not stop by itself. A run that was resumed meanwhile has another process."""
    until = time.monotonic() + GRACE
    while time.monotonic() < until:
        if _process_of(workspace, run) != process:
            return
        time.sleep(0.1)
    _signal(process, signal.SIGKILL)
    while _process_of(workspace, run) == process:
        time.sleep(0.05)
    if workspace.run(run).status == "running":
        workspace.finish_run(run, "cancelled", message="stopped at once; the last saved round is kept")


def _record_death(workspace: Workspace, run: str) -> None:
    """Record the end of a process that did not report it: it was stopped, or its log shows what happened."""
    if _is_stopping(workspace, run) and workspace.run(run).status == "running":
        workspace.finish_run(run, "cancelled", message="stopped at once; the last saved round is kept")
        return
    log = spec_path(workspace.directory, run).with_suffix(".log")
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.is_file() else []
    # The system kills a process that uses too much memory before it can report that.
    reason = lines[-1][:300] if lines else KILLED
    if reason.split(":")[0].rpartition(".")[2] in ("MemoryError", "_ArrayMemoryError"):
        reason = NO_MEMORY
    if workspace.run(run).status == "running":
        workspace.finish_run(run, "failed", message=reason)
        logs.trouble(_log, "a training ended without a result", run=run)
