"""Components of blank spaCy pipelines: the same answers, also after to_disk and from_disk; documents both ways."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given

from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.tasks.registry import get
from tests.service.serving import model_file
from tests.strategies import documents
from tests.tasks.test_contract import sample, trained

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install -r requirements-text.txt")

from engine.spacy import components, conversion  # noqa: E402  (needs spaCy)

pytestmark = pytest.mark.thorough


def test_links_of_a_pipeline_are_those_of_predict_and_survive_the_disk(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("espalier_linking", config={"model": str(model_file("linking"))})
    texts = [document.text for document in sample("linking", "dev")[:12]]
    docs = list(nlp.pipe(texts))
    wanted = get("linking").predict([conversion.document_of(nlp.make_doc(text)) for text in texts], trained("linking"))
    assert any(layer.mentions for layer in wanted)
    for doc, layer in zip(docs, wanted, strict=True):
        found = [(ent.start_char, ent.end_char, ent.kb_id_, ent.label_) for ent in doc.ents]
        assert found == [(m.start, m.end, m.entity, "ENTITY") for m in layer.mentions]
        assert list(doc.spans["espalier"].attrs["scores"]) == [m.score for m in layer.mentions]
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert [[ent.kb_id_ for ent in doc.ents] for doc in again.pipe(texts)] == [
        [ent.kb_id_ for ent in doc.ents] for doc in docs
    ]
    high = spacy.blank("en")
    high.add_pipe("espalier_linking", config={"model": str(model_file("linking")), "bias": 1e5})
    assert not any(doc.ents for doc in high.pipe(texts))


def test_given_entities_are_typed_and_related() -> None:
    document = next(one for one in sample("joint", "dev") if get("joint").predict([one], trained("joint"))[0].relations)
    nlp = spacy.blank("en")
    component = nlp.add_pipe("espalier_joint", config={"model": str(model_file("joint"))})
    doc = conversion.doc_of(document, nlp.vocab)
    [layer] = get("joint").predict([conversion.document_of(doc)], trained("joint"))
    component(doc)
    assert [(ent.start_char, ent.end_char, ent.label_) for ent in doc.ents] == [
        (m.start, m.end, m.type) for m in layer.mentions
    ]
    assert len(doc._.relations) == len(layer.relations) > 0
    assert {one["label"] for one in doc._.relations} == {one.type for one in layer.relations}


def test_chains_are_span_groups() -> None:
    document = next(iter(sample("coreference", "dev")))
    nlp = spacy.blank("en")
    component = nlp.add_pipe("espalier_coreference", config={"model": str(model_file("coreference"))})
    doc = conversion.doc_of(
        Document("1", document.text, document.tokens, document.sentences, document.columns), nlp.vocab
    )
    [layer] = get("coreference").predict([conversion.document_of(doc)], trained("coreference"))
    component(doc)
    found = [
        [(span.start_char, span.end_char) for span in group]
        for name, group in doc.spans.items()
        if name.startswith("coref_clusters_")
    ]
    assert found and found == [[layer.mentions[i].span for i in cluster] for cluster in layer.clusters]


def test_chains_are_found_in_a_pipeline_that_only_splits_into_words() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("espalier_coreference", config={"model": str(model_file("coreference"))})
    texts = ["Ann met Bob. She liked him. Ann left.", "", " ", "Rome, Athens"]
    first, *_ = docs = list(nlp.pipe(texts, batch_size=3))
    assert [doc.text for doc in docs] == texts
    assert any(name.startswith("coref_clusters_") for name in first.spans)


def test_a_component_without_a_model_says_so_when_it_is_used(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("espalier_linking")
    with pytest.raises(InputError, match="has no model"):
        nlp("Rome")
    with pytest.raises(InputError, match="has no model"):
        nlp.to_disk(tmp_path / "pipeline")


def test_spacy_may_ask_a_component_for_its_parts_before_there_is_a_model() -> None:
    component = components.Component("espalier_linking", "linking", "", None, "espalier", "ENTITY")
    assert not any(hasattr(component, name) for name in ("model", "listeners", "listener_map", "listening_components"))


def test_every_entry_point_leads_to_a_factory() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["project"]["entry-points"]["spacy_factories"]
    assert set(listed) == {
        f"espalier_{name}" for name in ("linking", "disambiguation", "coreference", "joint", "distant")
    }
    for name, place in listed.items():
        module, _, attribute = place.partition(":")
        assert getattr(import_module(module), attribute) is getattr(components, name.removeprefix("espalier_"))
        assert spacy.blank("en").has_factory(name)


def test_what_a_document_says_comes_back() -> None:
    text = "Ada 😀  met\nBob, who slept ."
    tokens = ((0, 3), (7, 10), (11, 14), (14, 15), (16, 19), (20, 25), (26, 27))
    layer = Layer(
        (Mention(0, 3, "PER", "Ada Lovelace"), Mention(11, 14, "PER", NIL), Mention(16, 19)),
        ((1, 2),),
        (Relation(0, 1, "met", 0.5),),
    )
    columns = {
        "pos": ("N", "V", "N", ",", "W", "V", "."),
        "upos": ("PROPN", "VERB", "PROPN", "PUNCT", "PRON", "VERB", "PUNCT"),
        "deplemma": ("a", "meet", "b", ",", "who", "sleep", "."),
        "deprel": ("nsubj", "ROOT", "ROOT", "punct", "nsubj", "relcl", "punct"),
        "head": (1, -1, -1, 0, 3, 0, 0),
    }
    document = Document("d", text, tokens, ((0, 2), (2, 7)), columns, {GOLD: layer})
    doc = conversion.doc_of(document, spacy.blank("en").vocab)
    assert doc.text == text
    again = conversion.document_of(doc, "d")
    # The face stands between two tokens: it is one for spaCy.
    place = [again.tokens.index(span) for span in tokens]
    for name in ("pos", "upos", "deplemma", "deprel"):
        assert tuple(again.columns[name][i] for i in place) == columns[name], name
    assert [again.tokens[first][0] for first, _ in again.sentences] == [0, 11]
    assert doc[doc.char_span(16, 19).start].head.text == "slept"
    assert again.gold == layer


@given(documents())
def test_texts_and_words_come_back_to_the_last_character(document: Document) -> None:
    doc = conversion.doc_of(document, spacy.blank("en").vocab)
    assert doc.text == document.text
    again = conversion.document_of(doc)
    words = {span for span in document.tokens if document.text[slice(*span)].strip()}
    assert words <= set(again.tokens)


def test_pairs_of_names_in_a_document_are_decided_as_bags(tmp_path: Path) -> None:
    task, model = get("distant"), trained("distant")
    bags = [one for one in sample("distant", "dev") if one.bag is not None][:30]
    nlp = spacy.blank("en")
    nlp.add_pipe("espalier_distant", config={"model": str(model_file("distant"))})
    docs = []
    for bag in bags:
        names = {i: name for m in bag.bag.members for i, name in ((m.head, bag.bag.first), (m.tail, bag.bag.second))}
        linked = tuple(replace(mention, entity=names[i]) for i, mention in enumerate(bag.gold.mentions))
        docs.append(conversion.doc_of(replace(bag, layers={GOLD: Layer(linked)}, bag=None, shape="text"), nlp.vocab))
    n_found = 0
    for doc, bag, layer in zip(nlp.pipe(docs), bags, task.predict(bags, model), strict=True):
        spans = [(layer.mentions[one.head].start, layer.mentions[one.tail].start, one.type) for one in layer.relations]
        told = [(doc[one["head_pos"][0]], doc[one["tail_pos"][0]], one["label"]) for one in doc._.relations]
        assert sorted(spans) == sorted((h.idx, t.idx, label) for h, t, label in told if h.ent_kb_id_ == bag.bag.first)
        n_found += len(spans)
    assert n_found > 10
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    [first, *_] = [doc for doc in docs if doc._.relations]
    wanted, first._.relations = first._.relations, None
    assert again.get_pipe("espalier_distant")(first)._.relations == wanted


def test_a_document_without_two_names_has_no_relations() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("espalier_distant", config={"model": str(model_file("distant"))})
    assert [doc._.relations for doc in nlp.pipe(["", "Rome fell."])] == [[], []]
