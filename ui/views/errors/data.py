"""The data of the Errors page, without drawing: rows of the list, spans in the text, saved slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from engine.data.document import Document, Layer
from engine.metrics.cases import Case, answers_in_words, place_in_words
from engine.metrics.errors import STAGES, Error, Filter, Span, Stage
from engine.workbench.glossary import tooltip
from ui.components.stages import StageRow
from ui.components.text import DrawnSpan
from ui.shell import layout
from ui.tab.palette import MISSED, WRONG
from ui.views.errors import words

TYPES: Final = 12
"""Maximum number of columns of the table of stages: the most frequent types."""


@dataclass(frozen=True)
class Column:
    """A column of the table of stages: its name, and the types that it counts."""

    name: str
    types: tuple[str, ...]


def columns_of(table: Mapping[Stage, Counter[str]]) -> list[Column]:
    """The most frequent types, each in a column of its own; the others are counted together."""
    ranked = [name for name, _ in sum(table.values(), Counter()).most_common()]
    columns = [Column(name or words.WITHOUT_TYPE, (name,)) for name in ranked[:TYPES]]
    rest = tuple(ranked[TYPES:])
    return [*columns, Column(words.MORE_TYPES.format(n=layout.count(len(rest))), rest)] if rest else columns


def stage_rows(
    table: Mapping[Stage, Counter[str]], stages: Sequence[Stage], now: float | None, fixed: Mapping[str, float | None]
) -> list[StageRow]:
    """Counts of every stage, in total and by column; then the score without its errors, and the gain."""
    columns = columns_of(table)
    rows = []
    for stage in stages:
        after = fixed.get(stage, now)
        gain = None if after is None or now is None else 100 * (after - now)
        by_type = (sum(table[stage][type] for type in column.types) for column in columns)
        facts = (layout.percent(after), "–" if gain is None else layout.with_minus(f"{gain:+.1f}"))
        rows.append(StageRow(stage, (sum(table[stage].values()), *by_type), facts, tooltip("stage", stage) or ""))
    return rows


def has_range(values: Sequence[Any]) -> bool:
    """Whether an attribute is filtered by a range: a number with many values."""
    return len(values) > 8 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def slice_json(chosen: Sequence[Filter]) -> dict[str, Any]:
    return {"filters": [asdict(one) for one in chosen]}


def saved_filters(record: Mapping[str, Any]) -> list[Filter]:
    """The conditions of a saved slice; slices of older workspaces have a single condition instead of a list."""
    return [
        Filter(one["attribute"], None if one["values"] is None else tuple(one["values"]), one["low"], one["high"])
        for one in record.get("filters", [record])
    ]


def case_row(case: Case, document: Document, *, blamed: bool = True) -> dict[str, str]:
    """A line of the list: the place, and what was missed, or the predicted and the gold answer."""
    return {
        "key": case.key,
        "sign": MISSED if case.said is None else WRONG,
        "title": case_title(case, document),
        "note": case.main.stage if blamed else "",
    }


def case_title(case: Case, document: Document) -> str:
    where, (gold, said) = place_in_words(case.main, document), answers_in_words(case, document)
    if case.said is None:
        return f"{where}: {case.main.gold or words.NOTHING}"
    return f"{where}: {said or words.NOTHING} {words.WANTED.format(gold=gold or words.NOTHING)}"


def case_spans(case: Case, document: Document) -> list[DrawnSpan]:
    """The spans of the case in the text: its mention, both arguments of a relation, every pair of a bag."""
    error = case.main
    if document.bag is not None:
        arguments = [m for one in document.bag.members for m in (one.head, one.tail) if m is not None]
        places = [document.gold.mentions[m].span for m in arguments]
    else:
        places = list(error.spans)
    gold, said = answers_in_words(case, document)
    label = said if case.said is not None else gold
    return [
        DrawnSpan(
            f"case{i or ''}",
            start,
            end,
            label="" if i else label,
            # What was said here is wrong, also where gold has something else on the same words.
            gold=case.said is None,
            predicted=case.said is not None,
        )
        for i, (start, end) in enumerate(dict.fromkeys(places))
    ]


def antecedents(error: Error, gold: Layer, predicted: Layer | None) -> list[DrawnSpan]:
    """The gold antecedent of this mention and the predicted one: the nearest earlier mention in its cluster."""
    found = []
    for name, layer in (("gold", gold), ("predicted", predicted or Layer())):
        cluster = next((spans for spans in _clusters(layer) if (error.start, error.end) in spans), [])
        before = [span for span in cluster if span < (error.start, error.end)]
        if before:
            start, end = max(before)
            is_gold = name == "gold"
            label = f"{name} antecedent"
            found.append(DrawnSpan(name, start, end, label=label, gold=is_gold, predicted=not is_gold))
    return found


def _clusters(layer: Layer) -> list[list[Span]]:
    return [[layer.mentions[i].span for i in cluster] for cluster in layer.clusters]


def confusion_rows(counts: Counter[tuple[str, str]], most: int = 200) -> list[dict[str, Any]]:
    """Confusions, most frequent first."""
    return [
        {"gold": layout.visible(gold) or "nothing", "predicted": layout.visible(predicted) or "nothing", "times": n}
        for (gold, predicted), n in counts.most_common(most)
    ]


def document_rows(found: Mapping[str, Counter[str]]) -> list[dict[str, Any]]:
    """Documents by number of errors; the bars are the stages."""
    return [
        {
            "document": id,
            "errors": sum(stages.values()),
            "stages": [stages.get(stage, 0) for stage in STAGES],
            "worst stage": stages.most_common(1)[0][0],
        }
        for id, stages in sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
