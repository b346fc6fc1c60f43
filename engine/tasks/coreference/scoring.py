"""Turns documents into scored arcs: mentions, their properties, candidate antecedents, and weighted features.

Training needs the features of every arc (`prepare`). A trained model needs only scores (`score`), which takes a
fraction of the time and memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.data.plain_text import in_sentences, tokenised
from engine.features.coreference.arcs.features import Weighed
from engine.features.coreference.arcs.pairs import Arcs, build_arcs
from engine.features.coreference.attributes import MentionTable
from engine.features.coreference.languages import load as load_language
from engine.features.coreference.mentions import TokenSpan, extract, given_spans, in_order
from engine.features.coreference.plain_text import tagged
from engine.features.coreference.reading import describe
from engine.features.coreference.templates import Templates, compile_templates
from engine.features.coreference.words import Words
from engine.learners.laso.arrays import TABLE, TreeInstance
from engine.tasks.base import DocumentPins, Model
from engine.tasks.coreference.deciding import cluster_pins, fix, no_word
from engine.tasks.coreference.scored import CoreferenceScored, Span, allowed_arcs
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState

CoreferenceModel: TypeAlias = Model[CoreferenceSettings, CoreferenceState]
_STATED: Final = {"PROP": "N", "NOM": "C", "PRON": "P"}


@dataclass(frozen=True, eq=False)
class Reading:
    """One document, its mentions in order, and the properties of each."""

    document: Document
    """The document with words, even if only its text was given."""
    spans: tuple[TokenSpan, ...]
    table: MentionTable
    gold: Ints
    """Gold cluster of each mention, from 1; 0 for none."""
    asked: tuple[tuple[int, int], ...]
    """Pairs (antecedent, anaphor) that pins put together; they are candidates at any distance."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """One document with the features of all its arcs, for training."""

    reading: Reading
    arcs: TreeInstance


def score(
    documents: Sequence[Document], model: CoreferenceModel, pins: DocumentPins | None = None
) -> CoreferenceScored:
    """Mentions and arcs of all documents with the model's scores. Pinned spans are included even if they were not
    proposed as mentions."""
    settings, state = model.settings, model.state
    pieces = []
    for document in documents:
        reading = read(document, settings, state.gender, (pins or {}).get(document.id, ()))
        arcs = _arcs(reading, settings, state.templates, state.weighed)
        pieces.append(scored_document(document, Prepared(reading, _instance(reading, arcs)), arcs.scores, settings))
    found = CoreferenceScored.joined(pieces) if pieces else CoreferenceScored.of([], [], [])
    return replace(found, bias=model.bias, singletons=state.singletons, steps=state.steps(settings))


def prepare(
    document: Document, settings: CoreferenceSettings, templates: Templates, gender: Mapping[str, str]
) -> Prepared:
    """Mentions and arcs of a document with the features of every arc."""
    reading = read(document, settings, gender)
    return Prepared(reading, _instance(reading, _arcs(reading, settings, templates)))


def read(
    document: Document, settings: CoreferenceSettings, gender: Mapping[str, str], pins: Sequence[Pin] = ()
) -> Reading:
    """The mentions of a document, pinned spans among them."""
    words = with_words(document, settings)
    read, fixed = words.document, cluster_pins(pins)
    spans = _mentions(words, settings) + [_pinned_span(read, span) for pin in fixed for span in (pin.first, pin.second)]
    spans = in_order(spans)
    position = {span: number for number, span in enumerate(spans, 1)}
    asked = fix(read, fixed, len(spans), lambda span: position[read.token_range(*span)]).pairs if fixed else []
    return Reading(
        read, tuple(spans), describe_mentions(words, spans, settings, gender), _gold(read, position), tuple(asked)
    )


def with_words(document: Document, settings: CoreferenceSettings) -> Words:
    """The document with words and sentences, and with tags if mentions must be extracted."""
    document = in_sentences(document)
    read = tokenised(document) if settings.mentions == "gold" else tagged(document, settings.language)
    return Words(read, load_language(settings.language))


def describe_mentions(
    read: Words, spans: Sequence[TokenSpan], settings: CoreferenceSettings, gender: Mapping[str, str]
) -> MentionTable:
    """The properties of each mention of a document."""
    given = _stated(read.document) if settings.mentions == "gold" else {}
    return describe(read, spans, gender_of=gender, given=given)


def scored_document(
    document: Document, prepared: Prepared, scores: Floats, settings: CoreferenceSettings
) -> CoreferenceScored:
    """One document as a scored corpus."""
    reading, arcs, table = prepared.reading, prepared.arcs, prepared.reading.table
    words, nonlocal_ = reading.document.tokens, settings.features == "nonlocal"
    spans = [reading.document.char_range(*span) for span in reading.spans]
    return CoreferenceScored(
        documents=(document,),
        word_offsets=np.array([0, len(words)]),
        word_start=np.array([start for start, _ in words], dtype=np.int32),
        word_end=np.array([end for _, end in words], dtype=np.int32),
        mention_offsets=np.array([0, arcs.n]),
        start=np.array([start for start, _ in spans], dtype=np.int64),
        end=np.array([end for _, end in spans], dtype=np.int64),
        gold=reading.gold,
        word_class=tuple(table.text["type"]),
        kind=tuple(table.text["kind"]),
        head_word=tuple(table.text["head"]),
        relation=tuple(table.text["relation"]),
        seen=tuple(table.text["seen"]),
        sentence=table.numeric["sentence"],
        arc_offsets=arcs.offsets,
        head=arcs.heads,
        score=scores,
        allowed=arcs.right,
        beam=settings.beam,
        agenda=settings.agenda,
        # Needed only by non-local features. Mention 0, the root, is not among the mentions.
        pair_offsets=np.array([0, len(arcs.bits) if nonlocal_ else 0]),
        flags=arcs.bits if nonlocal_ else arcs.bits[:0],
        codes=arcs.codes[1:] if nonlocal_ else arcs.codes[1:, :0],
        facts=arcs.facts[1:] if nonlocal_ else arcs.facts[1:, :0],
    )


WORDS: Final = ("parse", "pos", "upos", "ner", "deprel", "lemma", "deplemma", "speaker")
"""Columns that are read as text."""


def _check_columns(read: Document) -> None:
    """Raise InputError unless these columns hold text, since a document may come from anywhere."""
    for name in WORDS:
        column = read.columns.get(name) or ()
        for token, value in enumerate(() if set(map(type, column)) <= {str} else column):
            if not isinstance(value, str):
                raise InputError(f"document {read.id!r}: expected text for token {token}", field=f"columns.{name}")


def _mentions(read: Words, settings: CoreferenceSettings) -> list[TokenSpan]:
    _check_columns(read.document)
    if settings.mentions == "gold":
        return given_spans(read.document, read.document.gold.mentions)
    return extract(read)


def _stated(read: Document) -> dict[TokenSpan, tuple[str, str]]:
    """The entity type and form of given mentions: what an annotator of mentions would know, but never the chain that
    the source gives for them."""
    given: dict[TokenSpan, tuple[str, str]] = {}
    for mention in read.gold.mentions:
        stated = _STATED.get(str(mention.extra.get("kind", "")), "")
        if mention.type or stated:
            given[read.token_range(*mention.span)] = (mention.type or "", stated)
    return given


def _pinned_span(read: Document, span: Span) -> TokenSpan:
    first, last = read.token_range(*span)
    if first >= last:
        raise no_word(read, span)
    return first, last


def _gold(read: Document, position: Mapping[TokenSpan, int]) -> Ints:
    gold = np.zeros(len(position), dtype=np.int64)
    layer = read.gold
    for number, cluster in enumerate(layer.clusters, 1):
        for mention in cluster:
            at = position.get(read.token_range(*layer.mentions[mention].span))
            if at is not None:
                gold[at - 1] = number
    return gold


def _arcs(
    reading: Reading, settings: CoreferenceSettings, templates: Templates, weights: Weighed | None = None
) -> Arcs:
    return build_arcs(
        reading.table,
        compile_templates(templates.root),
        compile_templates(templates.pair),
        size=TABLE,
        window=settings.window,
        extra=reading.asked,
        weights=weights,
    )


def _instance(reading: Reading, arcs: Arcs) -> TreeInstance:
    right = allowed_arcs(reading.gold, arcs.offsets, arcs.heads)
    return TreeInstance(arcs.n, arcs.offsets, arcs.heads, arcs.rows, right, arcs.bits, arcs.codes, arcs.facts)
