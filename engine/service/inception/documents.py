"""From a CAS to a document: the text with its tokens, and the annotations on the layer that the request is about.

Offsets in a CAS are UTF-16 units; dkpro-cassis converts them to code points and back.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from engine.corpora.formats.uimacas import ENTITY, SENTENCE, TOKEN, UNKNOWN_ENTITY
from engine.corpora.io.names import from_uri
from engine.corpora.records.fields import required
from engine.data.document import GOLD, NIL, Document, Layer, Mention, Relation
from engine.service.requests.replies import MISSING, TOO_LARGE, WRONG, Refused

PREDICTED: Final = "inception_internal_predicted"
ENDS: Final = ("Governor", "Dependent")
ANY_SPAN: Final = "uima.tcas.Annotation"


@dataclass(frozen=True, eq=False)
class Opened:
    """One document of a request."""

    cas: Any
    layer: Any
    """The type of the layer that the request is about."""
    spans: Any
    """The type of the spans: the layer itself or, for a relation layer, the layer that its relations connect."""
    feature: str
    document: Document

    @property
    def is_relation(self) -> bool:
        return self.layer is not self.spans

    def own(self, kind: Any) -> list[Any]:
        """Annotations made by users, without suggestions."""
        return _own(self.cas, kind)


def open_document(item: Mapping[str, Any], record: Mapping[str, Any], most: int) -> Opened:
    """A document of a request; Refused if it has more than `most` characters."""
    metadata = required(record, "metadata", dict)
    cas = _cas(required(item, "xmi", str, "document."), required(record, "typeSystem", str))
    text = cas.sofa_string
    if not isinstance(text, str):
        raise Refused(WRONG, "the CAS has no text", "document.xmi")
    if len(text) > most:
        raise Refused(TOO_LARGE, f"a text of {len(text)} characters, where {most} are allowed", "document.xmi")
    layer = _type(cas, required(metadata, "layer", str, "metadata."))
    feature = required(metadata, "feature", str, "metadata.")
    if layer.get_feature(feature) is None:
        raise Refused(WRONG, f"the layer has no feature {feature[:60]!r}", "metadata.feature")
    spans = _connected(cas, layer)
    number = item.get("documentId")
    id = str(number) if isinstance(number, int | str) else "1"
    try:
        document = _document(id, cas, layer, spans, feature)
    except (ValueError, TypeError) as error:
        raise Refused(WRONG, f"the annotations do not fit the text: {error}", "document.xmi") from None
    return Opened(cas, layer, spans, feature, document)


def _cas(xmi: str, type_system: str) -> Any:
    try:
        import cassis
        from cassis.typesystem import TypeNotFoundError
    except ImportError:
        raise Refused(MISSING, "INCEpTION's documents need dkpro-cassis: pip install espalier[inception]") from None
    try:
        types = cassis.load_typesystem(_harmless(type_system, "typeSystem"))
        return cassis.load_cas_from_xmi(_harmless(xmi, "document.xmi"), typesystem=types)
    except (
        *(SyntaxError, ValueError, LookupError, TypeError, AttributeError, AssertionError, RuntimeError),
        *(TypeNotFoundError, OverflowError, UnboundLocalError),
    ) as error:
        # The parsers raise all kinds of exceptions for broken input.
        raise Refused(WRONG, f"this is not a readable CAS ({type(error).__name__})", "document.xmi") from None


def _harmless(xml: str, field: str) -> BytesIO:
    """The XML in UTF-8, whatever encoding it declares. Entity declarations are refused: they could expand without
    limit or refer to files."""
    if "<!DOCTYPE" in xml or "<!ENTITY" in xml:
        raise Refused(WRONG, "a document type declaration is not read", field)
    return BytesIO(re.sub(r"^\ufeff?\s*<\?xml[^>]*\?>", "", xml).encode("utf-8", "replace"))


def _type(cas: Any, name: str) -> Any:
    if not cas.typesystem.contains_type(name):
        raise Refused(WRONG, f"the type system has no layer {name[:80]!r}", "metadata.layer")
    return cas.typesystem.get_type(name)


def _connected(cas: Any, layer: Any) -> Any:
    """The layer that the relations of a layer connect; the layer itself if it is a span layer."""
    ends = [layer.get_feature(end) for end in ENDS]
    if None in ends:
        return layer
    name = str(getattr(ends[0].rangeType, "name", ends[0].rangeType))
    return _type(cas, ENTITY if name == ANY_SPAN else name)


def _document(id: str, cas: Any, layer: Any, spans: Any, feature: str) -> Document:
    text: str = cas.sofa_string
    tokens = tuple(sorted(_annotated(cas, TOKEN)))
    starts = [start for start, _ in tokens]
    sentences = tuple(
        (bisect_left(starts, start), bisect_left(starts, end)) for start, end in sorted(_annotated(cas, SENTENCE))
    )
    found = [one for one in _own(cas, spans) if 0 <= one.begin < one.end <= len(text)]
    mentions = tuple(_mention(one, feature if spans is layer else "value") for one in found)
    place = {one.xmiID: i for i, one in enumerate(found)}
    relations = tuple(_relations(cas, layer, feature, place)) if spans is not layer else ()
    return Document(id, text, tokens, sentences, layers={GOLD: Layer(mentions, relations=relations)})


def _own(cas: Any, kind: Any) -> list[Any]:
    return [one for one in cas.select(kind.name) if not getattr(one, PREDICTED, None)]


def _annotated(cas: Any, name: str) -> Iterator[tuple[int, int]]:
    if cas.typesystem.contains_type(name):
        yield from ((one.begin, one.end) for one in cas.select(name))


def _mention(one: Any, feature: str) -> Mention:
    """A span as a mention: `identifier` is its entity, any other feature its type."""
    link = getattr(one, "identifier", None)
    entity = None if not isinstance(link, str) else NIL if link == UNKNOWN_ENTITY else from_uri(link)
    name = getattr(one, "value" if feature == "identifier" else feature, None)
    return Mention(one.begin, one.end, name if isinstance(name, str) else None, entity)


def _relations(cas: Any, layer: Any, feature: str, place: Mapping[Any, int]) -> Iterator[Relation]:
    for one in _own(cas, layer):
        ends = [place.get(getattr(getattr(one, end, None), "xmiID", None)) for end in ENDS]
        label = getattr(one, feature, None)
        if ends[0] is not None and ends[1] is not None and isinstance(label, str):
            yield Relation(ends[0], ends[1], label)
