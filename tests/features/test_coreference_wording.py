"""Every number that a comparison or a cluster fact takes has words of its own."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corpora import read
from engine.features.coreference import wording
from engine.features.coreference.arcs.comparisons import comparisons
from engine.features.coreference.templates import CLUSTER_FACTS, COMPARISONS, Templates
from engine.learners.laso.arrays import N_FACTS
from engine.learners.laso.clusters import cluster_facts
from engine.tasks.coreference.scoring import prepare
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import RULES
from ui.background.first import sample_files


@pytest.fixture(scope="module")
def ready():
    documents = read(sample_files("coreference")["dev"])[:4]
    return [prepare(document, CoreferenceSettings(), Templates(), {}) for document in documents]


def test_values_of_comparisons_are_told_apart_in_words(ready):
    seen = {name: set() for name in COMPARISONS}
    for one in ready:
        for anaphor in range(2, one.arcs.n + 1, 3):
            for antecedent in range(1, anaphor):
                for name, value in zip(COMPARISONS, comparisons(one.reading.table, antecedent, anaphor), strict=True):
                    seen[name].add(int(value))
    for name, values in seen.items():
        words = {wording.compared(name, value) for value in values}
        # Of two mentions with the same string nothing more is worth saying.
        same = {value for value in values if name == "match" and value >= 15}
        assert len(words) == len(values) - max(0, len(same) - 1), name
    assert len(seen["sentences"]) > 5 and len(seen["match"]) > 3


def test_facts_about_clusters_are_told_apart_in_words(ready):
    seen = {name: set() for name in CLUSTER_FACTS}
    for one in ready:
        # All mentions in one chain: the cluster of mention j is everything before it.
        previous = np.arange(-1, one.arcs.n, dtype=np.int64)
        for j in range(2, one.arcs.n + 1):
            out = np.zeros(N_FACTS, np.int64)
            cluster_facts(j, j - 1, previous, one.arcs, RULES, out)
            for name, value in zip(CLUSTER_FACTS, out, strict=True):
                seen[name].add(int(value))
    for name, values in seen.items():
        assert len({wording.fact(name, value) for value in values}) == len(values), name
    assert len(seen["size"]) > 4


def test_a_pair_in_words():
    assert wording.compared("match", 2 * 5 + 1) == "heads same, words some shared"
    assert wording.compared("agreement", 1 * 9 + 2 * 3) == "gender agree, number clash"
    assert wording.compared("persons", (1 * 4 + 3) * 5 + 2) == "1st and 3rd person, speaker same speaker"
    assert wording.fact("types", 0b101) == "pronoun and common noun"
    assert wording.shape(((1 * 4 + 2) * 4 + 3) * 2) == "RCNP"
