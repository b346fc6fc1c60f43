"""The layers of a document that can be drawn: its own, those added to the corpus, and the predictions of suitable runs.

A layer is made only when it is needed, since that of a run may need the model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from engine.data.document import GOLD, Document, Layer
from engine.store.workspace import CorpusInfo, RunInfo
from ui.shell import cache, naming
from ui.tab import session

Sources: TypeAlias = dict[str, Callable[[], Layer]]
"""Name of a layer -> a function that makes it."""

ORIGINAL: Final = "gold as imported"


def sources(document: Document, corpus: CorpusInfo, run: RunInfo | None, position: int | None) -> Sources:
    """Layers by name; the current run comes first among the runs."""
    found: Sources = {name: partial(_itself, layer) for name, layer in document.layers.items()}
    if position is not None:
        original = cache.original_documents(corpus)[position].layers.get(GOLD)
        if original is not None and original != document.layers.get(GOLD):
            found[ORIGINAL] = partial(_itself, original)
    for name in cache.workspace().layer_names(corpus.id):
        layer = cache.workspace().layer(corpus.id, name, document.id).get(document.id)
        if layer is not None:
            found[name] = partial(_itself, layer)
    if position is None:
        return found
    for name, one in runs_by_layer(corpus, run).items():
        bias = session.bias_of(one.id) if run is not None and one.id == run.id else None
        found[name] = partial(_predicted, one, corpus, bias, position)
    return found


def runs_by_layer(corpus: CorpusInfo, run: RunInfo | None) -> dict[str, RunInfo]:
    """The layer name of every run that fits the corpus and may be shown on it; the current run first."""
    found = {} if run is None or cache.fits(corpus, run.task) == "no" else {f"run {run.learner}": run}
    usable = cache.runs(usable=True)
    shut = {one.id for one in cache.closed(corpus, *usable)}
    if run is not None and run.id in shut:
        found.clear()
    for one in usable:
        if one.id in shut:
            continue
        if (run is None or one.id != run.id) and cache.fits(corpus, one.task) != "no":
            found[f"run {one.learner} · {one.id}"] = one
    return found


def title(name: str) -> str:
    """How a layer is called on screen; in an address, a run's layer is named by the id of the run."""
    run = cache.run(name.rpartition(" · ")[2]) if name.startswith("run ") else None
    return name if run is None else f"run {naming.run_label(run, with_task=False)}"


def _itself(layer: Layer) -> Layer:
    return layer


def _predicted(run: RunInfo, corpus: CorpusInfo, bias: float | None, position: int) -> Layer:
    return cache.predictions(run, corpus, bias)[position]
