"""Predictions for the tasks of Label Studio, one for each, in order; scores are between 0 and 1, as its validator
requires."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from engine.corpora.formats import labelstudio
from engine.corpora.records.fields import expect, optional, required
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.service.labelstudio.config import Config, check, parse
from engine.service.models.loading import Loaded
from engine.service.models.predicting import decide
from engine.service.requests.replies import TOO_LARGE, Ask, Refused, Reply, reply


def predict(loaded: Loaded, ask: Ask) -> Reply:
    record = ask.json()
    tasks = required(record, "tasks", list)
    if len(tasks) > ask.limits.documents:
        raise Refused(TOO_LARGE, f"{len(tasks)} tasks, where {ask.limits.documents} are allowed", "tasks")
    config = parse(required(record, "label_config", str))
    check(config, loaded.task)
    regions = _regions_in_context(record)
    documents = [read_task(task, i, config, regions) for i, task in enumerate(tasks)]
    for i, document in enumerate(documents):
        if len(document.text) > ask.limits.characters:
            raise Refused(TOO_LARGE, f"the text has {len(document.text)} characters", f"tasks[{i}]")
    layers = decide(loaded, documents).layers
    results = [_prediction(loaded, config, document, layer) for document, layer in zip(documents, layers, strict=True)]
    return reply({"results": results}, documents=len(documents))


def setup(loaded: Loaded, ask: Ask) -> Reply:
    """Called when a model is connected to a project: an unsuitable configuration is refused now."""
    record = ask.json()
    schema = optional(record, "schema", str) or optional(record, "label_config", str)
    if schema:
        check(parse(schema), loaded.task)
    return reply({"model_version": version_of(loaded)})


def version_of(loaded: Loaded) -> str:
    return f"{loaded.task.name} {loaded.version}"


def read_task(task: Any, position: int, config: Config, regions: Sequence[Any] | None = None) -> Document:
    """The text of a task with the regions that users have drawn: those given, or those of its latest annotation."""
    where = f"tasks[{position}]"
    data = required(expect(task, dict, where), "data", dict, where + ".")
    text = required(data, config.key, str, f"{where}.data.")
    if regions is None:
        annotations = optional(task, "annotations", list, where + ".") or []
        latest = expect(annotations[-1], dict, f"{where}.annotations") if annotations else {}
        regions = optional(latest, "result", list, f"{where}.annotations.") or []
    entity = config.entity.name if config.entity is not None else None
    drawn = [_as_ours(expect(one, dict, f"{where}.result"), entity) for one in regions]
    made = {"data": {"text": text, "id": str(position)}, "annotations": [{"result": drawn}]}
    try:
        return labelstudio.document(made, position)
    except InputError as error:
        raise InputError(error.what, field=f"{where}.{error.field}" if error.field else where) from None
    except ValueError as error:
        raise InputError(str(error), field=where) from None


def _as_ours(result: Mapping[str, Any], entity: str | None) -> dict[str, Any]:
    """A result with the control names that our reader expects, whatever the project calls its controls."""
    renamed = {"textarea": labelstudio.FROM["textarea"]} if result.get("from_name") == entity else {}
    kind = result.get("type")
    return {**result, "from_name": renamed.get(str(kind), result.get("from_name"))}


def _regions_in_context(record: Mapping[str, Any]) -> Sequence[Any] | None:
    """The regions on screen, if a user requests a prediction while annotating."""
    params = optional(record, "params", dict) or {}
    context = optional(params, "context", dict, "params.") or {}
    found: Sequence[Any] | None = optional(context, "result", list, "params.context.")
    return found


def _prediction(loaded: Loaded, config: Config, document: Document, layer: Layer) -> dict[str, Any]:
    scale = _probability if loaded.task.confidence == "probability" else _squashed
    made = _Results(config, document, layer, scale)
    found = {"result": made.all(), "model_version": version_of(loaded)}
    return found | ({"score": min(made.scores)} if made.scores else {})


def _probability(score: float) -> float:
    return min(1.0, max(0.0, score)) if math.isfinite(score) else 0.0


def _squashed(margin: float) -> float:
    """The logistic function of a margin, which is between 0 and 1."""
    return 1.0 / (1.0 + math.exp(-min(50.0, max(-50.0, margin)))) if not math.isnan(margin) else 0.0


class _Results:
    """The results of one prediction. `scores` are their scores; that of the task is the lowest of them."""

    def __init__(self, config: Config, document: Document, layer: Layer, scale: Callable[[float], float]) -> None:
        self.config, self.document, self.layer, self.scale = config, document, layer, scale
        self.scores: list[float] = []
        given = {mention.span: mention.extra.get("id") for mention in document.gold.mentions}
        taken = {id for id in given.values() if isinstance(id, str)}
        free = (f"e{i}" for i in range(len(layer.mentions) + len(taken) + 1) if f"e{i}" not in taken)
        self.ids = [given.get(mention.span) or next(free) for mention in layer.mentions]
        self.drawn: set[int] = set()

    def all(self) -> list[dict[str, Any]]:
        return [*self._regions(), *self._relations()]

    def _scored(self, record: dict[str, Any], score: float | None) -> dict[str, Any]:
        if score is None:
            return record
        self.scores.append(self.scale(score))
        return {**record, "score": self.scores[-1]}

    def _regions(self) -> Iterator[dict[str, Any]]:
        if self.config.labels is None:
            return
        for i, mention in enumerate(self.layer.mentions):
            label = self.config.label_of(mention.type)
            if label is None:
                continue  # a type that the project has no label for
            self.drawn.add(i)
            yield self._scored(self._region(i, mention, label), mention.score)
            if mention.entity is not None and self.config.entity is not None:
                value = {"start": mention.start, "end": mention.end, "text": [mention.entity]}
                yield self._result(i, self.config.entity.name, "textarea", value)

    def _region(self, i: int, mention: Mention, label: str) -> dict[str, Any]:
        assert self.config.labels is not None
        surface = self.document.surface(mention)
        value = {"start": mention.start, "end": mention.end, "text": surface, "labels": [label]}
        made = self._result(i, self.config.labels.name, "labels", value)
        if mention.entity is not None and self.config.entity is None:
            made["meta"] = {"text": [mention.entity]}
        return made

    def _result(self, i: int, name: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
        return {"id": self.ids[i], "from_name": name, "to_name": self.config.text, "type": kind, "value": value}

    def _relations(self) -> Iterator[dict[str, Any]]:
        pairs = [(r.head, r.tail, r.type, r.score) for r in self.layer.relations]
        for cluster in self.layer.clusters:
            chain = sorted(cluster, key=lambda i: self.layer.mentions[i].span)
            pairs += [(later, earlier, labelstudio.COREFERENCE, None) for earlier, later in pairwise(chain)]
        for head, tail, name, score in pairs:
            allowed = self.config.relations is None or name in self.config.relations
            if allowed and {head, tail} <= self.drawn:
                ends = {"from_id": self.ids[head], "to_id": self.ids[tail]}
                yield self._scored({"type": "relation", "direction": "right", "labels": [name], **ends}, score)
