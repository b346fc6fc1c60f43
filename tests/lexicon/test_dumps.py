"""Small dumps of our own in the syntax of the real ones: what is read from them, and that memory does not matter."""

from __future__ import annotations

import bz2
import gzip
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.main import main
from engine.data.errors import InputError
from engine.features.disambiguation.priors import Links, Priors
from engine.lexicon.build import build
from engine.lexicon.dumps.facts import Facts
from engine.lexicon.dumps.reading import read_dumps
from engine.lexicon.dumps.sorting import Sorted, joined
from engine.lexicon.dumps.wikipedia import target_of
from engine.lexicon.lexicon import Lexicon


def page(title: str, text: str, ns: int = 0, redirect: str | None = None) -> str:
    to = "" if redirect is None else f'<redirect title="{redirect}" />'
    return (
        f"<page><title>{title}</title><ns>{ns}</ns><id>1</id>{to}<revision><id>2</id><contributor><username>A</username>"
        f'</contributor><text bytes="9" xml:space="preserve">{text}</text></revision></page>'
    )


WIKIPEDIA = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><siteinfo>'
    "<sitename>Wikipedia</sitename><namespaces><namespace key='0'/></namespaces></siteinfo>"
    + page(
        "Paris",
        "{{Short description|Capital of France}}{{Infobox settlement\n| name = Paris}} '''Paris''' is the capital of"
        " [[France]] &amp; lies on the [[Seine#Course|river Seine]]. [[File:Map.png|thumb|a [[map]]]]"
        " &lt;!-- [[Secret]] --&gt; [[Category:Capitals]] [[:Category:Cities]]",
    )
    + page("Paris Hilton", "{{Infobox person}} [[paris]]ian heiress [[Category:1981 births]] of [[USA|America]]")
    + page("Paris (disambiguation)", "'''Paris''' may be [[Paris]], or [[Paris Hilton]]. {{disambiguation}}")
    + page("USA", "#REDIRECT [[United States]]", redirect="United States")
    + page("United States", "a country; cf. [[France|''la France'']], [[France]] and [[Star Trek: Picard]]")
    + page("Talk:Paris", "[[Nonsense]]", ns=1)
    + "</mediawiki>"
)
WIKIDATA = [
    {
        "id": "Q90",
        "type": "item",
        "labels": {"en": {"language": "en", "value": "Paris"}, "fr": {"language": "fr", "value": "Paris"}},
        "aliases": {"en": [{"language": "en", "value": "City of Light"}]},
        "descriptions": {"en": {"language": "en", "value": "capital of France"}},
        "claims": {"P31": [{"mainsnak": {"datavalue": {"value": {"id": "Q515"}, "type": "wikibase-entityid"}}}]},
        "sitelinks": {"enwiki": {"site": "enwiki", "title": "Paris"}},
    },
    {
        "id": "Q47899",
        "labels": {"en": {"language": "en", "value": "Paris Hilton"}},
        "aliases": [],
        "descriptions": [],
        "claims": {
            "P31": [{"mainsnak": {"snaktype": "somevalue"}}, {"mainsnak": {"datavalue": {"value": {"id": "Q5"}}}}]
        },
        "sitelinks": {"enwiki": {"title": "Paris Hilton"}},
    },
    {"id": "Q1", "labels": {"en": {"value": "page of nobody"}}, "sitelinks": {}},
]
DBPEDIA = """# started 2022-12-01
<http://dbpedia.org/resource/Paris> <http://www.w3.org/2000/01/rdf-schema#label> "Paris"@en .
<http://dbpedia.org/resource/Paris> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/City> .
<http://dbpedia.org/resource/Paris> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://dbpedia.org/ontology/Place> .
<http://dbpedia.org/resource/Paris> <http://www.w3.org/2000/01/rdf-schema#comment> "The \\"City of Light\\", \\u00E9t\\u00E9."@en .
<http://dbpedia.org/resource/Paname> <http://dbpedia.org/ontology/wikiPageRedirects> <http://dbpedia.org/resource/Paris> .
<http://dbpedia.org/resource/Paris_(disambiguation)> <http://dbpedia.org/ontology/wikiPageDisambiguates> <http://dbpedia.org/resource/Paris_Hilton> .
<http://dbpedia.org/resource/France> <http://dbpedia.org/ontology/wikiPageWikiLink> <http://dbpedia.org/resource/Paname> .
<http://dbpedia.org/resource/Paris> <http://dbpedia.org/ontology/wikiPageWikiLinkText> "the capital"@en .
<http://dbpedia.org/resource/Paris> <http://dbpedia.org/ontology/wikiPageWikiLinkText> "the capital"@en .
<http://dbpedia.org/resource/Paris> <http://dbpedia.org/ontology/wikiPageID> "22989"^^<http://www.w3.org/2001/XMLSchema#integer> .
"""  # noqa: E501


def read(kind: str, path: Path, folder: Path, views: tuple[Path, ...] = ()) -> Lexicon:
    (folder / "texts").mkdir()
    (folder / "scratch").mkdir()
    read_dumps(kind, [path], folder / "texts", folder / "scratch", views)
    return build([folder / "texts"])


