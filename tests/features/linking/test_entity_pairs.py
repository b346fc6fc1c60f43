"""The entity-entity features of the second stage, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.data.document import Document
from engine.features.linking.candidates import collect
from engine.features.linking.entity_pairs import pair_matrix
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.readings import Reader
from engine.features.linking.registry import CandidateTable
from engine.features.linking.text.tokens import read_tokens
from engine.lexicon.assembling import assemble

LINKS = {
    "Alpha": {"links": ["List of letters", "Alphabet", "Beta"]},
    "Beta": {"links": ["List of letters", "Alphabet"]},
    "Beta (film)": {"links": ["1954 in film"]},
    "Gamma": {"links": ["Beta", "Radiation"]},
}
"""Alphabet, List of letters, 1954 in film and Radiation are pages that no name stands for."""
NAMES = {"alpha": ["Alpha"], "beta": ["Beta", "Beta (film)"], "gamma": ["Gamma"]}


def features(text: str, chosen: list[str], rows: dict[str, dict[str, object]]) -> dict[str, tuple[float, float]]:
    """(Jaccard, is the mention's highest) of every entity that the text may name, given those that were chosen."""
    records = [(surface, [(title, 1, ("wikipedia",)) for title in titles]) for surface, titles in NAMES.items()]
    inventory = Inventory(assemble(lambda: records, rows), ())
    tokens = read_tokens(Document("t", text))
    candidates = collect(
        [tokens], [Proposer(inventory, ()).spans(tokens)], [Reader(inventory, Memory().view(None))], inventory
    )
    table = CandidateTable(candidates, inventory)
    picked = np.array([row for row in range(candidates.n_rows) if table.titles[row] in chosen], dtype=np.intp)
    made = pair_matrix(table, picked)
    return {table.titles[row]: (float(made[row, 0]), float(made[row, 1])) for row in range(candidates.n_rows)}


def test_pages_outside_the_lexicon_tie_entities_together():
    found = features("alpha and beta", ["Alpha", "Beta"], LINKS)
    assert found["Alpha"][0] == pytest.approx(2 / 3)
    assert found["Beta"][0] == pytest.approx(2 / 3)


def test_the_highest_of_a_mention_is_marked_and_0_never_is():
    found = features("alpha and beta", ["Alpha"], LINKS)
    assert found["Beta"][1] == 1.0 and found["Beta (film)"] == (0.0, 0.0)
    assert features("beta", ["Beta"], LINKS) == {"Beta": (0.0, 0.0), "Beta (film)": (0.0, 0.0)}


def test_an_entity_is_compared_with_all_others_found_but_not_with_itself():
    found = features("alpha and beta with gamma", ["Alpha", "Beta", "Gamma"], LINKS)
    assert found["Alpha"][0] == pytest.approx(3 / 4), "Beta and Gamma have List of letters, Alphabet, Beta, Radiation"
    assert found["Gamma"][0] == pytest.approx(1 / 4)


def test_without_any_links_the_words_of_descriptions_are_compared():
    described = {"Alpha": {"description": "ancient letter, Greek"}, "Beta": {"description": "the modern Greek letter"}}
    found = features("alpha and beta", ["Alpha", "Beta"], described)
    assert found["Alpha"][0] == pytest.approx(2 / 4)
