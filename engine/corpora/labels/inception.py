"""INCEpTION's layers, as exported in JSON by a project or a single layer: tag sets with their tags, and the layers'
features that use them.

A span layer's tag set gives types, a relation layer's gives relations; the built-in layer of named entities links
where it has the feature `identifier`, and chain layers mean that chains are annotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.corpora.formats.jsonl import parse as parse_json
from engine.data.errors import InputError
from engine.data.labels import LabelSet, RelationType, with_labels


def matches(text: str) -> bool:
    """Whether this JSON is INCEpTION's rather than ours."""
    return any(f'"{name}"' in text for name in ("tag_sets", "layers", "built_in", "features"))


def parse(text: str) -> LabelSet:
    record = parse_json(text)
    layers = list(_layers(record))
    tags = {str(one.get("name")): _tags(one) for one in _tag_sets(record, layers)}
    types: list[str] = []
    relations: list[RelationType] = []
    labels: list[str] = []
    links = chains = False
    for layer in layers:
        kind = str(layer.get("type", "span"))
        chains = chains or kind == "chain"
        for feature in _list(layer, "features"):
            links = links or feature.get("name") == "identifier"
            named = feature.get("tag_set")
            found = _tags(named) if isinstance(named, Mapping) else tags.get(str(named), [])
            if kind == "relation":
                relations += [RelationType(name) for name in found]
            elif kind == "span":
                types += found
            elif kind == "document-metadata":
                labels += found
        # A custom layer without tags is a type by itself.
        if kind == "span" and not layer.get("built_in") and not any(f.get("tag_set") for f in _list(layer, "features")):
            types.append(str(layer.get("uiName") or layer.get("name", "")).rpartition(".")[2])
    if not (types or relations or labels):
        raise InputError("names no tags: neither its layers nor its tag sets have any")
    empty = LabelSet(links=links, chains=chains)
    unique = {one.name: one for one in relations}
    return with_labels(empty, types=filter(None, types), relations=unique.values(), document_labels=labels)


def _layers(record: Any) -> Iterator[Mapping[str, Any]]:
    """The layers of an exported project, of a list, or the one layer that the file is."""
    if isinstance(record, list):
        yield from (one for one in record if isinstance(one, Mapping))
    elif isinstance(record, Mapping) and isinstance(record.get("layers"), list):
        yield from (one for one in record["layers"] if isinstance(one, Mapping))
    elif isinstance(record, Mapping) and "features" in record:
        yield record


def _tag_sets(record: Any, layers: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    if isinstance(record, Mapping):
        yield from _list(record, "tag_sets")
    for layer in layers:
        for feature in _list(layer, "features"):
            if isinstance(feature.get("tag_set"), Mapping):
                yield feature["tag_set"]


def _tags(tag_set: Mapping[str, Any]) -> list[str]:
    return [str(one.get("tag_name") or one.get("name") or "") for one in _list(tag_set, "tags")]


def _list(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = record.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
