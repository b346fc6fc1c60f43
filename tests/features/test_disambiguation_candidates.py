"""Candidates that come from a lexicon: how many, of whom, with which priors, and what is known of them."""

from __future__ import annotations

import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.features.disambiguation.candidates import candidates_of
from engine.features.disambiguation.classes import entity_class, mention_class
from engine.features.disambiguation.priors import Links, Priors
from engine.features.disambiguation.table import ENTITY_TYPES, tabulate
from engine.lexicon.assembling import assemble

WIKI = ("wikipedia",)


def document(text, *surfaces, type=None, candidates=None):
    mentions, at = [], 0
    for surface in surfaces:
        start = text.index(surface, at)
        at = start + len(surface)
        extra = {} if candidates is None else {"candidates": candidates}
        mentions.append(Mention(start, at, type=type, extra=extra))
    return Document("d", text, layers={GOLD: Layer(tuple(mentions))})


def titles(found):
    return [choice.title for choice in found]


def priors(records, rows=None, links=None, **tags):
    return Priors(Links(links or {}), assemble(lambda: records, rows or {}), **tags)


def looked_up(text, source, *, most=30, given=True):
    return candidates_of(text, text.gold.mentions, source, most=most, own=False, given=given)


def test_only_the_likeliest_readings_become_candidates():
    crowd = [(f"Smith {i}", i + 1, WIKI) for i in range(40)]
    [found] = looked_up(document("Smith spoke", "Smith"), priors([("smith", crowd)]))
    assert titles(found) == [f"Smith {i}" for i in range(39, 9, -1)]
    [few] = looked_up(document("Smith spoke", "Smith"), priors([("smith", crowd)]), most=2)
    assert titles(few) == ["Smith 39", "Smith 38"]


def test_the_lexicon_and_the_training_links_count_alike():
    source = priors(
        [("ely", [("Ely (city)", 9, WIKI), ("Ely (lake)", 1, WIKI)])], links={"ely": {"Ely (lake)": {"x": 1}}}
    )
    assert source.ranked("ely")[0] == ("Ely (lake)", pytest.approx((1 + 1.1 / 10.2) / 2))
    assert source.ranked("ely")[1] == ("Ely (city)", pytest.approx(9.1 / 10.2 / 2))


def test_links_of_the_training_documents_are_taken_out_of_the_sources_that_hold_them():
    records = [("ely", [("Ely (city)", 5, ("news", "wikipedia")), ("Ely (lake)", 3, WIKI)])]
    links = {"ely": {"Ely (city)": {"a": 2, "b": 2}, "Ely (lake)": {"a": 1}}}
    held = priors(records, links=links, own_tags=("news",)).lexicon_prior("ely")
    assert held == pytest.approx({"Ely (city)": 1.1 / 4.2, "Ely (lake)": 3.1 / 4.2})
    free = priors(records, links=links, own_tags=()).lexicon_prior("ely")
    assert free == pytest.approx({"Ely (city)": 5.1 / 8.2, "Ely (lake)": 3.1 / 8.2})


def test_sources_that_say_nothing_independent_are_left_out_where_they_stand_alone():
    records = [("ely", [("Ely", 4, ("title",)), ("Ely (city)", 1, ("title", "wikipedia")), ("Ely (lake)", 1, WIKI)])]
    assert set(priors(records).lexicon_prior("ely")) == {"Ely (city)", "Ely (lake)"}
    assert "Ely" in priors(records, ignored_tags=()).lexicon_prior("ely")


PERSONS = [
    ("hendrix", [("Hendrix College", 5, WIKI)]),
    ("jimi hendrix", [("Jimi Hendrix", 5, WIKI)]),
    ("the jimi hendrix experience", [("The Jimi Hendrix Experience", 5, WIKI)]),
]


@pytest.mark.parametrize("type", ["PER", "Person", "person", "I-PER", "/people/person", "Peop", "schema:Person"])
def test_a_name_takes_the_candidates_of_the_longest_person_around_it(type):
    text = document("Hendrix, Jimi Hendrix, the Jimi Hendrix Experience", "Hendrix", "Jimi Hendrix", type=type)
    first, second = looked_up(text, priors(PERSONS))
    assert titles(first) == titles(second) == ["Jimi Hendrix"]
    every = document(text.text, "Hendrix", "Jimi Hendrix", "the Jimi Hendrix Experience", type=type)
    assert [titles(found) for found in looked_up(every, priors(PERSONS))] == [["The Jimi Hendrix Experience"]] * 3


@pytest.mark.parametrize("type", ["ORG", "Location", "Thing"])
def test_what_is_no_person_keeps_its_own_candidates(type):
    text = document("Hendrix, Jimi Hendrix", "Hendrix", "Jimi Hendrix", type=type)
    assert titles(looked_up(text, priors(PERSONS))[0]) == ["Hendrix College"]


def test_without_types_the_lexicon_says_who_is_a_person():
    text = document("Hendrix, Jimi Hendrix", "Hendrix", "Jimi Hendrix")
    typed = priors(PERSONS, {"Jimi Hendrix": {"types": ["person.musician"]}})
    assert titles(looked_up(text, typed)[0]) == ["Jimi Hendrix"]
    assert titles(looked_up(text, priors(PERSONS))[0]) == ["Hendrix College"]


