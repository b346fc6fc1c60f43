"""Training of disambiguation: statistics and columns of the training documents, then boosting, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Singles
from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.disambiguation.all import extract, pooled_names
from engine.features.disambiguation.knowledge import learn
from engine.features.disambiguation.local import PRIOR
from engine.features.disambiguation.priors import Links, Priors
from engine.features.disambiguation.table import Table, tabulate
from engine.features.disambiguation.text_vectors import knows_words
from engine.features.disambiguation.vectors import Vectors, read_all_vectors
from engine.learners.base import Round, Saved, fit
from engine.learners.sgtb.cache import FlatForest
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.learner import SGTB, SequenceBoosting
from engine.learners.sgtb.search import SKIPPED
from engine.learners.trees.binary import Answered, BinaryBoosting
from engine.learners.trees.forest import Bins, Forest
from engine.learners.trees.reading import column_tree
from engine.lexicon.build import open_or_build
from engine.lexicon.lexicon import Lexicon
from engine.tasks.base import Model, Resources, TrainingRound
from engine.tasks.disambiguation.scored import NEVER
from engine.tasks.disambiguation.scoring import Prepared, prepare_once
from engine.tasks.disambiguation.settings import DisambiguationSettings, search_of
from engine.tasks.disambiguation.state import DisambiguationState, NilOdds, mention_columns
from engine.tasks.training.reusing import prepared
from engine.workers.crews import ALONE, Crew

LEAST_PRIOR: Final = 0.003
"""Added to a prior before taking its logarithm, so that a candidate without one counts as a very rare reading."""
HELD_OUT: Final = 10
"""Without dev documents, every n-th training document is held out for the checks."""

DisambiguationRound: TypeAlias = TrainingRound[DisambiguationSettings, DisambiguationState]


def rounds(
    train: Sequence[Document],
    dev: Sequence[Document],
    learner: str,
    settings: DisambiguationSettings,
    resources: Resources,
    *,
    resume: Saved | None = None,
    crew: Crew = ALONE,
) -> Iterator[DisambiguationRound]:
    """One round per check on dev."""
    lexicon = open_or_build(resources.lexicon) if resources.lexicon else None
    how = search_of(learner, settings)
    structured = how.policy != "local"
    vectors = read_all_vectors(resources.vectors) if resources.vectors else None
    if not dev and len(train) >= 2 * HELD_OUT:
        train, dev = [d for i, d in enumerate(train) if i % HELD_OUT], train[::HELD_OUT]
    made_of = _made_of(settings, resources, structured)
    state, ready = prepared(
        train, made_of, lambda: learn_state(train, settings, lexicon, vectors, structured=structured)
    )
    if vectors is not None and not structured and not knows_words(ready.table, vectors):
        raise InputError(
            f"{learner} looks at every mention alone and compares vectors with words only, of which these have none:"
            " leave --vectors out"
        )
    if vectors is not None and vectors.keys().isdisjoint(ready.table.titles):
        raise InputError(
            f"none of the {len(vectors)} vectors has the name of a candidate of the training documents:"
            " they are looked up by title, with _ for spaces and with or without ENTITY/ in front",
            file=resources.vectors[0],
        )
    choices = as_choices(ready)
    if not (choices.gold >= 0).any():
        raise InputError(
            "no gold entity of the training documents is among its mention's candidates:"
            " give candidates with the mentions, or a lexicon"
        )
    watched = as_choices(prepare_once(dev, state, settings, structured=structured)) if dev else None
    start = from_prior(ready, state) if settings.start == "prior" else None
    boosting = SequenceBoosting(settings, how, state.bins, watched, start)
    n_given = 0 if start is None else len(start)
    for step in boosting.rounds([choices], resume=resume, crew=crew):
        yield _training_round(step, state, learner, settings, n_given)


def _made_of(settings: DisambiguationSettings, resources: Resources, structured: bool) -> tuple[object, ...]:
    """Everything that the columns of documents depend on, apart from the documents."""
    boosting = {spec.name for spec in fields(SGTB)} - {"seed"}
    told = tuple(getattr(settings, spec.name) for spec in fields(settings) if spec.name not in boosting)
    return ("disambiguation", told, resources.lexicon, resources.vectors, structured)


def _training_round(
    step: Round[Forest], state: DisambiguationState, learner: str, settings: DisambiguationSettings, n_given: int
) -> DisambiguationRound:
    build = partial(_model, step, state, learner, settings)
    # The tree that boosting started from does not count towards the number in the settings.
    n_trees = len(step.scorer) - n_given
    details = {"trees": n_trees}
    return TrainingRound(n_trees, settings.trees, step.objective, step.scores, build, details, step.to_parts)


def _model(
    step: Round[Forest], state: DisambiguationState, learner: str, settings: DisambiguationSettings
) -> Model[DisambiguationSettings, DisambiguationState]:
    return Model("disambiguation", learner, settings, replace(state, forest=step.scorer), bias=NEVER)


def learn_state(
    documents: Sequence[Document],
    settings: DisambiguationSettings,
    lexicon: Lexicon | None,
    vectors: Vectors | None,
    *,
    structured: bool,
) -> tuple[DisambiguationState, Prepared]:
    """The state before the first tree, and the training documents, each left out of its own statistics."""
    priors = Priors(Links.of(documents), lexicon, settings.own_tags, settings.ignored_tags, settings.lookup)
    table = tabulate(documents, priors, most=settings.candidates, own=True, given=settings.source == "given")
    knowledge = learn(table, priors.descriptions())
    features = extract(
        table,
        knowledge,
        settings.features,
        own=True,
        leave_out=round(settings.leave_out * len(documents)),
        vectors=vectors,
        text=vectors is not None and knows_words(table, vectors),
        paired=structured,
    )
    # One code is reserved for missing values, and pooled codes go up to 254.
    bins = Bins.fit(features.own, 254)
    names = (*features.names, *(pooled_names(features.pairs.channels) if structured else ()))
    declining = _learn_declining(table, features.own, settings.seed)
    state = DisambiguationState(knowledge, priors, vectors, bins, Forest(()), declining, names)
    nil = declining.log_odds(table, features.own)
    return state, Prepared(table, features, bins.transform(features.own), nil)


def from_prior(ready: Prepared, state: DisambiguationState) -> Forest | None:
    """The logarithm of the prior, as a tree over its column; None if no candidate has a prior.

    Boosting then learns where to depart from the prior. Started from zero, it would have to reconstruct the prior from
    columns that correlate with it in the training documents but perhaps not elsewhere.
    """
    column = [named.name for named in state.names].index(PRIOR)
    prior, codes = ready.features.own[:, column], ready.codes[:, column]
    if not prior.any():
        return None
    size = int(state.bins.sizes[column])
    counts = np.bincount(codes, minlength=size)
    mean = np.bincount(codes, weights=prior, minlength=size) / np.maximum(counts, 1)
    return Forest((column_tree(state.bins, column, np.log(mean + LEAST_PRIOR), counts),))


def _learn_declining(table: Table, own: Singles, seed: int) -> NilOdds:
    """Log-odds of NIL, learnt from the mentions with candidates that gold links or marks as NIL."""
    rows = np.flatnonzero((table.nil | (table.gold >= 0)) & (np.diff(table.row_offsets) > 0))
    return NilOdds(fit(BinaryBoosting(seed=seed), [Answered(mention_columns(table, own)[rows], table.nil[rows])]))


def as_choices(ready: Prepared) -> Choices:
    """What boosting learns from. Mentions whose right entity is not a candidate are left out; nothing is declined."""
    table = ready.table
    return ready.steps(FlatForest().arrays).choices(
        table.document_offsets,
        table.row_offsets,
        gold=np.where(table.gold < 0, SKIPPED, table.gold),
        allowed=np.ones(table.n_rows, dtype=np.bool_),
        # A mention without candidates can only be declined.
        nil_allowed=np.diff(table.row_offsets) == 0,
    )
