"""The lexicon answers as a plain dict of its records would, whatever form a name is written in."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.data.errors import InputError
from engine.lexicon.aliases import title_aliases
from engine.lexicon.assembling import assemble
from engine.lexicon.build import build, open_or_build
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.surfaces import normalise, plain_title, split_camel, squeeze, squeeze_all, tokenise

names = st.text(st.sampled_from("ab cé.'"), min_size=1, max_size=6).map(normalise).filter(bool)
titles = st.sampled_from(["Ab", "Ab (film)", "Cé a", "B", "A b c"])
tag_lists = st.lists(st.sampled_from(["wiki", "tweets", "alias"]), min_size=1, max_size=2, unique=True).map(tuple)
readings = st.lists(st.tuples(titles, st.integers(0, 9), tag_lists), max_size=4)
record_lists = st.lists(st.tuples(names, readings), max_size=12)


@given(record_lists, st.sets(st.sampled_from(["wiki", "tweets", "alias"])))
def test_readings_are_the_sums_of_the_records_that_are_not_dropped(records, dropped):
    lexicon = assemble(lambda: records, {})
    expected = defaultdict(lambda: defaultdict(int))
    for surface, entities in records:
        for title, count, tags in entities:
            if not set(tags) <= dropped:
                expected[surface][title] += count
    for surface, _ in records:
        assert lexicon.readings(surface, without=sorted(dropped)) == expected[surface]
    assert lexicon.readings("no such name") == {}


@given(record_lists)
def test_a_saved_lexicon_and_its_parts_answer_alike(tmp_path_factory, records):
    lexicon = assemble(lambda: records, {"Ab": {"types": ["x"], "popularity": 2.0, "description": "an ab"}})
    folder = tmp_path_factory.mktemp("lexicon")
    lexicon.save(folder)
    for other in (Lexicon.open(folder), Lexicon.from_parts(lexicon.parts())):
        assert other.digest() == lexicon.digest()
        assert other.entities.entity(other.entities.number("Ab")).description == "an ab"
        for surface, _ in records:
            assert other.readings(surface) == lexicon.readings(surface)
            assert other.squeezed_matches(squeeze(surface)) == lexicon.squeezed_matches(squeeze(surface))


@given(st.lists(st.text(st.sampled_from("aB9é_ß -.'ő李"), max_size=6)))
def test_squeezing_many_names_squeezes_each(texts):
    assert squeeze_all(texts) == [squeeze(text) for text in texts]


@pytest.fixture(scope="module")
def small():
    surfaces = ["new york", "new york giants", "giants", "beyoncé", "beyonce", "us", "apple store", "o'neill"]
    return assemble(lambda: [(s, [(s.title(), 1, ("wiki",))]) for s in surfaces], {})


@pytest.mark.parametrize(
    ("text", "surface", "form"),
    [
        ("in New York today", "new york", "plain"),
        ("go #NewYorkGiants", "new york giants", "camel"),
        ("go @newyorkgiants88", "giants", None),
        ("the Giants' season", "giants", "plain"),
        ("Giants's season", "giants", "plain"),
        ("Beyonce sings", "beyonce", "plain"),
        ("BEYONCÉ sings", "beyonce", "folded"),
        ("the U.S. votes", "us", "bare"),
        ("two apple stores", "apple store", "plural"),
        ("#applestore", "apple store", "spaceless"),
        ("Shaq O'Neill", "o'neill", "plain"),
    ],
)
def test_every_written_form_of_a_name_is_found(small, text, surface, form):
    found = {match.key: match.form for match in small.matches(text)}
    assert found.get(surface) == form


def test_matches_are_ngrams_of_the_text(small):
    text = "New York Giants fans in New York, say RT @NewYorkGiants"
    tokens = tokenise(text)
    for match in small.matches(text):
        piece = text[tokens[match.first][0] : tokens[match.last - 1][1]]
        assert squeeze(match.key) in squeeze(piece)


@given(st.text(max_size=40))
def test_tokens_follow_each_other_and_are_not_empty(text):
    previous = 0
    for start, end in tokenise(text):
        assert previous <= start < end
        assert not text[start:end].isspace()
        previous = end


def test_titles_give_their_pieces_initials_and_places():
    assert ("nyg", "initials") in set(title_aliases("New York Giants"))
    assert ("giants", "last") in set(title_aliases("New York Giants"))
    assert ("york giants", "part") in set(title_aliases("New York Giants"))
    assert ("mcfc", "initials") in set(title_aliases("Manchester City F.C."))
    assert ("harwich", "place") in set(title_aliases("Harwich, Massachusetts"))
    assert ("notw", "initials") in set(title_aliases("News of the World"))
    assert not any(alias == "of the" for alias, _ in title_aliases("News of the World"))
    assert not list(title_aliases("Madonna"))


def test_camel_case_splits_at_capitals_digits_and_underscores():
    assert split_camel("NewYorkGiants") == "New York Giants"
    assert split_camel("BBCSport_UK") == "BBC Sport UK"
    assert split_camel("Wretch32") == "Wretch 32"
    assert split_camel("lower") == "lower"


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def test_a_folder_of_files_builds_entities_with_all_that_is_known(tmp_path):
    _write(
        tmp_path,
        lexicon__jsonl=json.dumps({"surface": "Big  Apple", "entities": [["New York City", 3, ["wiki"]]]}) + "\n",
        entities__tsv="New York City\t12\t7.5\tGPE\tlocation.citytown\t\t\nAda\t\t\tPER\t\t99\tWRITER\n",
        descriptions__tsv="New York City\tlargest city\n",
        links__tsv="New York City\tAda|Nowhere\n",
    )
    lexicon = open_or_build([tmp_path])
    assert lexicon.readings("big apple") == {"New York City": 3}
    entity = lexicon.entities.entity(lexicon.entities.number("New York City"))
    assert (entity.in_count, entity.popularity, entity.types) == (12, 7.5, ("location.citytown", "class.GPE"))
    assert (entity.description, entity.links) == ("largest city", ("Ada",))
    assert lexicon.entities.entity(lexicon.entities.number("Ada")).views == 99
    flags = lexicon.entities.type_matrix({"person": ("person.", "class.PER"), "place": ("location.",)})
    assert flags[lexicon.entities.number("Ada")].tolist() == [True, False]
    assert flags[lexicon.entities.number("New York City")].tolist() == [False, True]


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"lexicon__jsonl": '{"surface": "a", "entities": []}\nnot json\n'}, "lexicon.jsonl, line 2"),
        ({"lexicon__jsonl": '{"surface": 3, "entities": []}\n'}, "lexicon.jsonl, line 1"),
        # Together these two lines would be one value; each alone is none.
        ({"lexicon__jsonl": '{"surface": "a",\n"entities": []}\n'}, "lexicon.jsonl, line 1"),
        ({"lexicon__jsonl": '{"surface": "a", "entities": []}\n' * 600 + "{}\n"}, "lexicon.jsonl, line 601"),
        ({"lexicon__jsonl": '{"surface": "a", "entities": [["A", "x", []]]}\n'}, "lexicon.jsonl, line 1"),
        ({"lexicon__jsonl": "", "entities__tsv": "A\t1\n"}, "entities.tsv, line 1"),
        ({"lexicon__jsonl": "", "entities__tsv": "A\tmany\t\t\t\t\t\n"}, "entities.tsv, line 1"),
        ({"lexicon__jsonl": "", "descriptions__tsv": "A\n"}, "descriptions.tsv, line 1"),
        ({"entities__tsv": ""}, "no surface file"),
    ],
)
def test_bad_files_are_named_with_their_line(tmp_path, files, place):
    _write(tmp_path, **files)
    with pytest.raises(InputError, match=place.replace(".", r"\.")):
        build([tmp_path])


def test_a_folder_that_is_no_lexicon_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match="lexicon build"):
        Lexicon.open(tmp_path)


@pytest.mark.realdata
def test_the_shared_lexicon_builds_completely(data_root):
    lexicon = build([data_root / "lexicon"])
    assert len(lexicon) == 377_523
    assert set(lexicon.readings("jets")) >= {"New York Jets"}
    assert "tweets_train" in lexicon.tags
    without = lexicon.readings("manchester", without=["tweets_train"])
    assert lexicon.readings("manchester")["Manchester"] == without["Manchester"] + 9


def test_a_search_gives_what_the_words_stand_for_first_then_what_begins_so():
    records = [
        ("paris", [("Paris", 9, ("wiki",)), ("Paris_Hilton", 2, ("wiki",))]),
        ("paris texas", [("Paris,_Texas", 3, ("wiki",))]),
        ("lutetia", [("Paris", 1, ("wiki",)), ("Parisii", 1, ("wiki",))]),
    ]
    lexicon = assemble(lambda: records, {})
    assert lexicon.search("Paris") == ["Paris", "Paris_Hilton", "Paris,_Texas", "Parisii"]
    assert lexicon.search("paris", limit=2) == ["Paris", "Paris_Hilton"]
    assert lexicon.search("lut") == ["Paris", "Parisii"]
    assert lexicon.search("  ") == [] and lexicon.search("no such name") == []


@pytest.mark.parametrize("entry", ["A\\u0000da", "Ada"])
def test_a_nul_in_a_name_is_refused_with_its_line(tmp_path, entry):
    """It was a KeyError in training: a trie ends its keys there."""
    title = "Ada\\u0000Lovelace" if entry == "Ada" else "Ada"
    (tmp_path / "x.jsonl").write_text('{"surface": "' + entry + '", "entities": [["' + title + '", 1, []]]}\n')
    with pytest.raises(InputError, match=r"line 1.*NUL"):
        open_or_build([tmp_path])


@given(st.text(alphabet="aB ()\u00a0\n\x1c,", max_size=9))
@example("Jets (band)")
@example("(What) a title (album)")
@example("(film)")
@example("a (b (c))")
def test_a_plain_title_has_no_bracket_at_its_end(title: str) -> None:
    by_pattern = re.sub(r"\s*\([^()]*\)\s*$", "", title) or title
    assert plain_title(title) == (by_pattern if title.endswith(")") else title)
