"""Several annotators: what they worked on together, how far they agree, where they differ, and what settles it.

Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final

from engine.data.document import GOLD, NIL, Document, Layer
from engine.data.edits import Edit, State, Together
from engine.metrics.agreement import agreement, by_label, by_relation
from engine.metrics.differences import Decision, decisions
from engine.store.annotations import AnnotationLog
from engine.workbench.suggestions import KINDS, Suggestion, accept, refused, reject, settled
from ui.shell import layout

MEASURES: Final[dict[str, dict[str, str]]] = {
    "span": {"span_f1": "spans, F1"},
    "type": {
        "token_kappa": "types over tokens, Cohen's kappa",
        "token_fleiss": "types over tokens, Fleiss' kappa",
        "type_kappa": "types of shared spans, Cohen's kappa",
        "type_alpha": "types, Krippendorff's alpha",
    },
    "link": {"link_f1": "links, F1", "link_alpha": "links, Krippendorff's alpha"},
    "coreference": {
        "cluster_muc": "chains, MUC F1",
        "cluster_b3": "chains, B³ F1",
        "cluster_lea": "chains, LEA F1",
    },
    "relation": {"relation_f1": "relations, F1"},
    "label": {"label_alpha": "labels, Krippendorff's alpha"},
}
"""Measures by what they are about; of what nobody annotated there is nothing to agree on."""
SHORT: Final = {"span": "span_f1", "link": "link_f1", "coreference": "cluster_b3", "relation": "relation_f1"}
"""The measure that stands for each kind in the table of documents."""


def annotators(log: AnnotationLog) -> list[str]:
    """Who has a layer of their own."""
    return sorted(log.layers() - {GOLD})


def closest(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """The two who have most documents in common."""
    touched = {name: log.edited_documents(layer=name) for name in names}
    first, second = max(combinations(names, 2), key=lambda pair: len(touched[pair[0]] & touched[pair[1]]))
    return [first, second]


def shared_work(
    log: AnnotationLog, documents: Sequence[Document], names: Sequence[str]
) -> tuple[list[Document], dict[str, list[Layer]]]:
    """The documents that all of these have worked on, and everybody's layer of each."""
    touched = set.intersection(*(log.edited_documents(layer=name) for name in names))
    common = [document for document in documents if document.id in touched]
    return common, {name: [state.layer() for _, state in log.states(common, layer=name)] for name in names}


def used(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> list[str]:
    """What anybody annotated, in the order it is reported. What a bag asks about everybody was given."""
    given = [State.unanswered(document).layer() for document in documents]
    work = [(layer, start) for own in layers.values() for layer, start in zip(own, given, strict=True)]
    made = {one.kind for layer, start in work for one in decisions(layer, KINDS) - decisions(start, KINDS)}
    spans = any(len(layer.mentions) > len(start.mentions) for layer, start in work)
    return [kind for kind in MEASURES if kind in made or (kind == "span" and spans)]


def measure_rows(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], id: str) -> list[dict[str, Any]]:
    """Agreement on all documents and on the one at hand, by measure."""
    whole = asdict(agreement(documents, layers))
    here = next((i for i, one in enumerate(documents) if one.id == id), None)
    own = None
    if here is not None:
        own = asdict(agreement([documents[here]], {name: [layers[name][here]] for name in layers}))
    everywhere = layout.counted(len(documents), "document")
    return [
        {"measure": label, everywhere: whole[key], "this document": own[key] if own else None}
        for kind in used(documents, layers)
        for key, label in MEASURES[kind].items()
    ]


def label_rows(layers: Mapping[str, Sequence[Layer]]) -> list[dict[str, Any]]:
    """Agreement by type and by relation."""
    rows = [{"label": f"type {name}", "F1": value} for name, value in by_label(layers).items()]
    return rows + [{"label": f"relation {name}", "F1": value} for name, value in by_relation(layers).items()]


