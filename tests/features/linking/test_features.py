"""What single features say of small texts."""

from __future__ import annotations

import numpy as np
import pytest

from engine.data.document import Document
from engine.features.linking.all import BASIC, UNLISTED, basic_matrix
from engine.features.linking.candidates import collect
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.readings import Reader
from engine.features.linking.registry import CandidateTable
from engine.features.linking.text.tokens import read_tokens
from engine.lexicon.assembling import assemble

COLUMN = {feature.name: i for i, feature in enumerate(BASIC)}
NAMES = {
    "bank of england": "Bank of England",
    "england": "England",
    "bbc": "BBC",
    "houston": "Houston Astros",
    "brewers": "Milwaukee Brewers",
}
TYPES = {"Houston Astros": ["sports.sports_team"], "Milwaukee Brewers": ["sports.sports_team"]}


@pytest.fixture(scope="module")
def inventory():
    records = [(surface, [(title, 1, ("wikipedia",))]) for surface, title in NAMES.items()]
    return Inventory(assemble(lambda: records, {title: {"types": types} for title, types in TYPES.items()}), ())


def value(feature: str, text: str, surface: str, title: str, inventory: Inventory) -> float:
    tokens = read_tokens(Document("t", text))
    candidates = collect(
        [tokens], [Proposer(inventory, ()).spans(tokens)], [Reader(inventory, Memory().view(None))], inventory
    )
    table = CandidateTable(candidates, inventory)
    rows = [
        row
        for row, m in enumerate(candidates.mention)
        if text[slice(*candidates.characters(int(m)))] == surface and table.titles[row] == title
    ]
    assert len(rows) == 1
    return float(basic_matrix(table)[rows[0], COLUMN[feature]])


def test_a_name_inside_a_longer_capitalised_title_knows_so(inventory):
    inside = value("inside_title", "at the Bank of England today", "England", "England", inventory)
    assert inside == pytest.approx(2 / 3)
    assert value("inside_title", "at the bank in England today", "England", "England", inventory) == 0.0


def test_a_name_in_an_address_goes_on(inventory):
    assert value("goes_on_after", "see bbc.co for it", "bbc", "BBC", inventory) == 1.0
    assert value("goes_on_after", "I saw bbc. It was on", "bbc", "BBC", inventory) == 0.0
    assert value("goes_on_before", "see news.bbc for it", "bbc", "BBC", inventory) == 1.0
    assert value("goes_on_before", "bbc for it", "bbc", "BBC", inventory) == 0.0


def test_a_team_among_teams_has_kindred(inventory):
    assert value("kindred", "#Brewers lead in Houston", "Houston", "Houston Astros", inventory) == 1.0
    assert value("kindred", "a trip to Houston", "Houston", "Houston Astros", inventory) == 0.0


def test_the_column_of_guesses_marks_titles_that_the_knowledge_base_lacks(inventory):
    assert BASIC[UNLISTED].name == "unlisted_title"
    text = "they met Roger Cheng in England"
    assert value("unlisted_title", text, "Roger Cheng", "Roger Cheng", inventory) == 1.0
    assert value("unlisted_title", text, "England", "England", inventory) == 0.0
    assert np.isfinite(value("kindred", text, "Roger Cheng", "Roger Cheng", inventory))
