"""How corpora and runs are called: the same on every page, in every box, table, legend and sentence."""

from __future__ import annotations

from collections.abc import Sequence

from engine.store.workspace import CorpusInfo, RunInfo
from ui.tab.hidden import visible


def corpus_labels(corpora: Sequence[CorpusInfo]) -> dict[str, str]:
    """Corpus id -> its label in a select box. A box distinguishes its options by their labels; the store makes sure
    that they are unique."""
    return {info.id: info.label for info in corpora}


def run_label(run: RunInfo, *, with_task: bool = True) -> str:
    """The run among others: star, name, learner, and when it was started."""
    star = "★" if run.starred else ""
    called = " ".join(filter(None, [star, visible(run.name)]))
    return " · ".join(filter(None, [run.task if with_task else "", called, run.learner, _when(run)]))


def run_name(run: RunInfo) -> str:
    """The run in a sentence: its name, or else its learner."""
    return visible(run.name) or run.learner


def _when(run: RunInfo) -> str:
    # A select box distinguishes options by their labels, so these have the time to the second, and a number if it is
    # the same.
    number = "".join(run.id.removeprefix(f"{run.task}-").split("-")[2:])
    return " · ".join(filter(None, [run.created[5:19].replace("T", " "), number]))
