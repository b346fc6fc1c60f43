"""Documents of spaCy to ours and back.

Entities with their labels and knowledge-base ids are mentions; span groups called coref_clusters_1, ... are clusters;
`doc._.relations` are relations, in the records that GLiREL writes there. White space that spaCy makes a token of is no
token of ours. A sentence's heads count within it, as in CoNLL files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from spacy.parts_of_speech import IDS as POS
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation

CLUSTERS: Final = "coref_clusters"
UNKNOWN: Final = "NIL"
"""What spaCy's own linker calls an entity outside the knowledge base."""
RELATIONS: Final = "relations"
COLUMNS: Final = {"pos": "TAG", "upos": "POS", "deplemma": "LEMMA", "deprel": "DEP"}
"""Our column -> the annotation of spaCy that fills it."""

if not Doc.has_extension(RELATIONS):
    Doc.set_extension(RELATIONS, default=None)


def document_of(doc: Doc, id: str = "1") -> Document:
    """The text with words, sentences, tags and dependencies where there are some; what is annotated is gold."""
    tokens = [token for token in doc if not token.is_space]
    return Document(
        id,
        doc.text,
        tokens=tuple((token.idx, token.idx + len(token.text)) for token in tokens),
        sentences=_sentences(doc, tokens),
        columns=_columns(doc, tokens),
        layers={GOLD: layer_of(doc)},
    )


def layer_of(doc: Doc) -> Layer:
    spans = {(ent.start_char, ent.end_char): ent for ent in doc.ents if ent.text.strip()}
    clusters = [
        [(span.start_char, span.end_char) for span in group] for name, group in doc.spans.items() if _is_cluster(name)
    ]
    related = [_ends(doc, one) for one in doc._.relations or ()]
    everywhere = sorted({*spans, *(s for c in clusters for s in c), *(s for r in related for s in r[:2])})
    place = {span: i for i, span in enumerate(everywhere)}
    taken: set[int] = set()
    chains = []
    for cluster in clusters:
        # A mention is in one cluster; where groups share one, the first keeps it.
        own = tuple(sorted({place[span] for span in cluster} - taken))
        taken.update(own)
        chains += [own] if own else []
    return Layer(
        tuple(_mention(span, spans.get(span)) for span in everywhere),
        tuple(chains),
        tuple(Relation(place[head], place[tail], label, score) for head, tail, label, score in related),
    )


def _is_cluster(name: str) -> bool:
    return name.rpartition("_")[0] == CLUSTERS


def _mention(span: tuple[int, int], ent: Span | None) -> Mention:
    if ent is None:
        return Mention(*span)
    entity = {"": None, UNKNOWN: NIL}.get(ent.kb_id_, ent.kb_id_)
    return Mention(*span, ent.label_ or None, entity)


def _ends(doc: Doc, one: dict[str, Any]) -> tuple[tuple[int, int], tuple[int, int], str, float | None]:
    head, tail = (doc[one[name][0] : one[name][1]] for name in ("head_pos", "tail_pos"))
    return (head.start_char, head.end_char), (tail.start_char, tail.end_char), one["label"], one.get("score")


def _sentences(doc: Doc, tokens: Sequence[Any]) -> tuple[tuple[int, int], ...]:
    if not doc.has_annotation("SENT_START"):
        return ()
    position = {token.i: number for number, token in enumerate(tokens)}
    inside = ([position[token.i] for token in sentence if token.i in position] for sentence in doc.sents)
    return tuple((own[0], own[-1] + 1) for own in inside if own)


def _columns(doc: Doc, tokens: Sequence[Any]) -> dict[str, tuple[Any, ...]]:
    values = {
        "pos": [token.tag_ for token in tokens],
        "upos": [token.pos_ for token in tokens],
        "deplemma": [token.lemma_ for token in tokens],
        "deprel": [token.dep_ for token in tokens],
    }
    found = {name: tuple(values[name]) for name, annotation in COLUMNS.items() if doc.has_annotation(annotation)}
    if "deprel" not in found:
        return found
    position = {token.i: number for number, token in enumerate(tokens)}
    first = {number: start for start, end in _sentences(doc, tokens) for number in range(start, end)}
    heads = [
        -1 if token.head.i == token.i else position.get(token.head.i, first[number]) - first[number]
        for number, token in enumerate(tokens)
    ]
    return {**found, "head": tuple(heads)}


def doc_of(document: Document, vocab: Vocab, layer: str = GOLD) -> Doc:
    """The document for spaCy, its text to the last character, with one of its layers as annotation."""
    words, spaces, ours = _pieces(document)
    doc = Doc(vocab, words=words, spaces=spaces, **_columns_for(document, ours), **_syntax_for(document, ours))
    annotate(doc, document.layers.get(layer, Layer()))
    return doc


