"""Candidates, leave-one-out statistics and features of mentions."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError
from engine.features.disambiguation import text_vectors
from engine.features.disambiguation.all import extract
from engine.features.disambiguation.candidates import average, candidates_of
from engine.features.disambiguation.knowledge import keys_of, learn, rates, similarities
from engine.features.disambiguation.local import lead
from engine.features.disambiguation.pairs import CHANNELS, pair_features
from engine.features.disambiguation.priors import Links, Priors
from engine.features.disambiguation.strings import (
    FUNCTION_WORDS,
    WORD,
    coarse,
    fit,
    pattern,
    similarity,
    take_apart,
    topics,
)
from engine.features.disambiguation.table import GOLD_MISSING, NO_GOLD, tabulate
from engine.features.disambiguation.text_vectors import knows_words, text_similarities
from engine.features.disambiguation.vectors import read_vectors

NAMES = {name: i for i, (name, _) in enumerate(CHANNELS)}


def candidate(title: str, id: int, links: tuple[int, ...] = (), **more) -> dict:
    return {"id": id, "title": title, "in_count": 10, "links": list(links), **more}


def document(id: str, words: str, *mentions: tuple[str, str | None, list[dict] | None], type: str | None = None):
    text, placed = words, []
    at = 0
    for surface, entity, candidates in mentions:
        start = text.index(surface, at)
        at = start + len(surface)
        extra = {} if candidates is None else {"candidates": candidates}
        placed.append(Mention(start, at, type=type, entity=entity, extra=extra))
    return Document(id, text, layers={GOLD: Layer(tuple(placed))})


PARIS = [candidate("Paris", 1, (3,)), candidate("Paris, Texas", 2, (4,))]
FRANCE = [candidate("France", 3, (1,))]
TEXAS = [candidate("Texas", 4, (2,))]


def corpus() -> list[Document]:
    return [
        document("a", "Paris in France", ("Paris", "Paris", PARIS), ("France", "France", FRANCE)),
        document("b", "Paris in Texas", ("Paris", "Paris, Texas", PARIS), ("Texas", "Texas", TEXAS)),
        document("c", "Paris again, France", ("Paris", "Paris", PARIS), ("France", NIL, FRANCE)),
    ]


def no_source() -> Priors:
    return Priors(Links({}), None)


# Candidates


def test_given_candidates_are_used_as_they_are_whatever_their_order() -> None:
    one = document("a", "Paris", ("Paris", "Paris", PARIS))
    other = document("a", "Paris", ("Paris", "Paris", PARIS[::-1]))
    found = [candidates_of(d, d.gold.mentions, no_source(), most=1, own=False)[0] for d in (one, other)]
    assert found[0] == found[1]
    assert [c.title for c in found[0]] == ["Paris", "Paris, Texas"]


def test_priors_are_averaged_over_the_sources_that_know_the_surface() -> None:
    assert average([{"A": 1.0}, {"A": 0.5, "B": 0.5}, {}]) == [("A", 0.75), ("B", 0.25)]
    assert average([{"B": 0.5, "A": 0.5}], most=1) == [("A", 0.5)]


def test_a_training_document_does_not_propose_its_own_entities() -> None:
    documents = [
        document("a", "Ely", ("Ely", "Ely (city)", None)),
        document("b", "Ely", ("Ely", "Ely (lake)", None)),
    ]
    source = Priors(Links.of(documents), None)

    def titles(own: bool) -> list[str]:
        found = candidates_of(documents[0], documents[0].gold.mentions, source, most=30, own=own)
        return [c.title for c in found[0]]

    assert titles(True) == ["Ely (lake)"]
    assert titles(False) == ["Ely (city)", "Ely (lake)"]


def test_a_name_inside_a_longer_person_takes_its_candidates() -> None:
    source = Priors(Links({"jimi hendrix": {"Jimi Hendrix": {"x": 1}}, "hendrix": {"Hendrix College": {"x": 1}}}), None)
    text = document("a", "Hendrix was Jimi Hendrix", ("Hendrix", None, None), ("Jimi Hendrix", None, None), type="PER")
    found = candidates_of(text, text.gold.mentions, source, most=30, own=False)
    assert [c.title for c in found[0]] == ["Jimi Hendrix"]


def test_candidates_without_a_title_are_refused() -> None:
    bad = document("a", "Paris", ("Paris", "Paris", [{"id": 1}]))
    with pytest.raises(InputError, match="title"):
        candidates_of(bad, bad.gold.mentions, no_source(), most=30, own=False)


# The table


def test_gold_is_a_row_or_says_why_not() -> None:
    table = tabulate(
        [
            document(
                "a", "Paris Paris Paris", ("Paris", "Paris", PARIS), ("Paris", NIL, PARIS), ("Paris", "Rome", PARIS)
            )
        ],
        no_source(),
    )
    assert table.titles[table.entity[table.gold[0]]] == "Paris"
    assert list(table.gold[1:]) == [NO_GOLD, GOLD_MISSING]


def test_forced_entities_become_candidates() -> None:
    table = tabulate(corpus()[:1], no_source(), forced={"a": {0: ["Paris Hilton", "Paris"]}})
    assert [table.titles[e] for e in table.entity[: table.row_offsets[1]]] == ["Paris", "Paris Hilton", "Paris, Texas"]


def test_links_to_oneself_are_left_out() -> None:
    selfish = [candidate("Paris", 1, (1, 3))]
    table = tabulate(
        [document("a", "Paris France", ("Paris", "Paris", selfish), ("France", "France", FRANCE))], no_source()
    )
    assert list(table.links[table.link_offsets[0] : table.link_offsets[1]]) == [1]


# Strings


@pytest.mark.parametrize(
    ("title", "mention", "expected"),
    [
        ("Boston Red Sox", "boston", "* red sox"),
        ("Greece national football team", "greek", "~ national football team"),
        ("Athens, Ohio", "athens", "* ,"),
        ("Mercury (planet)", "mercury", "* (planet)"),
    ],
)
def test_patterns_replace_the_mentions_words(title: str, mention: str, expected: str) -> None:
    assert pattern(take_apart(title), (mention,)) == expected


def test_coarse_patterns_tell_the_form() -> None:
    assert [coarse(p) for p in ("*", "* red sox", "* ,", "* (planet)", "juventus")] == ["*", "*+", "*,+", "*(+", "-"]


def test_what_a_title_adds_is_the_same_for_every_sport() -> None:
    def added(title: str, mention: str, *words: str) -> str:
        return fit(take_apart(title), (mention,), topics(words))

    cricket = added("England cricket team", "england", "cricket", "wicket")
    assert cricket == added("Wales rugby team", "wales", "rugby") == "*+\tteam\ta"
    assert added("England cricket team", "england", "rugby") == "*+\tteam\tn"
    assert added("Greece national football team", "greek", "football", "goal") == "~+\tteam\ts"
    assert added("Ian Smith (cricketer)", "smith", "cricket") == "*(+\t\ts"
    assert added("England", "england", "cricket") == "*\t\t"
    assert added("Athens, Ohio", "athens", "ohio") == "*,+\t\t"


def test_rates_of_what_titles_add_carry_over_to_unseen_entities() -> None:
    def play(id: str, sport: str, country: str, entity: str) -> Document:
        choices = [candidate(country, 1), candidate(f"{country} {sport} team", 2)]
        return document(id, f"{country} at {sport}", (country, entity, choices), type="LOC")

    taught = tabulate([play("a", "rugby", "Wales", "Wales rugby team")], no_source())
    knowledge = learn(taught, {})
    asked = tabulate([play("b", "cricket", "England", "England cricket team")], no_source())
    weights = similarities(asked, knowledge, own=False, leave_out=0)
    offered, right = rates(asked, knowledge, keys_of(asked, {})["fit"], "fit", weights)[:, :2].T
    assert [asked.titles[e] for e in asked.entity] == ["England", "England cricket team"]
    assert offered.tolist() == [1.0, 1.0] and right.tolist() == [0.0, 1.0]


def test_acronyms_are_recognised() -> None:
    assert similarity("nba", "National Basketball Association")[6] == 1.0


# Statistics


def test_leaving_a_document_out_equals_learning_without_it() -> None:
    documents = corpus()
    table = tabulate(documents, no_source())
    knowledge = learn(table, {})
    keys = keys_of(table, {})
    own = rates(table, knowledge, keys["link"], "link", similarities(table, knowledge, own=True, leave_out=0))
    bounds = table.row_offsets[table.document_offsets]
    for d in range(3):
        rest = tabulate([one for i, one in enumerate(documents) if i != d], no_source())
        without = learn(rest, {})
        alone = tabulate([documents[d]], no_source())
        weights = similarities(alone, without, own=False, leave_out=0)
        expected = rates(alone, without, keys_of(alone, {})["link"], "link", weights)
        assert np.array_equal(own[bounds[d] : bounds[d + 1], :2], expected[:, :2])


def test_neighbours_can_be_left_out_too() -> None:
    table = tabulate(corpus(), no_source())
    weights = similarities(table, learn(table, {}), own=True, leave_out=1)
    assert (weights > 0).tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def test_training_features_of_a_document_do_not_depend_on_its_own_gold() -> None:
    documents = corpus()
    first = documents[0]
    wrong = first.with_layer(
        GOLD, Layer((replace(first.gold.mentions[0], entity="Paris, Texas"), first.gold.mentions[1]))
    )
    found = []
    for variant in (first, wrong):
        table = tabulate([variant, *documents[1:]], no_source(), own=True)
        knowledge = learn(table, {})
        features = extract(table, knowledge, "graph", own=True, leave_out=0)
        n = int(table.row_offsets[table.document_offsets[1]])
        found.append((features.own[:n], features.pairs.values[: features.pairs.offsets[1]]))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_a_document_looks_the_same_whatever_stands_beside_it() -> None:
    """Else what a page shows of one document would not be what the whole corpus was scored with."""
    documents = [replace_types(one, types) for one, types in zip(corpus(), ("PER", "LOC", "ORG"), strict=True)]
    knowledge = learn(tabulate(documents, no_source(), most=30), {})

    def features(some: list[Document]):
        return extract(tabulate(some, no_source(), most=30), knowledge, "graph", own=False, leave_out=0)

    together, first, first_pair = features(documents), 0, 0
    for one in documents:
        alone = features([one])
        rows, pairs = len(alone.own), len(alone.pairs.values)
        assert np.array_equal(together.own[first : first + rows], alone.own), one.id
        assert np.array_equal(together.pairs.values[first_pair : first_pair + pairs], alone.pairs.values), one.id
        first, first_pair = first + rows, first_pair + pairs


def replace_types(one: Document, type: str) -> Document:
    mentions = tuple(replace(mention, type=type) for mention in one.gold.mentions)
    return one.with_layer(GOLD, replace(one.gold, mentions=mentions))


def test_leads_are_over_the_best_other_of_the_group() -> None:
    values = np.array([1.0, 3.0, 2.0, 5.0], dtype=np.float32)
    assert lead(values, np.array([0, 3, 4])).tolist() == [-2.0, 1.0, -1.0, 0.0]


# Pairs


def test_pairs_hold_links_sameness_and_shared_links() -> None:
    a, b, c = candidate("A", 1, (2, 3)), candidate("B", 2, (1, 3)), candidate("C", 3, (1, 2))
    table = tabulate([document("a", "x y z", ("x", "A", [a]), ("y", "B", [b]), ("z", "C", [c]))], no_source())
    pairs = pair_features(table, learn(table, {}), own=True, leave_out=0)
    square = {
        name: pairs.values[:, pairs.channels.index(i)].reshape(3, 3) for name, i in NAMES.items() if i in pairs.channels
    }
    assert (square["link"] == 255 * (1 - np.eye(3))).all()
    assert (square["same entity"] == 255 * np.eye(3)).all()
    assert square["shared links"][0, 1] == round(255 / 3)
    assert not square["together"].any()


def test_pairs_are_symmetric() -> None:
    table = tabulate(corpus(), no_source())
    pairs = pair_features(table, learn(table, {}), own=False, leave_out=0)
    for d in range(3):
        n = int(np.diff(table.slot_offsets)[d])
        block = pairs.values[pairs.offsets[d] : pairs.offsets[d + 1]].reshape(n, n, -1)
        assert np.array_equal(block, block.transpose(1, 0, 2))


def test_vectors_give_their_cosine() -> None:
    table = tabulate(corpus()[:1], no_source())
    vectors = {"Paris": np.array([1, 0], np.float32), "France": np.array([0.6, 0.8], np.float32)}
    pairs = pair_features(table, learn(table, {}), own=True, leave_out=0, vectors=vectors)
    n = len(table.slot_entity)
    titles = [table.titles[e] for e in table.slot_entity]
    cosines = pairs.values[:, pairs.channels.index(NAMES["vectors"])].reshape(n, n)
    assert cosines[titles.index("Paris"), titles.index("France")] == 153


def test_vectors_give_their_cosine_with_the_words_around() -> None:
    table = tabulate(corpus()[:1], no_source())
    word, other = sorted(table.bows[0])[:2]
    vectors = {"Paris": np.array([1, 0], np.float32), word: np.array([0.6, 0.8], np.float32)}
    assert knows_words(table, vectors) and not knows_words(table, {"Paris": vectors["Paris"]})
    columns = dict(zip((named.name for named in text_vectors.NAMES), text_similarities(table, vectors).T, strict=True))
    is_paris = np.array([table.titles[e] == "Paris" for e in table.entity])
    assert np.allclose(columns["vector of document"][is_paris], 0.6)
    assert not columns["vector of document"][~is_paris].any(), "an entity without a vector is near to nothing"
    # A second word moves the mean as far as it is frequent.
    vectors[other] = np.array([0.0, -1.0], np.float32)
    total = table.bows[0][word] * vectors[word] + table.bows[0][other] * vectors[other]
    moved = text_similarities(table, vectors)[:, 0]
    assert np.allclose(moved[is_paris], total[0] / np.linalg.norm(total))
    surfaces = [set(WORD.findall(surface.lower())) for surface in table.surfaces]
    named = next(word for word in surfaces[0] if word not in FUNCTION_WORDS)
    similar = text_similarities(table, {"Paris": vectors["Paris"], named: np.array([0.8, 0.6], np.float32)})
    of_mention = {n.name: k for k, n in enumerate(text_vectors.NAMES)}
    for m, row in zip(table.mention_of_row(), range(table.n_rows), strict=True):
        expected = 0.8 if is_paris[row] else 0.0
        assert similar[row, of_mention["vector of mention"]] == pytest.approx(expected * (named in surfaces[m]))
        elsewhere = any(named in surfaces[k] for k in range(table.n_mentions) if k != m)
        assert similar[row, of_mention["vector of names"]] == pytest.approx(expected * elsewhere)


def test_text_and_binary_vectors_read_alike(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("2 2\nENTITY/New_York 3 4\nParis 0 2\n")
    rows = b"".join(
        name.encode() + b" " + struct.pack("<2f", *row) + b"\n"
        for name, row in (("New_York", (3, 4)), ("Paris", (0, 2)))
    )
    (tmp_path / "v.bin").write_bytes(b"2 2\n" + rows)
    text, binary = read_vectors(tmp_path / "v.txt"), read_vectors(tmp_path / "v.bin")
    assert set(text) == set(binary) == {"New York", "Paris"}
    assert np.allclose(text["New York"], [0.6, 0.8], atol=1e-3) and (binary["New York"] == text["New York"]).all()
    assert (text["New York"] == text["New York"].astype(np.float16)).all(), "a model file keeps them as they are"


def test_bad_vectors_name_the_line(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("2 2\nParis 0 2\nRome 1 x\n")
    with pytest.raises(InputError, match="line 3"):
        read_vectors(tmp_path / "v.txt")
    (tmp_path / "short.txt").write_text("2 2\nParis 0 2\n")
    with pytest.raises(InputError, match="holds 1 vectors, its first line says 2"):
        read_vectors(tmp_path / "short.txt")
    (tmp_path / "short.bin").write_bytes(b"2 2\nParis \x00")
    with pytest.raises(InputError, match="ends within vector 1"):
        read_vectors(tmp_path / "short.bin")
