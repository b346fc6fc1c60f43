"""Label Studio JSON: a list of tasks with their text, annotations by people and predictions by models.

The first annotation of a task is gold, further ones and predictions are layers of their own. A region is a
mention; a "textarea" result with the region's id names its entity (--NIL-- outside the knowledge base); relations
labelled "coreference" make clusters; "choices" are labels of the document. Other results are kept as they are.

Offsets are code points, as in Label Studio since its release 1.5; before, it counted UTF-16 units. If a region includes
its text, that decides which of the two a file uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from engine.corpora import holdings
from engine.corpora.io import whole_json
from engine.corpora.io.utf16 import Utf16
from engine.corpora.records.fields import compose, expect, list_of, optional, required, rest
from engine.corpora.records.offsets import check_surface
from engine.data.document import COMMENTS, GOLD, Document, Layer, Mention, Relation
from engine.data.errors import InputError

TITLE: Final = "Label Studio JSON"
EXTENSIONS: Final = (".labelstudio.json",)
ABOUT: Final = "Export of a Label Studio project: regions, relations, choices, several annotators, predictions."

HOLDS: Final = {
    *("types", "untyped", "links", "nil", "unlinked", "scores", "clusters", "relations", "labels", "nested"),
    *("layers", "extra", "comments"),
}
TASK: Final = ("id", "data", "annotations", "predictions")
ANNOTATION: Final = ("result",)
REGION: Final = ("id", "from_name", "to_name", "type", "value", "score")
VALUE: Final = ("start", "end", "text", "labels")
COREFERENCE: Final = "coreference"
AREAS: Final = ("entity", "link")
"""Names of the text area that holds a region's entity; the first is ours."""
AREA: Final = "entity area"
"""The field of a mention whose entity was in a text area of another name."""
FROM: Final = {"labels": "label", "textarea": AREAS[0], "choices": "label"}
OTHERS: Final = "results"
META: Final = "meta"
KIND: Final = "annotation"
"""Layer field with the annotation's own fields; a layer without it is a prediction."""
SHAPE: Final = "labelstudio"
RESERVED: Final = (("data", "number", *TASK), (OTHERS, KIND), (*REGION, *VALUE))
"""Fields of documents, layers and mentions that hold what only this format has."""


def read(path: Path) -> Iterator[Document]:
    return whole_json.read(path, document)


def document(task: Any, position: int) -> Document:
    """The document of one task; `position` names one that has no id."""
    expect(task, dict, "the task")
    data = required(task, "data", dict)
    key = next((name for name in ("text", *data) if isinstance(data.get(name), str)), None)
    if key is None:
        raise InputError("has no text", field="data")
    text = data[key]
    extra = rest(task, TASK, ("id", "data", "annotations"), "#task")
    others = {name: value for name, value in data.items() if name not in (key, "id")}
    if others or key != "text":
        extra["data"] = {"text": key, "others": others}
    number = optional(task, "id", int)
    named = data.get("id")
    id = named if isinstance(named, str) else str(number if number is not None else position)
    if isinstance(named, str) and number is not None:
        extra["number"] = number
    elif named is not None and not isinstance(named, str):
        extra.setdefault("data", {"text": key, "others": {}})["others"]["id"] = named
    layers: dict[str, Layer] = {}
    # A skipped annotation is the last choice for gold.
    people = sorted(optional(task, "annotations", list) or (), key=_is_cancelled)
    for i, item in enumerate(people):
        layers[GOLD if i == 0 else f"annotation {i + 1}"] = _layer(item, text, f"annotations[{i}]", True)
    for i, item in enumerate(optional(task, "predictions", list) or ()):
        if isinstance(item, int) and not isinstance(item, bool):
            continue  # An export of a server may list predictions only by their numbers, without content.
        expect(item, dict, f"predictions[{i}]")
        version = optional(item, "model_version", str, f"predictions[{i}].")
        name = version if version and version not in layers else f"prediction {i + 1}"
        layers[name] = _layer(item, text, f"predictions[{i}]", False)
    return Document(id, text, layers=layers, shape=SHAPE, extra=extra)


def _is_cancelled(annotation: Any) -> bool:
    return isinstance(annotation, dict) and annotation.get("was_cancelled") is True


