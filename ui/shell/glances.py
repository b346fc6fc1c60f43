"""Looks at test data. Every page that judges a run on a test corpus writes the look down, once for each bias, so that
the guard's sentence is true however test was opened."""

from __future__ import annotations

from typing import Final

from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning import guard
from ui.shell import cache, pages

JUDGING: Final = ("tune", "errors", "compare")
"""Pages, beside those of the systems, that show how good a run is on the corpus in the sidebar."""


def note(page: str, run: RunInfo | None, corpus: CorpusInfo | None, bias: float | None) -> bool:
    """Write the look down where there is one; whether there is. `bias` is that on screen, None the run's own."""
    if run is None or corpus is None or corpus.split != "test":
        return False
    if page not in JUDGING and not pages.is_system(page):
        return False
    if cache.fits(corpus, run.task) != "yes":
        return False
    at = run.bias if bias is None else bias
    known = cache.workspace().looks(run.id)
    if not any(look.corpus == corpus.id and look.bias == at for look in known):
        cache.workspace().record_look(run.id, corpus.id, at, {})
    return True


def lock_of(run: RunInfo) -> guard.Lock | None:
    found = cache.workspace().lock_of(run.id)
    return None if found is None else guard.Lock(*found)


def verdict(run: RunInfo) -> str:
    """What a reader must know about how the run's setting was chosen."""
    seen = [guard.Glance(look.corpus, look.bias, look.time) for look in cache.workspace().looks(run.id)]
    return guard.verdict(lock_of(run), seen, kept=run.bias)
