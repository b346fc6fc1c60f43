"""Label sets: keys and colours stay, records survive, what is not a set is refused in words."""

from __future__ import annotations

import pytest

from engine.corpora import labels as files
from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.labels import LabelSet, RelationType, from_documents, from_json, keys, to_json, with_labels


def document(*types: str) -> Document:
    mentions = tuple(Mention(i, i + 1, kind) for i, kind in enumerate(types))
    relations = (Relation(0, 1, "near"),) if len(types) > 1 else ()
    return Document("d", "x" * 20, layers={GOLD: Layer(mentions, relations=relations)})


def test_what_is_added_leaves_keys_and_colours_as_they_were() -> None:
    first = from_documents([document("PER", "LOC", "PER")])
    more = with_labels(first, types=["AAA", "PER", *(f"T{i}" for i in range(45))])
    assert more.types[:2] == first.types and [one.key for one in more.types[:10]] == [*"123456789", "f1"]
    given = [one.key for one in more.types if one.key]
    assert len(set(given)) == len(given) == len(list(keys()))
    assert len({one.colour for one in more.types[:12]}) == 12


def test_a_relation_is_licensed_between_the_types_it_was_seen_with() -> None:
    (near,) = from_documents([document("PER", "LOC")]).relations
    assert near.licenses("PER", "LOC") and not near.licenses("LOC", "PER") and near.licenses(None, "LOC")
    assert RelationType("near", ("PER",), ("LOC",), symmetric=True).licenses("LOC", "PER")


def test_a_set_survives_the_trip_through_its_record() -> None:
    made = with_labels(LabelSet(guideline="# Names", locked=True), types=["A", "B"], document_labels=["news"])
    assert from_json(to_json(made)) == made


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ([], "object"),
        ({"tpyes": []}, "no field 'tpyes'"),
        ({"types": ["A", "A"]}, "twice"),
        ({"types": [{"name": "A", "key": "1"}, {"name": "B", "key": "1"}]}, "same key"),
        ({"types": [{"name": " "}]}, "needs a name"),
        ({"types": [{"name": "A", "colour": 99}]}, "colour"),
        ({"links": "yes"}, "true or false"),
        ({"relations": [{"name": "r", "heads": "PER"}]}, "list of texts"),
    ],
)
def test_what_is_no_set_is_refused_in_words(record: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_json(record)


BRAT = """[entities]
!Living
\tPerson
Place
[relations]
<THING>=Person|Place
Live_In\tArg1:Person, Arg2:Place
Near  Arg1:<THING>, Arg2:<ANY>, <REL-TYPE>:symmetric
[events]
[attributes]
"""
STUDIO = """<View><Labels name="label" toName="text"><Label value="Person"/><Label value="Place"/></Labels>
<Relations><Relation value="Live_In"/><Relation value="coreference"/></Relations>
<Choices name="c" toName="text"><Choice value="news"/></Choices><Text name="text" value="$text"/></View>"""
INCEPTION = """{"name": "p", "tag_sets": [{"name": "NER", "tags": [{"tag_name": "Person"}, {"tag_name": "Place"}]},
 {"name": "Rel", "tags": [{"tag_name": "Live_In"}]}],
 "layers": [{"name": "de.NamedEntity", "type": "span", "built_in": true,
   "features": [{"name": "value", "tag_set": "NER"}, {"name": "identifier"}]},
  {"name": "webanno.custom.R", "type": "relation", "features": [{"name": "value", "tag_set": "Rel"}]},
  {"name": "de.Coreference", "type": "chain", "features": []}]}"""


def test_label_sets_of_other_tools_are_read() -> None:
    brat = files.parse(BRAT.encode())
    assert [one.name for one in brat.types] == ["Person", "Place"]
    assert brat.relations == (
        RelationType("Live_In", ("Person",), ("Place",)),
        RelationType("Near", ("Person", "Place"), (), symmetric=True),
    )
    studio, inception = files.parse(STUDIO.encode()), files.parse(INCEPTION.encode())
    for found in (studio, inception):
        assert [one.name for one in found.types] == ["Person", "Place"]
        assert [one.name for one in found.relations] == ["Live_In"] and found.chains
    assert [one.name for one in studio.labels] == ["news"] and inception.links and not studio.links


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><View/>", "document type"),
        (b"<View>", "not XML"),
        (b"[entities]\nA:B\n", "line 2"),
        (b"[relations]\nLive_In\tArg1:A\n", "Arg1:Type, Arg2:Type"),
        (b"\xff\xfe", "UTF-8"),
        (b"hello", "not a label set"),
        (b'{"layers": []}', "names no tags"),
    ],
)
def test_files_that_name_no_labels_are_refused_in_words(content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        files.parse(content)
