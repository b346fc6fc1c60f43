"""Candidate arcs and their features: the fast ways give what the obvious ways give."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpora import read
from engine.features.coreference.arcs import pairs
from engine.features.coreference.arcs.comparisons import (
    CLASH_AGREEMENT,
    CLASH_ENTITY,
    CLASH_NESTING,
    CLASH_SPEAKER,
    MATCH_HEAD,
    MATCH_NAME,
    MATCH_STRING,
    MATCH_WORDS,
    comparisons,
)
from engine.features.coreference.templates import COMPARISONS, Templates, compile_templates
from engine.learners.laso.arrays import TABLE
from engine.learners.laso.learner import score_arcs
from engine.tasks.base import Model
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import Prepared, prepare, score
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState
from ui.background.first import sample_files

COLUMN = {name: column for column, name in enumerate(COMPARISONS)}


@pytest.fixture(scope="module")
def documents():
    return read(sample_files("coreference")["dev"])[:6]


@pytest.fixture(scope="module", params=[3, 120], ids=["sparse", "dense"])
def settings(request) -> CoreferenceSettings:
    """With a small window there are gaps among the candidates of a mention."""
    return CoreferenceSettings(window=request.param)


@pytest.fixture(scope="module")
def ready(documents, settings) -> list[Prepared]:
    return [prepare(document, settings, Templates(), {}) for document in documents]


def scored_by(weights, document, settings) -> CoreferenceScored:
    state = CoreferenceState(weights, Templates(), singletons=False)
    return score([document], Model("coreference", "delayed-laso", settings, state))


def test_flags_of_pairs_say_what_the_comparisons_say(ready):
    seen = 0
    for one in ready:
        type_, person = one.reading.table.numeric["type"], one.reading.table.numeric["person"]
        for j in range(2, one.arcs.n + 1):
            for i in range(1, j):
                p = {
                    name: int(value)
                    for name, value in zip(COMPARISONS, comparisons(one.reading.table, i, j), strict=True)
                }
                a, b = type_[j - 1], type_[i - 1]
                talking = person[j - 1] in (1, 2) and person[i - 1] in (1, 2) and p["speaker"] > 0
                expected = (
                    MATCH_STRING * (p["string"] > 0 and a != 0)
                    | MATCH_HEAD * (p["heads"] > 0 and a != 0 and b != 0)
                    | MATCH_NAME * (p["names"] > 0)
                    | MATCH_WORDS * (p["words"] >= 2)
                    | CLASH_AGREEMENT * (2 in (p["gender"], p["number"], p["animacy"]))
                    | CLASH_NESTING * (p["nesting"] == 1)
                    | CLASH_SPEAKER * bool(talking and (person[j - 1] == person[i - 1]) != (p["speaker"] <= 2))
                    | CLASH_ENTITY * (p["entity"] == 2)
                )
                flag = one.arcs.bits[(j - 1) * (j - 2) // 2 + i - 1]
                assert flag == expected, (i, j)
                seen |= int(flag)
    assert seen == 255


def test_ranks_count_the_mentions_in_between(ready):
    one = ready[0]
    start, end = one.reading.table.numeric["start"], one.reading.table.numeric["end"]

    def compared(i, j, name):
        return int(comparisons(one.reading.table, i, j)[COLUMN[name]])

    for j in range(2, one.arcs.n + 1, 2):
        for i in range(1, j, 3):
            between = range(i + 1, j)
            agreeing = sum(
                start[j - 1] >= end[k - 1]
                and 2 not in [compared(k, j, name) for name in ("gender", "number", "animacy")]
                for k in between
            )
            assert compared(i, j, "rank") == (agreeing if agreeing < 4 else 4 if agreeing < 8 else 5)
            assert compared(i, j, "same_head_rank") == min(2, sum(compared(k, j, "heads") > 0 for k in between))
            subjects = sum(one.reading.table.text["relation"][k - 1].startswith(("nsubj", "S-")) for k in between)
            assert compared(i, j, "subject_rank") == min(3, subjects)


@pytest.mark.parametrize("window", [3, 200])
def test_candidates_are_near_or_share_a_word_or_are_asked_for(ready, window):
    for one in ready[:3]:
        table, templates = one.reading.table, Templates()
        words = [
            set(table.words[a:b].tolist()) for a, b in zip(table.word_offsets, table.word_offsets[1:], strict=False)
        ]
        asked = {(1, one.arcs.n), (2, one.arcs.n), (1, one.arcs.n - 1)}
        arcs = pairs.build_arcs(
            table,
            compile_templates(templates.root),
            compile_templates(templates.pair),
            size=TABLE,
            window=window,
            extra=sorted(asked),
        )
        for j in range(1, one.arcs.n + 1):
            near = [0]
            for i in range(1, j):
                nouns = table.text["type"][i - 1] != "P" and table.text["type"][j - 1] != "P"
                same_lemma = table.text["lemma"][i - 1] == table.text["lemma"][j - 1]
                alike = nouns and (same_lemma or bool(words[i - 1] & words[j - 1]))
                if j - i <= window or alike or (i, j) in asked:
                    near.append(i)
            assert arcs.heads[arcs.offsets[j - 1] : arcs.offsets[j]].tolist() == near


@pytest.mark.parametrize("share", [1.0, 0.3, 0.0], ids=["all", "some", "none"])
def test_arcs_scored_as_they_are_made_have_the_sums_of_their_rows(documents, settings, ready, share):
    """Features without a weight are turned away by a map of bits, so the share that has one matters."""
    rng = np.random.default_rng(0)
    weights = np.zeros(TABLE)
    seen = np.unique(np.concatenate([one.arcs.rows.ravel() for one in ready]))
    kept = seen[(rng.random(len(seen)) < share) & (seen > 0)]
    weights[kept] = rng.normal(size=len(kept))
    for document, one in zip(documents, ready, strict=True):
        scored = scored_by(weights, document, settings)
        assert (scored.head == one.arcs.heads).all() and (scored.flags == one.arcs.bits).all()
        # To the last bit: a model must decide alike while it is trained and afterwards.
        assert (scored.score == score_arcs(weights, one.arcs)).all()
        assert scored.score == pytest.approx(weights[one.arcs.rows].sum(axis=1))


def test_a_document_prepared_for_one_model_is_not_scored_by_another(documents):
    weights = np.zeros(TABLE)
    scored = scored_by(weights, documents[0], CoreferenceSettings())
    with pytest.raises(ValueError, match="scores only"):
        score_arcs(weights, scored.instance())


def test_several_threads_make_the_same_arcs(documents, settings, ready, monkeypatch):
    parts = []

    def fill(part, *rest, true=pairs._fill):
        parts.append(part)
        true(part, *rest)

    monkeypatch.setattr(pairs, "ARCS_PER_THREAD", 50)
    monkeypatch.setattr(pairs, "cores", lambda: 3)
    monkeypatch.setattr(pairs, "_fill", fill)
    for document, one in zip(documents, ready, strict=True):
        parts.clear()
        again = prepare(document, settings, Templates(), {})
        assert sorted(parts) == pairs._shares(one.arcs.offsets, min(3, len(one.arcs.heads) // 50 + 1))
        assert [mention for part in sorted(parts) for mention in range(*part)] == list(range(one.arcs.n))
        assert (again.arcs.rows == one.arcs.rows).all() and (again.arcs.bits == one.arcs.bits).all()
    assert len(parts) == 3


def test_an_explained_row_has_the_numbers_of_the_table(ready):
    templates = Templates()
    root, pair = compile_templates(templates.root), compile_templates(templates.pair)
    for one in ready[:2]:
        for j in range(1, one.arcs.n + 1, 4):
            for row in range(one.arcs.offsets[j - 1], one.arcs.offsets[j]):
                head = int(one.arcs.heads[row])
                used = pair if head else root
                features = pairs.explained_row(one.reading.table, one.arcs.codes, used, head, j, size=TABLE)
                assert [number for _, number in features] == one.arcs.rows[row][: len(used.names)].tolist()
                assert all(bool(words) == bool(number) for words, number in features)
