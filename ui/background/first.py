"""First start: loads the sample corpora and trains each system on them in the background, once; then a simpler learner
of each, for comparison.

As many trainings run at a time as there are cores, because most of a first training is the compilation of kernels,
which uses one core.

`ESPALIER_SAMPLES=off` leaves a new workspace empty.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from engine import corpora
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, Workspace
from engine.tasks import registry
from engine.tasks.registry import get
from engine.threads import cores
from ui.background import jobs

SAMPLES: Final = Path(__file__).resolve().parents[2] / "sample_data"
SPLITS: Final = ("train", "dev", "test", "new", "news")
"""Splits of a sample, by file name. `new` has no gold and is meant to be annotated and used for training. `news` has
longer texts of the same kind, for evaluation."""
RESOURCES: Final = {
    "lexicon": ("lexicon",),
    "vectors": ("vectors.txt", "vectors.txt.gz"),
    "gazetteers": ("gazetteers",),
    "constraints": ("constraints.toml",),
}
"""Kind of file that a system may use besides corpora -> its names in a sample folder."""
_MARK: Final = "samples-loaded"
_PLAN: Final = "first-start.json"
_SOURCE: Final = "sample "


@dataclass
class FirstStart:
    """The progress of the preparation; written by one thread, read by the pages."""

    stage: str = "waiting"
    problems: list[str] = field(default_factory=list)
    done: bool = False
    total: int = 0
    """The number of models to train, once it is known."""
    ended: int = 0
    running: Mapping[str, str] = field(default_factory=dict)
    """What is being trained -> its run."""
    ahead: tuple[str, ...] | None = None
    """Systems for which nothing has been started yet; None until that is known."""

    def awaits(self, task: str) -> bool:
        """Whether a first run of this system is still to be started."""
        return not self.done and (self.ahead is None or task in self.ahead)


_starts: dict[str, FirstStart] = {}
_guard = threading.Lock()


def ensure(workspace: Workspace) -> FirstStart:
    """Start the preparation of this workspace if necessary; returns its progress."""
    key = str(workspace.directory)
    with _guard:
        known = _starts.get(key)
        if known is not None:
            return known
        known = _starts[key] = FirstStart()
    if os.environ.get("ESPALIER_SAMPLES") == "off":
        known.done = True
    else:
        threading.Thread(target=_prepare, args=(workspace, known), daemon=True).start()
    return known


def sample_files(task: str) -> dict[str, Path]:
    """Split -> file of a system's sample corpus."""
    folder = SAMPLES / task
    found: dict[str, Path] = {}
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            split = path.name.split(".")[0]
            if path.is_file() and split in SPLITS and not _is_sidecar(path):
                found[split] = path
    return {split: found[split] for split in SPLITS if split in found}


def system_of(corpus: CorpusInfo) -> str | None:
    """The system to which a sample corpus belongs; None for any other corpus."""
    return corpus.source.removeprefix(_SOURCE) if corpus.source.startswith(_SOURCE) else None


def sample_resources(task: str) -> dict[str, list[str]]:
    """Files other than corpora among a system's samples, by kind."""
    found: dict[str, list[str]] = {}
    for kind, names in RESOURCES.items():
        there = [SAMPLES / task / name for name in names if (SAMPLES / task / name).exists()]
        if there:
            found[kind] = [str(there[0])]
    return found


def _is_sidecar(path: Path) -> bool:
    return any(f".{kind}." in path.name for kind in ("dep", "mentions"))


