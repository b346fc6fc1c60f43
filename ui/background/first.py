"""First start: the sample corpora are loaded and each system is trained on them, in the background, once; then a
simpler learner of each, so that there is something to compare with.

As many train at a time as there are cores: most of a first training is compiling kernels, which one core does alone.

`ESPALIER_SAMPLES=off` leaves a new workspace empty.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
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
SPLITS: Final = ("train", "dev", "test")
RESOURCES: Final = {
    "lexicon": ("lexicon",),
    "vectors": ("vectors.txt", "vectors.txt.gz"),
    "gazetteers": ("gazetteers",),
    "constraints": ("constraints.toml",),
}
"""Kind of file that a system may use besides corpora -> names it has in a sample folder."""
_MARK: Final = "samples-loaded"
_SOURCE: Final = "sample "


@dataclass
class FirstStart:
    """How far the preparation is; written by one thread, read by the pages."""

    stage: str = "waiting"
    problems: list[str] = field(default_factory=list)
    done: bool = False
    total: int = 0
    """Models to be trained, once that is known."""
    ended: int = 0
    running: Mapping[str, str] = field(default_factory=dict)
    """What is being trained -> its run."""
    ahead: tuple[str, ...] | None = None
    """Systems of which nothing has been started yet; None until that is known."""

    def awaits(self, task: str) -> bool:
        """Whether a first run of this system is still to be started."""
        return not self.done and (self.ahead is None or task in self.ahead)


_starts: dict[str, FirstStart] = {}
_guard = threading.Lock()


def ensure(workspace: Workspace) -> FirstStart:
    """Start the preparation of this workspace where it has not been started; how far it is."""
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
    """The system that a sample corpus came for; None for any other corpus."""
    return corpus.source.removeprefix(_SOURCE) if corpus.source.startswith(_SOURCE) else None


def sample_resources(task: str) -> dict[str, list[str]]:
    """Files other than corpora that lie with a system's samples, by kind."""
    found: dict[str, list[str]] = {}
    for kind, names in RESOURCES.items():
        there = [SAMPLES / task / name for name in names if (SAMPLES / task / name).exists()]
        if there:
            found[kind] = [str(there[0])]
    return found


def _is_sidecar(path: Path) -> bool:
    return any(f".{kind}." in path.name for kind in ("dep", "mentions"))


def _prepare(workspace: Workspace, progress: FirstStart) -> None:
    loaded = _load(workspace, progress)
    fresh = [
        task for task in loaded if task in registry.names() and "train" in loaded[task] and not workspace.runs(task)
    ]
    wanted = [(task, get(task).default_learner) for task in fresh]
    wanted += [(task, rival) for task in fresh if (rival := get(task).rival) is not None]
    running: dict[str, str] = {}
    progress.total = len(wanted)
    while wanted or running:
        while wanted and len(running) < cores():
            task, learner = wanted.pop(0)
            name = f"{task} ({learner})"
            try:
                running[name] = _start(workspace, task, learner, loaded[task])
            except (InputError, ImportError) as error:
                progress.problems.append(f"{name}: {error}")
        progress.ahead = tuple(task for task, _ in wanted)
        progress.running = dict(running)
        progress.stage = "training"
        time.sleep(0.2)
        for name, run in list(running.items()):
            if not jobs.is_alive(workspace, run):
                del running[name]
                ended = jobs.state(workspace, run).run
                if ended.status == "failed":
                    progress.problems.append(f"{name}: {ended.message}")
        progress.running, progress.ended = dict(running), progress.total - len(wanted) - len(running)
    progress.stage = "ready"
    progress.done = True


def fraction(start: FirstStart, states: Iterable[jobs.JobState]) -> float:
    """How much of the preparation is done; `states` are those of what is running."""
    if not start.total:
        return 0.0
    return min(1.0, (start.ended + sum(state.fraction for state in states)) / start.total)


def how_far(state: jobs.JobState) -> str:
    """A run's round of all its rounds, in words."""
    return f"round {state.rounds[-1].index} of {state.total}" if state.rounds and state.total else "starting"


def _start(workspace: Workspace, task: str, learner: str, splits: dict[str, str]) -> str:
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
    """Add the sample corpora, once per workspace; task -> split -> corpus id of those that are there."""
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