def document_rows(
    documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], cases: Mapping[str, Sequence[Case]]
) -> list[dict[str, Any]]:
    """Every document that all have annotated, those with most open disagreements first."""
    columns = short_columns(documents, layers)
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(documents):
        found = asdict(agreement([one], {name: [layers[name][i]] for name in layers}))
        scores = {label: found[key] for label, key in columns.items()}
        rows.append({"document": one.id, "open": len(cases[one.id]), **scores})
    return sorted(rows, key=lambda row: (-row["open"], row["document"]))


def short_columns(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> dict[str, str]:
    """Head of a column -> its measure, in the table of documents."""
    return {MEASURES[kind][key]: key for kind, key in SHORT.items() if kind in used(documents, layers)}


@dataclass(frozen=True)
class Case:
    """One place where annotators differ: what was said there, and by whom; `silent` said none of it."""

    choices: tuple[tuple[Decision, tuple[str, ...]], ...]
    silent: tuple[str, ...]

    @property
    def place(self) -> Decision:
        return self.choices[0][0]


def open_cases(log: AnnotationLog, document: Document, layers: Mapping[str, Layer]) -> list[Case]:
    return disagreements(layers, log.state(document))


def disagreements(layers: Mapping[str, Layer], gold: State) -> list[Case]:
    """Places on which the annotators differ and gold has not settled every answer, in text order."""
    made = {name: decisions(layer, KINDS) for name, layer in layers.items()}
    done = settled(gold)
    everything = list(made.values())
    disputed = everything[0].union(*everything[1:]) - everything[0].intersection(*everything[1:])
    places: dict[tuple[object, ...], list[Decision]] = {}
    for one in sorted(disputed):
        places.setdefault(_place(one), []).append(one)
    cases = []
    for place, found in places.items():
        # What everybody said there is no dispute, but it is one of the answers.
        answers = sorted({one for said in made.values() for one in said if _place(one) == place})
        if all(one in done for one in found):
            continue
        choices = tuple((one, tuple(name for name in sorted(layers) if one in made[name])) for one in answers)
        said = {name for _, names in choices for name in names}
        cases.append(Case(choices, tuple(name for name in sorted(layers) if name not in said)))
    return cases


def _place(one: Decision) -> tuple[object, ...]:
    """Decisions that exclude each other share it: a mention has one type, one link, one place in its chain."""
    if one.kind == "relation":
        return one.kind, one.start, one.end, one.other
    if one.kind == "label":
        return one.kind, one.value
    return one.kind, one.start, one.end


def settle(gold: State, case: Case, chosen: Decision | None, id: str) -> Edit:
    """The edit that writes one answer to gold and says no to the others; None says no to all."""
    made = settled(gold) - refused(gold)
    said_no = refused(gold)
    answers: list[Edit] = [
        reject(Suggestion(one, None)) for one, _ in case.choices if one != chosen and one not in said_no
    ]
    if chosen is not None and chosen not in made:
        answers.append(accept(gold, Suggestion(chosen, None), id))
    return answers[0] if len(answers) == 1 else Together(tuple(answers))


def context(document: Document, place: Decision, around: int = 60) -> str:
    """The words of the decision in their surroundings."""
    if place.kind == "label":
        return f"the document as a whole: {document.text[: 2 * around]}…"
    start, end = max(0, place.start - around), min(len(document.text), place.end + around)
    text = document.text
    marked = f"{text[start : place.start]}«{text[place.start : place.end]}»{text[place.end : end]}"
    return f"{'…' if start else ''}{' '.join(marked.split())}{'…' if end < len(text) else ''}"


def said(document: Document, one: Decision) -> str:
    """A decision in words."""
    other = f"“{document.text[one.other[0] : one.other[1]]}”"
    if one.kind == "relation":
        return f"{one.value} → {other}"
    if one.kind == "coreference":
        return f"same chain as {other}"
    return f"{one.kind} {'NIL' if one.value == NIL else one.value}" if one.kind != "span" else "a mention"
