"""Scores and ledgers of a whole corpus for the joint page, computed once."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import streamlit as st

from engine.data.document import Mention
from engine.metrics.joint import prf
from engine.store.workspace import CorpusInfo, RunInfo
from engine.structures.program import Conflict
from engine.tasks.joint import model as joint_model
from engine.tasks.joint.compile import Ints
from engine.tasks.joint.constraints import Constraint, from_json, to_json
from engine.tasks.joint.curve import curve_of
from engine.tasks.joint.inference import Decoder, Scored
from engine.tasks.joint.ledger import Forced, Integrality, LedgerRow, forced, integrality, ledger
from ui.shell import cache


@st.cache_resource(show_spinner="Scoring the corpus …", max_entries=8)
def _scored(
    directory: str, run: str, version: str, corpus: str, content: str, _run: RunInfo, _corpus: CorpusInfo
) -> tuple[list[tuple[Mention, ...]], Scored, Ints, Ints]:
    documents = cache.documents(_corpus)
    model = cache.model(_run)
    mentions, scored = joint_model.score(documents, model)
    gold = [joint_model.gold_labels(d, m, model.state.space) for d, m in zip(documents, mentions, strict=True)]
    empty = np.zeros(0, dtype=np.int64)
    types = np.concatenate([t for t, _ in gold]) if gold else empty
    labels = np.concatenate([y for _, y in gold]) if gold else empty
    return mentions, scored, types, labels


def scored(run: RunInfo, corpus: CorpusInfo) -> tuple[list[tuple[Mention, ...]], Scored, Ints, Ints]:
    """Mentions, scores, gold types and gold labels of the corpus."""
    return _scored(*_key(run, corpus), run, corpus)


def summary(
    run: RunInfo, corpus: CorpusInfo, constraints: Sequence[Constraint], bias: float
) -> dict[str, float] | None:
    """Scores of the whole corpus under these constraints: decided anew, which takes milliseconds. None where some
    sentence cannot keep them."""
    _, scores, types, labels = scored(run, corpus)
    try:
        decided = Decoder(cache.model(run).state.space, tuple(constraints)).decode(scores, bias)
    except Conflict:
        return None
    correct = int(((decided.labels == labels) & (labels > 0)).sum())
    # As the curve counts: gold that no pair of the model can reach is missed, not left out.
    out = prf(correct, int((decided.labels > 0).sum()), int(_gold_relations(corpus).sum()))
    judged = types >= 0
    out["types"] = float((decided.types == types)[judged].mean()) if judged.any() else 0.0
    return out


def curve_soon(run: RunInfo, corpus: CorpusInfo, constraints: Sequence[Constraint]) -> cache.SoonCurve | None:
    """Precision and recall at every bias under these constraints; None where the corpus has no gold."""
    if cache.fits(corpus, run.task) != "yes":
        return None
    _, scores, _, labels = scored(run, corpus)
    decoder, gold = Decoder(cache.model(run).state.space, tuple(constraints)), _gold_relations(corpus)
    key = (*_key(run, corpus), json.dumps(to_json(constraints)))
    return cache.curve_beside(key, lambda: curve_of(decoder, scores, labels, gold))


def _gold_relations(corpus: CorpusInfo) -> Ints:
    return np.array([len(document.gold.relations) for document in cache.documents(corpus)], dtype=np.int64)


def _key(run: RunInfo, corpus: CorpusInfo) -> tuple[str, str, str, str, str]:
    """Changes whenever the model or the corpus does."""
    return str(cache.directory()), run.id, cache.model_version(run.id), corpus.id, cache.content(corpus)


@st.cache_resource(show_spinner="Writing the ledger …", max_entries=32)
def _ledger(
    directory: str,
    run: str,
    version: str,
    corpus: str,
    content: str,
    constraints: str,
    bias: float,
    _run: RunInfo,
    _corpus: CorpusInfo,
) -> tuple[list[LedgerRow], Integrality]:
    _, scores, types, labels = scored(_run, _corpus)
    decoder = Decoder(cache.model(_run).state.space, from_json(json.loads(constraints)))
    return ledger(decoder, scores, types, labels, bias), integrality(decoder, scores, bias)


def ledger_of(
    run: RunInfo, corpus: CorpusInfo, constraints: tuple[Constraint, ...], bias: float
) -> tuple[list[LedgerRow], Integrality]:
    """What every constraint does to the corpus, and how often the LP was integral."""
    return _ledger(*_key(run, corpus), json.dumps(to_json(constraints)), bias, run, corpus)


@st.cache_resource(show_spinner="Asking every sentence …", max_entries=32)
def _forced(
    directory: str,
    run: str,
    version: str,
    corpus: str,
    content: str,
    constraints: str,
    relation: str,
    bias: float,
    _run: RunInfo,
    _corpus: CorpusInfo,
) -> dict[str, Forced]:
    _, scores, _, labels = scored(_run, _corpus)
    ways = joint_model.systems(joint_model.with_constraints(cache.model(_run), from_json(json.loads(constraints))))
    return {name: forced(way, scores, labels, relation, bias) for name, way in ways.items()}


def forced_of(
    run: RunInfo, corpus: CorpusInfo, constraints: Sequence[Constraint], relation: str, bias: float
) -> dict[str, Forced]:
    """How often the right pair is named in the sentences that hold the relation, alone and under the constraints."""
    return _forced(*_key(run, corpus), json.dumps(to_json(constraints)), relation, bias, run, corpus)
