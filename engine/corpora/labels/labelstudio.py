"""Label Studio's labelling config: <Labels> are types, <Relations> relations, <Choices> labels of the document.

The XML is untrusted: a document type, which could define entities that expand without limit, is refused.
"""

from __future__ import annotations

from xml.etree import ElementTree

from engine.data.errors import InputError
from engine.data.labels import LabelSet, RelationType, with_labels


def parse(text: str) -> LabelSet:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError("a labelling config has no document type")
    try:
        view = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"not XML: {error}", line=error.position[0]) from None
    types = _values(view, "Labels", "Label")
    relations = [RelationType(name) for name in _values(view, "Relations", "Relation") if name != "coreference"]
    labels = _values(view, "Choices", "Choice")
    if not (types or relations or labels):
        raise InputError("has no <Labels>, <Relations> or <Choices>")
    chains = "coreference" in _values(view, "Relations", "Relation")
    links = any(node.get("perRegion") == "true" for node in view.iter("TextArea"))
    empty = LabelSet(links=links, chains=chains)
    return with_labels(empty, types=types, relations=relations, document_labels=labels)


def _values(view: ElementTree.Element, group: str, item: str) -> list[str]:
    found = [one.get("value") or one.get("alias") or "" for outer in view.iter(group) for one in outer.iter(item)]
    return list(dict.fromkeys(name for name in found if name.strip()))