def known(lexicon: Lexicon, title: str):
    return lexicon.entities.entity(lexicon.entities.number(title))


@pytest.mark.parametrize("ending", ["xml", "xml.bz2", "xml.gz"])
def test_wikipedia_gives_anchors_redirects_disambiguation_types_and_links(tmp_path: Path, ending: str) -> None:
    opener = {"xml": open, "xml.bz2": bz2.open, "xml.gz": gzip.open}[ending]
    path = tmp_path / f"dump.{ending}"
    with opener(path, "wt", encoding="utf-8") as stream:
        stream.write(WIKIPEDIA)
    lexicon = read("wikipedia-xml", path, tmp_path)
    assert lexicon.readings("river seine") == {"Seine": 1}
    assert lexicon.readings("parisian") == {"Paris": 1}, "letters after a link belong to its name"
    assert lexicon.readings("la france") == {"France": 1} and lexicon.readings("france") == {"France": 2}
    assert lexicon.readings("america") == {"United States": 1}, "a link to a redirect is one to its page"
    assert lexicon.readings("usa") == {"United States": 0}
    assert lexicon.readings("paris") == {"Paris": 0, "Paris Hilton": 0}
    assert lexicon.readings("star trek: picard") == {"Star Trek: Picard": 1}
    for nothing in ("secret", "nonsense", "map.png", "category:cities", "capitals"):
        assert lexicon.readings(nothing) == {}
    paris, hilton = known(lexicon, "Paris"), known(lexicon, "Paris Hilton")
    assert (paris.types, paris.description) == (("infobox.settlement",), "Capital of France")
    assert set(hilton.types) == {"infobox.person", "class.PER"}
    assert known(lexicon, "France").links == ("Paris", "United States") and known(lexicon, "France").in_count == 2.0
    assert paris.links == ("Paris Hilton",) and known(lexicon, "United States").links == ("Paris Hilton",)
    tags = {posting.tags for posting in lexicon.postings("paris")}
    assert tags == {("disambiguation", "title"), ("disambiguation",)}


def test_wikidata_gives_aliases_descriptions_and_classes(tmp_path: Path) -> None:
    path = tmp_path / "dump.json.gz"
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("[\n" + ",\n".join(json.dumps(entity) for entity in WIKIDATA) + "\n]\n")
    lexicon = read("wikidata-json", path, tmp_path)
    assert lexicon.readings("city of light") == {"Paris": 0} and lexicon.readings("page of nobody") == {}
    assert known(lexicon, "Paris").types == ("class.GPE",) and known(lexicon, "Paris Hilton").types == ("class.PER",)
    assert known(lexicon, "Paris").description == "capital of France"


def test_dbpedia_gives_names_redirects_types_and_links(tmp_path: Path) -> None:
    path = tmp_path / "dump.ttl"
    path.write_text(DBPEDIA, encoding="utf-8")
    lexicon = read("dbpedia-ttl", path, tmp_path)
    assert lexicon.readings("the capital") == {"Paris": 2} and lexicon.readings("paname") == {"Paris": 0}
    assert lexicon.readings("paris") == {"Paris": 0, "Paris Hilton": 0}
    paris = known(lexicon, "Paris")
    assert set(paris.types) == {"city", "place"} and paris.description == 'The "City of Light", été.'
    assert paris.in_count == 1.0, "France links to it by another name"


VIEWS = {
    "hour": "de Paris 7 0\nen Paris 3 0\nen.m Paris 2 0\nen USA 4 0\nen United_States 1 0\nen.d Paris 9 0\n"
    "en Special:Search 8 0\nen  5 0\n",
    "ez": "# Wikimedia page counts\nen.z Paris 5 A2B3\nen.z USA 4 A4\nen.z United_States 1 A1\nfr.z Paris 9 A9\n",
    "month": "en.wikipedia Paris 22989 desktop 3 A3\nen.wikipedia Paris 22989 mobile-web 2 B2\n"
    "en.wikipedia USA null desktop 4 A4\nen.wikipedia United%5FStates 3434750 mobile-app 1 A1\n"
    "en.wiktionary Paris 1 desktop 9 A9\n",
}


@pytest.mark.parametrize("form", VIEWS)
def test_page_views_are_added_up_and_those_of_redirects_are_their_pages(tmp_path: Path, form: str) -> None:
    dump, views = tmp_path / "dump.xml", tmp_path / "views.gz"
    dump.write_text(WIKIPEDIA, encoding="utf-8")
    views.write_bytes(gzip.compress(VIEWS[form].encode()))
    lexicon = read("wikipedia-xml", dump, tmp_path, (views,))
    assert {title: known(lexicon, title).views for title in ("Paris", "United States", "France")} == {
        "Paris": 5.0,
        "United States": 5.0,
        "France": 0.0,
    }
    assert lexicon.entities.number("Special:Search") < 0, "views alone make no entity"
    priors = Priors(Links({}), lexicon)
    assert priors.described("Paris").popularity == pytest.approx(np.log(6)), "no other popularity is known"