def _prepare(workspace: Workspace, progress: FirstStart) -> None:
    with (workspace.directory / "first-start.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Another server on the same workspace is doing it.
            progress.done = True
            return
        jobs.settle(workspace)
        loaded = _load(workspace, progress)
        _train(workspace, Plan.of(workspace, loaded), loaded, progress)
    progress.stage = "ready"
    progress.done = True


def _train(workspace: Workspace, plan: Plan, loaded: Mapping[str, Mapping[str, str]], progress: FirstStart) -> None:
    """Train the models of the plan, as many at a time as there are cores."""
    wanted = plan.open()
    running: dict[Wanted, str] = {}
    progress.total = len(wanted)
    while wanted or running:
        while wanted and len(running) < cores():
            one = wanted.pop(0)
            try:
                running[one] = _begin(workspace, one, loaded[one.task])
                plan.began(one, running[one])
            except (InputError, ImportError) as error:
                progress.problems.append(f"{one.name}: {error}")
                plan.ended(one)
        progress.ahead = tuple(one.task for one in wanted)
        progress.running = {one.name: run for one, run in running.items()}
        progress.stage = "training"
        time.sleep(0.2)
        for one, run in list(running.items()):
            if not jobs.is_alive(workspace, run):
                del running[one]
                plan.ended(one)
                ended = jobs.state(workspace, run).run
                if ended.status == "failed":
                    progress.problems.append(f"{one.name}: {ended.message}")
        progress.running = {one.name: run for one, run in running.items()}
        progress.ended = progress.total - len(wanted) - len(running)


@dataclass(frozen=True)
class Wanted:
    """A planned model of a new workspace, with its run once it has been started."""

    task: str
    learner: str
    is_rival: bool = False
    run: str | None = None

    @property
    def name(self) -> str:
        return f"{self.task} ({self.learner})"

    @property
    def key(self) -> tuple[str, str, bool]:
        return self.task, self.learner, self.is_rival


class Plan:
    """The models of a new workspace that are still to be trained, kept in a file so that a killed server resumes after
    a restart."""

    def __init__(self, path: Path, wanted: list[Wanted]) -> None:
        self._path = path
        self._wanted = {one.key: one for one in wanted}

    @classmethod
    def of(cls, workspace: Workspace, loaded: Mapping[str, Mapping[str, str]]) -> Plan:
        """The unfinished plan, else a new one for every system that has samples and no run."""
        path = workspace.directory / _PLAN
        usable = [task for task in loaded if task in registry.names() and "train" in loaded[task]]
        if path.is_file():
            left = _read_plan(path)
            there = {run.id for run in workspace.runs()}
            # A run that was removed meanwhile is dropped from the plan.
            kept = [one for one in left if one.task in usable and (one.run is None or one.run in there)]
            return cls(path, kept)
        fresh = [task for task in usable if not workspace.runs(task)]
        wanted = [Wanted(task, get(task).default_learner) for task in fresh]
        wanted += [Wanted(task, rival, True) for task in fresh if (rival := get(task).rival) is not None]
        plan = cls(path, wanted)
        plan._write()
        return plan

    def open(self) -> list[Wanted]:
        return list(self._wanted.values())

    def began(self, one: Wanted, run: str) -> None:
        self._wanted[one.key] = replace(one, run=run)
        self._write()

    def ended(self, one: Wanted) -> None:
        self._wanted.pop(one.key, None)
        self._write()

    def _write(self) -> None:
        if not self._wanted:
            self._path.unlink(missing_ok=True)
            return
        scratch = self._path.with_suffix(".part")
        scratch.write_text(json.dumps([asdict(one) for one in self._wanted.values()]), encoding="utf-8")
        scratch.replace(self._path)


def _read_plan(path: Path) -> list[Wanted]:
    try:
        return [Wanted(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, TypeError):
        # Written by another version: existing runs stay, and nothing more is trained automatically.
        return []


def _begin(workspace: Workspace, one: Wanted, splits: Mapping[str, str]) -> str:
    """Start the run, or resume the interrupted one; returns its id."""
    if one.run is None:
        return _start(workspace, one.task, one.learner, splits)
    if workspace.run(one.run).status != "done":
        try:
            jobs.resume(workspace, one.run)
        except InputError:
            # It was recorded but never started.
            workspace.remove_run(one.run)
            return _start(workspace, one.task, one.learner, splits)
    return one.run


def fraction(start: FirstStart, states: Iterable[jobs.JobState]) -> float:
    """The completed fraction of the preparation; `states` are those of the current runs."""
    if not start.total:
        return 0.0
    return min(1.0, (start.ended + sum(state.fraction for state in states)) / start.total)


def how_far(state: jobs.JobState) -> str:
    """A run's current round out of all, in words."""
    return f"round {state.rounds[-1].index} of {state.total}" if state.rounds and state.total else "starting"


def _start(workspace: Workspace, task: str, learner: str, splits: Mapping[str, str]) -> str:
    info = get(task).learner(learner)
    return jobs.start(
        workspace,
        task,
        info.name,
        asdict(info.settings),
        train=[splits["train"]],
        dev=[splits["dev"]] if "dev" in splits else [],
        files=sample_resources(task),
    )


def _load(workspace: Workspace, progress: FirstStart) -> dict[str, dict[str, str]]:
    """Add the sample corpora, once per workspace; returns task -> split -> corpus id."""
    mark = workspace.directory / _MARK
    if not mark.exists():
        progress.stage = "loading the sample corpora"
        there = {(info.name, info.split) for info in workspace.corpora()}
        for task in _folders():
            for split, path in sample_files(task).items():
                if (_name(task), split) in there:
                    continue
                try:
                    workspace.add_corpus(_name(task), corpora.read(path), split=split, source=_SOURCE + task)
                except InputError as error:
                    progress.problems.append(str(error))
        mark.write_text("The sample corpora were added once; delete this file to add them again.\n", encoding="utf-8")
    found: dict[str, dict[str, str]] = {}
    for info in workspace.corpora():
        system = system_of(info)
        if system is not None:
            found.setdefault(system, {})[info.split] = info.id
    return found


def _folders() -> list[str]:
    """Systems with sample data, in the order of the navigation."""
    there = [path.name for path in sorted(SAMPLES.iterdir()) if path.is_dir()] if SAMPLES.is_dir() else []
    order = {name: place for place, name in enumerate(registry.names())}
    return sorted(there, key=lambda name: (order.get(name, len(order)), name))


def _name(task: str) -> str:
    return f"Sample {task}"