def _layer(item: Any, text: str, field: str, by_people: bool) -> Layer:
    results = required(expect(item, dict, field), "result", list, field + ".")
    regions: dict[str, Mention] = {}
    units = Utf16(text)
    labels: list[str] = []
    others: list[Any] = []
    linked: dict[str, str] = {}
    areas: dict[str, str] = {}
    for i, result in enumerate(results):
        where = f"{field}.result[{i}]."
        kind = required(expect(result, dict, where[:-1]), "type", str, where)
        if kind == "labels":
            regions[_region_id(result, regions, where)] = _mention(result, text, units, where)
        elif kind == "textarea" and result.get("from_name") in AREAS:
            linked[required(result, "id", str, where)] = _single(result, "text", where)
            areas[required(result, "id", str, where)] = str(result["from_name"])
        elif kind == "choices" and not result.get("score"):
            labels += list_of(required(result, "value", dict, where).get("choices"), str, where + "value.choices")
        elif kind != "relation":
            others.append(result)
    relations, pairs = _relations(results, list(regions), field)
    unknown = set(linked) - set(regions)
    if unknown:
        raise InputError(f"an entity is given for region {min(unknown)!r}, which is not there", field=field)
    for id, mention in regions.items():
        own_area = {AREA: areas[id]} if areas.get(id, AREAS[0]) != AREAS[0] else {}
        regions[id] = replace(mention, entity=linked.get(id), extra={**mention.extra, **own_area})
    mentions = tuple(regions.values())
    extra: dict[str, Any] = {OTHERS: others} if others else {}
    own = rest(item, ANNOTATION, ANNOTATION, "#annotation")
    if by_people or own.keys() - {"model_version"}:
        extra[KIND] = own if by_people else {**own, "by": "model"}
    return Layer(mentions, _joined(pairs), tuple(relations), tuple(labels), extra)


def _relations(
    results: Sequence[Any], regions: Sequence[str], field: str
) -> tuple[list[Relation], list[tuple[int, int]]]:
    """The relations between regions, and the pairs of regions that are coreferent."""
    relations: list[Relation] = []
    coreferent: list[tuple[int, int]] = []
    position = {id: i for i, id in enumerate(regions)}
    for i, result in enumerate(results):
        if result["type"] != "relation":
            continue
        where = f"{field}.result[{i}]."
        head, tail = (position.get(required(result, name, str, where)) for name in ("from_id", "to_id"))
        if head is None or tail is None:
            raise InputError("names a region that is not there", field=where + "from_id")
        names = list_of(result.get("labels") or [""], str, where + "labels")
        if names == [COREFERENCE]:
            coreferent.append((head, tail))
            continue
        score = optional(result, "score", float, where)
        relations += [Relation(head, tail, name, score) for name in names]
    return relations, coreferent


def _region_id(result: dict[str, Any], regions: dict[str, Mention], where: str) -> str:
    id: str = required(result, "id", str, where)
    if id in regions:
        raise InputError(f"two regions have the id {id!r}", field=where + "id")
    return id


def _single(result: dict[str, Any], name: str, where: str) -> str:
    value = required(result, "value", dict, where).get(name)
    items = list_of([value] if isinstance(value, str) else value, str, f"{where}value.{name}")
    if len(items) != 1:
        raise InputError(f"expected one entity, found {len(items)}", field=f"{where}value.{name}")
    return str(items[0])


def _mention(result: dict[str, Any], text: str, units: Utf16, where: str) -> Mention:
    value = required(result, "value", dict, where)
    inner = where + "value."
    start, end = required(value, "start", int, inner), required(value, "end", int, inner)
    surface = optional(value, "text", str, inner)
    if surface is not None and text[max(start, 0) : max(end, 0)] != surface:
        shifted = units.to_points(start), units.to_points(end)
        if shifted[0] is not None and shifted[1] is not None and text[shifted[0] : shifted[1]] == surface:
            start, end = shifted[0], shifted[1]
    if not 0 <= start < end <= len(text):
        raise InputError(f"[{start}, {end}) is not a span of a text of {len(text)} characters", field=inner + "start")
    names = list_of(value.get("labels") or [], str, inner + "labels")
    extra = rest(result, REGION, REGION[:-1], "#region")
    usual = {"from_name": FROM["labels"], "to_name": "text"}
    extra |= {
        name: result[name]
        for name in ("id", "from_name", "to_name")
        if name in result and result[name] != usual.get(name)
    }
    further = {name: part for name, part in value.items() if name not in VALUE}
    if further:
        extra["value"] = further
    if len(names) > 1:
        extra["labels"] = names
    if surface is not None and surface != text[start:end]:
        check_surface(text, (start, end), surface, inner + "text")
        extra["text"] = surface
    return Mention(start, end, names[0] if names else None, None, optional(result, "score", float, where), extra)