@pytest.mark.parametrize(
    ("text", "says"), [("en Paris many 0\n", "number of views"), ("de Paris 7 0\n", "en.wikipedia")]
)
def test_what_holds_no_page_views_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    dump, views = tmp_path / "dump.xml", tmp_path / "views"
    dump.write_text(WIKIPEDIA, encoding="utf-8")
    views.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says) as refused:
        read("wikipedia-xml", dump, tmp_path, (views,))
    assert "views" in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        ("wikipedia-xml", "<mediawiki><page>", "not readable XML"),
        ("wikipedia-xml", '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>', "entities of its own"),
        ("wikidata-json", "[\n{broken\n]", "not JSON"),
        ("wikidata-json", "[\n12\n]", "not an entity"),
        ("dbpedia-ttl", "Paris is a city .\n", "expected <subject>"),
    ],
)
def test_what_is_no_dump_is_refused_by_name(tmp_path: Path, kind: str, text: str, says: str) -> None:
    path = tmp_path / "dump.bad"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=says) as refused:
        read(kind, path, tmp_path)
    assert "dump.bad" in str(refused.value)


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml.gz"
    path.write_bytes(gzip.compress(WIKIPEDIA.encode())[:-40])
    with pytest.raises(InputError, match="cannot be read"):
        read("wikipedia-xml", path, tmp_path)


texts = st.text(max_size=3) | st.text("\\\ta\nnt", max_size=6)
rows = st.lists(st.tuples(st.sampled_from("abcd"), texts), max_size=80)


@given(
    rows, st.dictionaries(st.sampled_from("abcde"), st.text(min_size=1, max_size=2)), st.sampled_from([1, 300, 1000])
)
def test_rows_are_sorted_and_joined_as_in_memory_however_few_are_held(tmp_path_factory, rows, values, held) -> None:
    folder = tmp_path_factory.mktemp("runs")
    table = Sorted(folder, "rows", held)
    for row in rows:
        table.add(*row)
    assert list(table) == sorted(rows)
    found = list(joined(iter(table), iter(sorted(values.items()))))
    assert found == [(row, values.get(row[0])) for row in sorted(rows)]


def test_how_many_rows_are_held_changes_nothing(tmp_path: Path) -> None:
    made = []
    for held in (1, 1000, 1_000_000):
        folder = tmp_path / str(held)
        folder.mkdir()
        facts = Facts(folder, held)
        for i in range(12):
            facts.name(f"name {i % 3}", f"Page {i % 4}", "wikipedia", counted=True)
            facts.link(f"Page {i % 4}", f"Page {i}")
            facts.about(f"Page {i % 4}", types=(f"type{i % 2}",))
        facts.redirect("Page 1", "Page 2")
        facts.write(folder)
        made.append([gzip.open(file, "rt").read() for file in sorted(folder.glob("*.gz"))])
    assert made[0] == made[1] == made[2] and len(made[0]) == 4


def peak_of(pages: int, folder: Path) -> int:
    """Bytes that are held at most while the facts of this many pages, all of which link to the first, are written."""
    folder.mkdir()
    tracemalloc.start()
    facts = Facts(folder, 500_000)
    for i in range(pages):
        facts.name(f"name {i}", f"Page {i}", "wikipedia", counted=True)
        facts.link("Page 0", f"Page {i}")
        facts.about(f"Page {i % 100}", description="long " * 300)
    facts.write(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_longer_dump_takes_no_more_memory(tmp_path: Path) -> None:
    short, long = peak_of(1000, tmp_path / "short"), peak_of(4000, tmp_path / "long")
    assert long < 1.3 * short


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ("paris_Hilton#Life", "Paris Hilton"),
        ("Star Trek: Picard", "Star Trek: Picard"),
        ("File:Map.png", ""),
        (":Category:Cities", ""),
        ("wikt:word", ""),
        ("#Section", ""),
    ],
)
def test_links_lead_to_articles(target: str, title: str) -> None:
    assert target_of(target) == title


def test_the_command_builds_from_a_dump_and_keeps_its_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wiki.xml").write_text(WIKIPEDIA, encoding="utf-8")
    build_it = ["lexicon", "build", str(tmp_path / "wiki.xml"), "--out", str(tmp_path / "built"), "--json"]
    assert main([*build_it, "--from", "wikipedia-xml", "--keep", str(tmp_path / "texts")]) == 0
    assert json.loads(capsys.readouterr().out)["surfaces"] == len(Lexicon.open(tmp_path / "built"))
    assert (tmp_path / "texts" / "surfaces.jsonl.gz").is_file()
    assert {file.name for file in tmp_path.iterdir()} == {"wiki.xml", "built", "texts"}
    assert main([*build_it, "--keep", str(tmp_path / "texts")]) == 1
    assert "--keep needs --from" in capsys.readouterr().err
    (tmp_path / "views").write_text(VIEWS["hour"], encoding="utf-8")
    assert main([*build_it, "--from", "wikipedia-xml", "--views", str(tmp_path / "views")]) == 0
    assert known(Lexicon.open(tmp_path / "built"), "Paris").views == 5.0
    assert main([*build_it, "--views", str(tmp_path / "views")]) == 1
    assert "--views needs --from" in capsys.readouterr().err
