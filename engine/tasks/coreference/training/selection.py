"""Greedy selection of feature templates on a split of the training documents (Björkelund and Kuhn 2014, section 6.1).

Three quarters of the documents are used for training, one quarter for evaluation by the CoNLL average. In turns, the
template of the pool that helps most is added and the one whose removal helps most is removed, until nothing helps.
Local templates are selected first, with the best-first baseline; then non-local ones are added to them, with delayed
LaSO. Every trial is remembered by its set of templates, so a stopped run continues where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.coreference.templates import Templates
from engine.learners.base import fit
from engine.learners.laso.arrays import TreeInstance
from engine.learners.laso.learner import LatentTrees, Policy, score_arcs
from engine.metrics.coreference import FIELDS, conll_of, count_clusters
from engine.tasks.coreference.deciding import decide
from engine.tasks.coreference.evaluation import key_of
from engine.tasks.coreference.scored import ClusterScorer
from engine.tasks.coreference.scoring import Prepared, prepare, scored_document
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import cluster_templates
from engine.tasks.coreference.training.rounds import has_singletons

Kind = Literal["root", "pair", "cluster"]
STAGES: Final[tuple[tuple[Kind, ...], ...]] = (("root", "pair"), ("cluster",))
_STAGE_NAMES: Final = {STAGES[0]: "local templates to begin with", STAGES[1]: "non-local templates to begin with"}
SHARE: Final = 0.75
"""The share of the documents used for training; the others are for evaluation."""


@dataclass(frozen=True)
class Trial:
    """One set of templates and how it did."""

    change: str
    score: float
    done: int
    total: int


@dataclass(frozen=True)
class SelectionStep:
    """A change that was kept."""

    change: str
    score: float
    templates: Templates


def select_templates(
    documents: Sequence[Document],
    settings: CoreferenceSettings,
    *,
    start: Templates,
    pool: Templates | None = None,
    gender: Mapping[str, str] | None = None,
    known: dict[str, float],
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> Iterator[SelectionStep]:
    """The changes that helped, one after another, beginning with `start`. `pool` holds the templates that may be added
    (by default those of `start`). `known` is filled with the score of every trial."""
    if len(documents) < 4:
        raise InputError("feature selection needs at least four documents with clusters")
    full = _united(start, start if pool is None else pool)
    judge = _Judge(documents, settings, full, gender or {})
    current = replace(start, cluster=())
    for kinds in STAGES if settings.features == "nonlocal" else STAGES[:1]:
        if "cluster" in kinds:
            current = replace(current, cluster=start.cluster)
            if not full.cluster:
                return
        score = judge.score(current, known)
        on_trial(Trial(_STAGE_NAMES[kinds], score, 1, 1))
        yield SelectionStep(_STAGE_NAMES[kinds], score, current)
        for step in _climb(judge, current, score, kinds, known, on_trial):
            current = step.templates
            yield step


def _climb(
    judge: _Judge,
    current: Templates,
    score: float,
    kinds: tuple[Kind, ...],
    known: dict[str, float],
    on_trial: Callable[[Trial], None],
) -> Iterator[SelectionStep]:
    """Alternate between the best addition and the best removal as long as one of them helps."""
    improved = True
    while improved:
        improved = False
        for options in (_additions, _removals):
            changes = options(current, judge.full, kinds)
            best: tuple[float, str, Templates] | None = None
            for number, (name, candidate) in enumerate(changes, 1):
                value = judge.score(candidate, known)
                on_trial(Trial(name, value, number, len(changes)))
                if best is None or value > best[0]:
                    best = (value, name, candidate)
            if best is not None and best[0] > score:
                score, change, current = best
                improved = True
                yield SelectionStep(change, score, current)


def _removals(current: Templates, full: Templates, kinds: tuple[Kind, ...]) -> list[tuple[str, Templates]]:
    return [
        (f"without {name}", _with(current, kind, [one for one in names if one != name]))
        for kind, names in _groups(current)
        for name in names
        if kind in kinds
    ]


def _additions(current: Templates, full: Templates, kinds: tuple[Kind, ...]) -> list[tuple[str, Templates]]:
    kept = dict(_groups(current))
    return [
        (f"with {name}", _with(current, kind, [one for one in names if one in kept[kind] or one == name]))
        for kind, names in _groups(full)
        for name in names
        if kind in kinds and name not in kept[kind]
    ]


def _united(one: Templates, other: Templates) -> Templates:
    """The templates of both, each once."""
    return Templates(
        *(
            tuple(dict.fromkeys((*names, *more)))
            for (_, names), (_, more) in zip(_groups(one), _groups(other), strict=True)
        )
    )


def _groups(templates: Templates) -> list[tuple[Kind, tuple[str, ...]]]:
    return [("root", templates.root), ("pair", templates.pair), ("cluster", templates.cluster)]


def _with(templates: Templates, kind: Kind, names: Sequence[str]) -> Templates:
    changed: Mapping[str, Any] = {kind: tuple(names)}
    return replace(templates, **changed)


class _Judge:
    """Prepared documents with every template, from which trials leave some out."""

    def __init__(
        self,
        documents: Sequence[Document],
        settings: CoreferenceSettings,
        full: Templates,
        gender: Mapping[str, str],
    ) -> None:
        self.settings, self.full, self.gender = settings, full, gender
        self.singletons = has_singletons(documents)
        order = np.random.default_rng(settings.seed).permutation(len(documents))
        cut = max(1, min(len(documents) - 1, round(SHARE * len(documents))))
        ready = [prepare(documents[i], settings, full, gender) for i in order]
        self.train, self.test = ready[:cut], ready[cut:]

    def score(self, templates: Templates, known: dict[str, float]) -> float:
        key = "|".join(",".join(sorted(names)) for _, names in _groups(templates))
        if key not in known:
            known[key] = self._measure(templates)
        return known[key]

    def _measure(self, templates: Templates) -> float:
        clusters = cluster_templates(self.settings, templates)
        policy: Policy = "delayed-laso" if clusters.used else "baseline"
        train = [self._masked(one, templates) for one in self.train]
        weights = fit(LatentTrees(policy, self.settings.decided(), clusters), train).weights
        total = np.zeros(len(FIELDS))
        steps = ClusterScorer(clusters, weights) if clusters.used else None
        for one in self.test:
            document, scores = one.reading.document, score_arcs(weights, self._masked(one, templates))
            scored = scored_document(document, one, scores, self.settings)
            [layer] = decide(replace(scored, singletons=self.singletons, steps=steps))
            total += count_clusters(key_of(document.gold), key_of(layer))
        return conll_of(total)

    def _masked(self, one: Prepared, templates: Templates) -> TreeInstance:
        """The document without the features of templates that are not in the trial."""
        rows = one.arcs.rows.copy()
        from_root = one.arcs.heads == 0
        for names, kept, which in (
            (self.full.root, set(templates.root), from_root),
            (self.full.pair, set(templates.pair), ~from_root),
        ):
            absent = np.array([column for column, name in enumerate(names) if name not in kept], dtype=np.intp)
            rows[np.ix_(np.flatnonzero(which), absent)] = 0
        return one.arcs._replace(rows=rows)