def _joined(pairs: list[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The clusters connected by the pairs."""
    cluster: dict[int, set[int]] = {}
    for a, b in pairs:
        union = cluster.get(a, {a}) | cluster.get(b, {b})
        for i in union:
            cluster[i] = union
    return tuple(dict.fromkeys(tuple(sorted(cluster[i])) for i in sorted(cluster)))


def write(documents: Iterable[Document], path: Path) -> None:
    whole_json.write((task(document) for document in documents), path)


def task(document: Document) -> dict[str, Any]:
    """The task of a document, with all its layers."""
    return _task(_without_namesakes(document))


def _namesakes(document: Document) -> list[str]:
    """Extra fields from other formats that happen to have a reserved name."""
    if document.shape == SHAPE:
        return []
    of_document, of_layer, of_mention = RESERVED
    found = [name for name in document.extra if name in of_document]
    for layer in document.layers.values():
        found += [name for name in layer.extra if name in of_layer]
        found += [name for mention in layer.mentions for name in mention.extra if name in of_mention]
    return found


def _without_namesakes(document: Document) -> Document:
    if not _namesakes(document):
        return document

    def rest_of(extra: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
        return {name: value for name, value in extra.items() if name not in names}

    of_document, of_layer, of_mention = RESERVED
    layers = {
        name: replace(
            layer,
            mentions=tuple(replace(m, extra=rest_of(m.extra, of_mention)) for m in layer.mentions),
            extra=rest_of(layer.extra, of_layer),
        )
        for name, layer in document.layers.items()
    }
    return replace(document, layers=layers, extra=rest_of(document.extra, of_document))


def _task(document: Document) -> dict[str, Any]:
    kept = expect(document.extra.get("data", {}), dict, "data")
    key, others = optional(kept, "text", str, "data."), optional(kept, "others", dict, "data.")
    data = {key or "text": document.text, **(others or {})}
    values: dict[str, Any] = {}
    if document.id.isascii() and document.id.isdigit() and str(int(document.id)) == document.id:
        values["id"] = int(document.id)
    else:
        data["id"] = document.id
        if "number" in document.extra:
            values["id"] = document.extra["number"]
    people: list[Any] = []
    models: list[Any] = []
    # Gold comes first, whatever the order of the layers, because the first annotation is read as gold.
    for name, layer in sorted(document.layers.items(), key=lambda item: item[0] != GOLD):
        own = layer.extra.get(KIND)
        record: dict[str, Any] = {"result": _results(document, layer)}
        if name == GOLD or (own is not None and own.get("by") != "model"):
            people.append(compose(record, own or {}, ANNOTATION, "#annotation"))
        else:
            further = {key: value for key, value in (own or {}).items() if key != "by"}
            models.append(compose(record, {"model_version": name, **further}, ANNOTATION, "#annotation"))
    values |= {"data": data, "annotations": people, "predictions": models}
    extra = {name: value for name, value in document.extra.items() if name not in ("data", "number")}
    return compose(values, extra, ("id", "data", "annotations"), "#task")


def _results(document: Document, layer: Layer) -> list[Any]:
    ids = [mention.extra.get("id", f"m{i + 1}") for i, mention in enumerate(layer.mentions)]
    results: list[Any] = []
    for id, mention in zip(ids, layer.mentions, strict=True):
        results.append(_region(document, mention, id))
        if mention.entity is not None:
            place = {"start": mention.start, "end": mention.end, "text": [mention.entity]}
            results.append({**_result(id, "textarea", place), "from_name": mention.extra.get(AREA, AREAS[0])})
    for relation in layer.relations:
        results.append(_relation(ids[relation.head], ids[relation.tail], relation.type, relation.score))
    for cluster in layer.clusters:
        for a, b in pairwise(cluster):
            results.append(_relation(ids[a], ids[b], COREFERENCE, None))
    if layer.labels:
        results.append(_result("labels", "choices", {"choices": list(layer.labels)}))
    return [*results, *layer.extra.get(OTHERS, ())]


def _result(id: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": id, "from_name": FROM[kind], "to_name": "text", "type": kind, "value": value}


def _region(document: Document, mention: Mention, id: str) -> dict[str, Any]:
    extra = mention.extra
    names = extra.get("labels", [])
    if not names or names[0] != mention.type:
        names = [mention.type] if mention.type is not None else []
    surface = extra.get("text", document.surface(mention))
    value = {"start": mention.start, "end": mention.end, "text": surface, "labels": names, **extra.get("value", {})}
    record = _result(id, "labels", value)
    record |= {name: extra[name] for name in ("from_name", "to_name") if name in extra}
    if mention.score is not None:
        record["score"] = mention.score
    own = {name: value for name, value in extra.items() if name not in ("value", "labels", "text", AREA)}
    if extra.get(COMMENTS) and META not in own:
        # The tool's own field for remarks on a region; our field also keeps author and time.
        own[META] = {"text": [f"{one['author']}: {one['text']}" for one in extra[COMMENTS]]}
    return compose(record, own, REGION[:-1], "#region")


def _relation(head: str, tail: str, name: str, score: float | None) -> dict[str, Any]:
    record: dict[str, Any] = {"from_id": head, "to_id": tail, "type": "relation", "direction": "right"}
    return record | {"labels": [name]} | ({"score": score} if score is not None else {})


def losses(document: Document) -> list[str]:
    found = holdings.missing(document, HOLDS)
    if any(len(cluster) == 1 for layer in document.layers.values() for cluster in layer.clusters):
        found.append("clusters of one mention")
    if document.bag is not None:
        found.append("bags")
    if any(
        COMMENTS in extra
        for layer in document.layers.values()
        for extra in (layer.extra, *(one.extra for one in layer.relations))
    ):
        found.append("comments on relations and on the document")
    if any(set(one.extra) - {COMMENTS} for layer in document.layers.values() for one in layer.relations):
        found.append("further fields of relations")
    clash = sorted(set(_namesakes(document)))
    if clash:
        found.append(f"fields with names that Label Studio uses itself: {', '.join(clash)}")
    return found