def _columns_for(document: Document, ours: Sequence[int | None]) -> dict[str, Any]:
    """Tags and lemmas as spaCy takes them; parts of speech only where they are its own."""
    columns = {name: tuple(map(str, values)) for name, values in document.columns.items()}
    if not set(columns.get("upos", ())) <= set(POS):
        del columns["upos"]
    arguments = (("pos", "tags", ""), ("upos", "pos", "SPACE"), ("deplemma", "lemmas", ""))
    return {
        argument: [empty if number is None else columns[name][number] for number in ours]
        for name, argument, empty in arguments
        if name in columns
    }


def _syntax_for(document: Document, ours: Sequence[int | None]) -> dict[str, Any]:
    """Heads and their labels, from which spaCy sees the sentences; where there are none, the sentences alone."""
    place = {number: i for i, number in enumerate(ours) if number is not None}
    first = {number: start for start, end in document.sentences for number in range(start, end)}
    labels, heads = document.columns.get("deprel"), document.columns.get("head")
    if labels is not None and heads is not None and len(first) == len(document.tokens) == len(place):
        wanted = [number if heads[number] < 0 else first[number] + heads[number] for number in range(len(place))]
        if all(first.get(there) == first[number] for number, there in enumerate(wanted)):
            # White space hangs on what stands before it, or, at the beginning, on what comes after.
            found = [
                place[wanted[number]] if number is not None else max(i - 1, 0) if i else min(1, len(ours) - 1)
                for i, number in enumerate(ours)
            ]
            return {"heads": found, "deps": ["" if n is None else str(labels[n]) for n in ours]}
    starts = {place[start] for start, end in document.sentences if start < end and start in place}
    return {"sent_starts": [i in starts for i in range(len(ours))]} if starts else {}


def _pieces(document: Document) -> tuple[list[str], list[bool], list[int | None]]:
    """Words, whether a space follows each, and which token of ours each is: what stands between tokens, other than one
    space, is a word for spaCy."""
    words: list[str] = []
    spaces: list[bool] = []
    ours: list[int | None] = []
    at = 0
    for number, (start, end) in enumerate([*document.tokens, (len(document.text), len(document.text))]):
        gap = document.text[at:start]
        if gap.startswith(" ") and words:
            spaces[-1], gap = True, gap[1:]
        if gap:
            words, spaces, ours = [*words, gap], [*spaces, False], [*ours, None]
        if start < end:
            words.append(document.text[start:end])
            spaces.append(False)
            ours.append(number)
        at = end
    return words, spaces, ours


def annotate(doc: Doc, layer: Layer, *, key: str | None = None, label: str = "ENTITY") -> None:
    """Write a layer into a document of spaCy: entities, clusters, relations; with `key`, all mentions with their scores
    as a span group of that name too. Mentions without a type get the label of the entity that was there, or `label`."""
    known = {(ent.start, ent.end): ent.label_ for ent in doc.ents}
    spans = [_span(doc, mention, known, label) for mention in layer.mentions]
    said = zip(spans, layer.mentions, strict=True)
    chosen = [s for s, m in said if s is not None and (m.type is not None or m.entity is not None)]
    if chosen:
        others = [ent for ent in doc.ents if not any(ent.start < s.end and s.start < ent.end for s in chosen)]
        doc.ents = [*others, *_apart(chosen)]
    if key is not None:
        pairs = [(s, m.score) for s, m in zip(spans, layer.mentions, strict=True) if s is not None]
        doc.spans[key] = [span for span, _ in pairs]
        doc.spans[key].attrs["scores"] = [float("nan") if score is None else float(score) for _, score in pairs]
    for number, cluster in enumerate(layer.clusters, 1):
        doc.spans[f"{CLUSTERS}_{number}"] = [span for i in cluster if (span := spans[i]) is not None]
    if layer.relations:
        doc._.relations = list(records(layer, spans))


def _span(doc: Doc, mention: Mention, known: dict[tuple[int, int], str], label: str) -> Span | None:
    found = doc.char_span(mention.start, mention.end, alignment_mode="expand")
    if found is None:
        return None
    name = mention.type or known.get((found.start, found.end)) or label
    entity = {None: "", NIL: UNKNOWN}.get(mention.entity, mention.entity)
    return Span(doc, found.start, found.end, label=name, kb_id=entity or "")


def _apart(spans: Sequence[Span]) -> list[Span]:
    """Spans that share no token, the longest first: what spaCy takes as entities."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start - one.end, one.start)):
        if not any(span.start < other.end and other.start < span.end for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda one: one.start)


def records(layer: Layer, spans: Sequence[Span | None]) -> Iterator[dict[str, Any]]:
    """The relations of a layer as `doc._.relations` holds them; `spans` are its mentions."""
    for relation in layer.relations:
        head, tail = spans[relation.head], spans[relation.tail]
        if head is None or tail is None:
            continue
        yield {
            "head_pos": [head.start, head.end],
            "tail_pos": [tail.start, tail.end],
            "head_text": head.text,
            "tail_text": tail.text,
            "label": relation.type,
            "score": relation.score,
        }
