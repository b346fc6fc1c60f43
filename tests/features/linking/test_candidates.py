"""Which spans are proposed, and for which titles: compounds, hashtags and user names, guesses, names said again."""

from __future__ import annotations

import pytest

from engine.data.document import Document
from engine.features.linking.candidates import collect
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import Memory
from engine.features.linking.proposing.proposer import Proposer
from engine.features.linking.readings import Reader
from engine.features.linking.text.tokens import read_tokens
from engine.lexicon.assembling import assemble

NAMES = {
    "tampa bay rays": "Tampa Bay Rays",
    "rays": "Tampa Bay Rays",
    "yankees": "New York Yankees",
    "t-mobile": "T-Mobile",
    "sky news": "Sky News",
    "jls": "JLS",
    "alex morgan": "Alex Morgan",
    "tom watson": "Tom Watson (golfer)",
    "graeme mcdowell": "Graeme McDowell",
}


@pytest.fixture(scope="module")
def inventory():
    records = [(surface, [(title, 1, ("wikipedia",))]) for surface, title in NAMES.items()]
    return Inventory(assemble(lambda: records, {}), ("tweets_train",))


def found(text: str, inventory: Inventory) -> set[tuple[str, str]]:
    """(surface in the text, title) of every candidate."""
    tokens = read_tokens(Document("t", text))
    candidates = collect(
        [tokens], [Proposer(inventory, ()).spans(tokens)], [Reader(inventory, Memory().view(None))], inventory
    )
    spans = [candidates.characters(int(m)) for m in candidates.mention]
    return {(text[a:b], candidates.title(row, inventory)) for row, (a, b) in enumerate(spans)}


def test_both_sides_of_a_compound_may_be_names_and_a_name_with_a_hyphen_stays_whole(inventory):
    rows = found("a Yankees-Rays game on T-Mobile", inventory)
    assert ("Yankees", "New York Yankees") in rows
    assert ("Rays", "Tampa Bay Rays") in rows
    assert ("T-Mobile", "T-Mobile") in rows


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("RT @JLSOfficial hi", ("JLSOfficial", "JLS")),
        ("ask @SkyNewsBreak now", ("SkyNewsBreak", "Sky News")),
        ("go @alexmorgan13 go", ("alexmorgan13", "Alex Morgan")),
        ("well done @Graeme_McDowell", ("Graeme_McDowell", "Graeme McDowell")),
    ],
)
def test_user_names_are_found_beside_what_is_customary_to_add(inventory, text, row):
    assert row in found(text, inventory)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("via @MarketWatch today", "MarketWatch"),
        ("via @MarketWatch today", "Market Watch"),
        ("by @DavidCornDC today", "David Corn"),
        ("they met Roger Cheng today", "Roger Cheng"),
    ],
)
def test_a_capitalised_span_is_guessed_to_be_a_title(inventory, text, title):
    assert title in {found_title for _, found_title in found(text, inventory)}


def test_a_word_stands_for_the_longer_name_that_it_closes_elsewhere_in_the_text(inventory):
    rows = found("Tom Watson aces: Watson did it, said Roger Cheng. Cheng left", inventory)
    assert ("Watson", "Tom Watson (golfer)") in rows
    assert ("Cheng", "Roger Cheng") in rows
    assert ("Cheng", "Roger Cheng") not in found("I said that Cheng left", inventory)


def test_a_full_mention_keeps_what_its_name_as_written_may_mean():
    """Twenty well-known readings of "BBC" must not crowd out the one that the lexicon has for "BBC1"."""
    crowd = [(f"BBC Radio {i}", 100 + i, ("wikipedia",)) for i in range(20)]
    records = [("bbc", crowd), ("bbc1", [("BBC One", 0, ("wikidata_alias",))])]
    rows = found("on BBC1 tonight", Inventory(assemble(lambda: records, {}), ()))
    titles = {title for surface, title in rows if surface == "BBC1"}
    assert "BBC One" in titles and len(titles) == 12
    assert {f"BBC Radio {i}" for i in range(9, 20)} == titles - {"BBC One"}, "the likeliest of the rest"
