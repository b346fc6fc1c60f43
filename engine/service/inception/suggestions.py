"""Decisions as suggestions on a layer of a CAS.

On a span layer, links or types are suggested; on a relation layer, relations between existing spans. INCEpTION does not
accept chains from recommenders, so coreference is suggested as a relation from every mention to the previous one. Only
features of the type system in the request are set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from engine.corpora.io.names import to_uri
from engine.corpora.io.utf16 import Utf16
from engine.corpora.records.fields import optional, required
from engine.data.document import NIL, Document
from engine.data.errors import InputError
from engine.service.inception.documents import ENDS, PREDICTED, Opened, open_document
from engine.service.models.loading import Loaded
from engine.service.models.predicting import Decided, decide
from engine.service.requests.replies import WRONG, Ask, Refused, Reply, reply
from engine.tasks.capabilities import ListedPart, ListsParts

ALTERNATIVES: Final = 3
"""How many entities are suggested for a span, the most probable first."""
EXPLAINED: Final = 50
"""Largest number of suggestions that are explained, since INCEpTION waits 30 seconds only."""
COREFERENCE: Final = "coreference"
MODES: Final = ("characters", "singleToken", "tokens", "sentences")


@dataclass(frozen=True)
class Suggestion:
    """A span with its label, or a relation: then the span is that of its dependent, and `head` that of its governor."""

    start: int
    end: int
    label: str
    score: float | None = None
    why: str | None = None
    head: tuple[int, int] | None = None


def predict(loaded: Loaded, ask: Ask) -> Reply:
    record = ask.json()
    opened = open_document(required(record, "document", dict), record, ask.limits.characters)
    keep = _filter(required(record, "metadata", dict), opened.document)
    decided = decide(loaded, [opened.document])
    found = _relations(loaded, decided) if opened.is_relation else _spans(loaded, decided, opened)
    _add(opened, (kept for one in found if (kept := keep(one)) is not None))
    return reply({"document": opened.cas.to_xmi(pretty_print=False)}, documents=1)


def _spans(loaded: Loaded, decided: Decided, opened: Opened) -> Iterator[Suggestion]:
    task, [layer] = loaded.task, decided.layers
    if "link" in task.decides:
        yield from _links(loaded, decided, explained=opened.layer.get_feature(_explains(opened)) is not None)
    elif "type" in task.decides:
        for mention in layer.mentions:
            if mention.type is not None:
                yield Suggestion(mention.start, mention.end, mention.type, mention.score)
    elif "coreference" in task.decides:
        for number, cluster in enumerate(layer.clusters, 1):
            for mention in (layer.mentions[i] for i in cluster):
                yield Suggestion(mention.start, mention.end, f"entity {number}")
    else:
        raise Refused(WRONG, f"{task.name} decides nothing about spans", "metadata.layer")


def _links(loaded: Loaded, decided: Decided, *, explained: bool) -> Iterator[Suggestion]:
    """The link decided for every span, and its most probable alternatives."""
    task, [layer] = loaded.task, decided.layers
    options: dict[tuple[int, int], list[ListedPart]] = {}
    if isinstance(task, ListsParts):
        for part in task.list_parts(decided.scored.one(0)):
            options.setdefault((part.says["start"], part.says["end"]), []).append(part)
    left = EXPLAINED if explained else 0
    for mention in layer.mentions:
        if mention.entity in (None, NIL):
            continue
        ranked = sorted(options.get(mention.span, ()), key=lambda part: -(part.probability or 0.0))
        why = None
        chosen = next((part for part in ranked if part.chosen), None)
        if left and chosen is not None:
            left -= 1
            why = _reasons(loaded, decided, chosen.number)
        yield Suggestion(*mention.span, to_uri(str(mention.entity)), mention.score, why)
        for part in [one for one in ranked if one.says["entity"] != mention.entity][: ALTERNATIVES - 1]:
            yield Suggestion(*mention.span, to_uri(part.says["entity"]), part.probability)


def _reasons(loaded: Loaded, decided: Decided, part: int) -> str:
    """The features that contribute most to the score of a part, in one line."""
    why = loaded.task.explain(decided.scored.one(0), loaded.model, part)
    told = [f"{one.name} {one.adds:+.2f}" for one in why.contributions[:4] if one.adds]
    return "; ".join(told)


def _relations(loaded: Loaded, decided: Decided) -> Iterator[Suggestion]:
    task, [layer] = loaded.task, decided.layers
    if "coreference" in task.decides:
        for cluster in layer.clusters:
            chain = sorted((layer.mentions[i] for i in cluster), key=lambda mention: mention.span)
            for before, after in pairwise(chain):
                yield Suggestion(after.start, after.end, COREFERENCE, after.score, head=before.span)
    elif "relation" in task.decides:
        for relation in layer.relations:
            head, tail = layer.mentions[relation.head], layer.mentions[relation.tail]
            yield Suggestion(tail.start, tail.end, relation.type, relation.score, head=head.span)
    else:
        raise Refused(WRONG, f"{task.name} decides nothing about relations", "metadata.layer")


def _filter(metadata: Mapping[str, Any], document: Document) -> Callable[[Suggestion], Suggestion | None]:
    """A function that fits a suggestion to the anchoring, range and sentences of the request, or returns None."""
    mode = optional(metadata, "anchoringMode", str, "metadata.") or "characters"
    if mode not in MODES:
        raise InputError(f"expected one of {', '.join(MODES)}", field="metadata.anchoringMode")
    low, high = _range(metadata, document)
    crosses = bool(metadata.get("crossSentence", True)) or not document.sentences

    def keep(one: Suggestion) -> Suggestion | None:
        start, end = one.start, one.end
        if not (start < high and low < end):
            return None
        if one.head is None and mode in ("tokens", "singleToken"):
            first, last = document.token_range(start, end)
            if last <= first or (mode == "singleToken" and last > first + 1):
                return None
            start, end = document.char_range(first, last)
        if one.head is None and mode == "sentences":
            return None
        if not crosses and _sentence(document, start) != _sentence(document, (one.head or (end - 1, end))[0]):
            return None
        return replace(one, start=start, end=end)

    return keep


def _range(metadata: Mapping[str, Any], document: Document) -> tuple[int, int]:
    """The range of visible characters, converted from UTF-16 units; the whole text if the request has none."""
    given = optional(metadata, "range", dict, "metadata.")
    if given is None:
        return 0, len(document.text)
    units = Utf16(document.text) if document.text else None
    ends = [required(given, name, int, "metadata.range.") for name in ("begin", "end")]
    low, high = (units.to_points(end) if units else 0 for end in ends)
    return low if low is not None else 0, high if high is not None else len(document.text)


def _sentence(document: Document, at: int) -> int:
    token = document.token_range(at, at + 1)[0]
    return next((i for i, (first, last) in enumerate(document.sentences) if first <= token < last), -1)


def _explains(opened: Opened) -> str:
    return f"{opened.feature}_score_explanation"


def _add(opened: Opened, suggestions: Iterable[Suggestion]) -> None:
    there = {(one.begin, one.end): one for one in opened.own(opened.spans)} if opened.is_relation else {}
    for one in suggestions:
        values: dict[str, Any] = {opened.feature: one.label, PREDICTED: True}
        values[f"{opened.feature}_score"] = one.score
        values[_explains(opened)] = one.why
        if one.head is not None:
            ends = [there.get(one.head), there.get((one.start, one.end))]
            if None in ends:
                continue  # INCEpTION accepts relations between existing spans only
            values |= dict(zip(ENDS, ends, strict=True))
        known = {name: value for name, value in values.items() if value is not None and opened.layer.get_feature(name)}
        opened.cas.add(opened.layer(begin=one.start, end=one.end, **known))