def test_candidates_carry_what_the_lexicon_knows_of_them():
    rows = {
        "Paris": {"types": ["location.city"], "popularity": 7.0, "links": ["France", "List of capitals"]},
        "France": {"types": ["location.country"], "popularity": 9.0, "links": ["Paris"]},
        "Paris Hilton": {"types": ["class.PER"]},
    }
    records = [("paris", [("Paris", 3, WIKI), ("Paris Hilton", 1, WIKI)]), ("france", [("France", 1, WIKI)])]
    table = tabulate([document("Paris in France", "Paris", "France")], priors(records, rows))
    assert [table.titles[entity] for entity in table.entity] == ["Paris", "Paris Hilton", "France"]
    assert [ENTITY_TYPES[code] for code in table.type] == ["GPE", "PER", "GPE"]
    assert list(table.popularity) == [7.0, 0.0, 9.0] and list(table.in_count) == [2.0, 0.0, 1.0]
    linked = [table.links[table.link_offsets[slot] : table.link_offsets[slot + 1]].tolist() for slot in range(3)]
    assert linked == [[2], [], [0]], "Paris and France link to each other; the list is not a candidate"


def test_given_candidates_can_be_ignored_and_titles_among_them_are_looked_up():
    rows = {"Paris, Texas": {"popularity": 2.0}}
    source = priors([("paris", [("Paris", 3, WIKI)])], rows)
    text = document("Paris", "Paris", candidates=["Paris, Texas"])
    [given] = looked_up(text, source)
    assert titles(given) == ["Paris, Texas"] and given[0].popularity == 2.0
    assert titles(looked_up(text, source, given=False)[0]) == ["Paris"]


def test_types_are_known_by_any_spelling():
    spelled = ("B-LOC", "Place", "GPE", "Organization", "/organization/organisation", "MISC", "Event", None)
    assert [mention_class(type) for type in spelled] == ["LOC", "LOC", "LOC", "ORG", "ORG", "MISC", None, None]
    assert [
        entity_class([type]) for type in ("class.GPE", "/people/person", "sports.sports_team", "tv.tv_program")
    ] == [
        "GPE",
        "PER",
        "ORG",
        None,
    ]


NAMES = [
    ("new york jets", [("New York Jets", 5, WIKI)]),
    ("chelsea", [("Chelsea F.C.", 9, WIKI), ("Chelsea, London", 3, WIKI)]),
    ("arsenal", [("Arsenal F.C.", 4, WIKI)]),
    ("beyoncé", [("Beyoncé", 4, WIKI)]),
    ("beyonce", [("Beyoncé", 4, WIKI)]),
    ("joe paterno", [("Joe Paterno", 4, WIKI)]),
]


def read(text, source):
    return [title for title, _ in source.readings(text)]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("#NewYorkJets", "New York Jets"),
        ("@newyorkjets", "New York Jets"),
        ("Arsenal's", "Arsenal F.C."),
        ("#Arsenal's", "Arsenal F.C."),
        ("The Arsenal", "Arsenal F.C."),
        ("BEYONCÉ", "Beyoncé"),
    ],
)
def test_names_that_are_written_otherwise_are_found_by_their_other_forms(written, title):
    assert read(written, priors(NAMES, lookup="forms"))[:1] == [title]
    assert read("BEYONCÉ", priors(NAMES))[:1] == ["Beyoncé"], "as written, but for its capitals"
    if written != "BEYONCÉ":
        assert read(written, priors(NAMES)) == []


def test_a_name_that_is_known_as_written_has_no_other_readings():
    assert read("Chelsea", priors(NAMES, lookup="forms")) == ["Chelsea F.C.", "Chelsea, London"]


def test_priors_of_looked_up_names_average_lexicon_and_training():
    links = {"chelsea": {"Chelsea, London": {"a": 1}}}
    found = dict(priors(NAMES, links=links, lookup="forms").readings("Chelsea"))
    assert found == pytest.approx({"Chelsea, London": (1 + 3.1 / 12.2) / 2, "Chelsea F.C.": 9.1 / 12.2 / 2})
    alone = dict(priors(NAMES, links=links, lookup="forms").readings("Chelsea", "a"))
    assert alone == pytest.approx({"Chelsea, London": 3.1 / 12.2, "Chelsea F.C.": 9.1 / 12.2})


def test_an_unknown_name_may_be_a_title_of_its_own():
    source = priors(NAMES, lookup="forms")
    assert source.readings("Rebekah Wade") == [("Rebekah Wade", 0.0)]
    assert read("rebekah wade", source) == ["Rebekah Wade"]
    assert read("#RebekahWade", source) == ["Rebekah Wade"]
    assert read("UEFA", source) == ["UEFA"], "abbreviations keep their capitals"
    assert read("@", source) == []
    assert Priors(Links({}), None, lookup="forms").readings("Ely") == [], "nothing is guessed without a lexicon"


def test_a_title_that_only_the_training_corpus_links_does_not_answer_for_its_pieces():
    rows = {"Brian Lara": {"popularity": 9.0}}
    own = [("brian lara", [("Brian Lara", 3, ("news",))])]
    shared = [("brian lara", [("Brian Lara", 3, ("news", "wikipedia"))])]
    assert "Brian Lara" in read("Lara", priors(shared, rows, own_tags=("news",), lookup="forms"))
    assert read("Lara", priors(own, rows, own_tags=("news",), lookup="forms")) == ["Lara"]


@pytest.mark.parametrize(
    ("candidates", "says"),
    [
        ([{"title": "Rome", "id": []}], "'id'"),
        ([{"title": "Rome", "in_count": "many"}], "'in_count'"),
        ([{"title": "Rome", "in_count": -1}], "'in_count'"),
        ([{"title": "Rome", "pop": 10**400}], "'pop'"),
        ([{"title": "Rome", "links": [[1]]}], "'links'"),
        ([{"title": "Rome", "type": {}}], "'type'"),
        ([7], "a title or an object"),
        (7, "a list"),
    ],
)
def test_candidates_that_come_with_a_document_may_come_from_anywhere(candidates, says):
    with pytest.raises(InputError, match=says):
        looked_up(document("Rome fell", "Rome", candidates=candidates), priors([]))
