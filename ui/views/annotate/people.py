"""Several annotators: how far they agree, where they differ, and the final word on each difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import streamlit as st

from engine.data.document import GOLD, NIL, Document, Layer
from engine.data.edits import Edit, State, Together
from engine.metrics.agreement import agreement, by_label, by_relation
from engine.metrics.differences import Decision, decisions
from engine.store.annotations import AnnotationLog
from engine.workbench.suggestions import KINDS, Suggestion, accept, refused, reject, settled
from ui.shell import cache, layout, session
from ui.shell.sidebar import Choice

_NAMES = {
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
_SHORT = {"span": "span_f1", "link": "link_f1", "coreference": "cluster_b3", "relation": "relation_f1"}
_THREE = st.column_config.NumberColumn(format="%.3f")


def show(choice: Choice, user: str) -> None:
    corpus, document = choice.corpus, choice.document
    if corpus is None or document is None:
        return
    log = cache.workspace().annotations(corpus.id)
    names = annotators(log)
    if len(names) < 2:
        st.text(
            "Agreement appears when two annotators have worked on their own layers"
            f" ({', '.join(names) if names else 'nobody has yet'}). Choose “my own layer” above."
        )
        return
    names = _chosen(log, names)
    if len(names) < 2:
        st.text("Choose two or more: agreement is between people.")
        return
    documents, layers = shared_work(log, cache.original_documents(corpus), names)
    if not documents:
        st.text(f"No document has been annotated by all of them yet ({', '.join(names)}).")
        return
    cases = {one.id: open_cases(log, one, {n: layers[n][i] for n in names}) for i, one in enumerate(documents)}
    left, right = st.columns([3, 2])
    with left:
        _adjudicate(log, documents, cases, document.id, user)
        _by_document(documents, layers, cases)
    with right:
        _measures(documents, layers, document.id)


def annotators(log: AnnotationLog) -> list[str]:
    """Who has a layer of their own."""
    return sorted(log.layers() - {GOLD})


def closest(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """The two who have most documents in common."""
    touched = {name: log.edited_documents(layer=name) for name in names}
    first, second = max(combinations(names, 2), key=lambda pair: len(touched[pair[0]] & touched[pair[1]]))
    return [first, second]


def _chosen(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """Whose layers are compared: only documents that all of them have worked on count, so few people see more."""
    asked = session.get_all("people")
    session.sync("people.names", [name for name in names if name in asked] or closest(log, names))
    return st.multiselect(
        "Annotators",
        names,
        key="people.names",
        on_change=lambda: session.put_all("people", session.value("people.names", [])),
        help="Compared on the documents that all of them have worked on. At first: the two with most in common.",
    )


def shared_work(
    log: AnnotationLog, documents: Sequence[Document], names: Sequence[str]
) -> tuple[list[Document], dict[str, list[Layer]]]:
    """The documents that all of these have worked on, and everybody's layer of each."""
    touched = set.intersection(*(log.edited_documents(layer=name) for name in names))
    common = [document for document in documents if document.id in touched]
    return common, {name: [state.layer() for _, state in log.states(common, layer=name)] for name in names}


def _measures(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], id: str) -> None:
    """Agreement on the corpus and on the document at hand, and by label."""
    whole = asdict(agreement(documents, layers))
    here = next((i for i, one in enumerate(documents) if one.id == id), None)
    own = None
    if here is not None:
        own = asdict(agreement([documents[here]], {name: [layers[name][here]] for name in layers}))
    st.text(f"Agreement of {', '.join(layers)}, mean over pairs: 1 is full; for kappa and alpha 0 is chance.")
    st.dataframe(
        [
            {
                "measure": label,
                f"{layout.counted(len(documents), 'document')}": whole[key],
                "this document": own[key] if own else None,
            }
            for kind in used(documents, layers)
            for key, label in _NAMES[kind].items()
        ],
        hide_index=True,
        width="stretch",
        column_config=dict.fromkeys((f"{layout.counted(len(documents), 'document')}", "this document"), _THREE),
    )
    labels = [{"label": f"type {name}", "F1": value} for name, value in by_label(layers).items()]
    labels += [{"label": f"relation {name}", "F1": value} for name, value in by_relation(layers).items()]
    if labels:
        st.dataframe(labels, hide_index=True, width="stretch", column_config={"F1": _THREE})


def used(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> list[str]:
    """What anybody annotated, in the order it is reported. What a bag asks about everybody was given."""
    given = [State.unanswered(document).layer() for document in documents]
    work = [(layer, start) for own in layers.values() for layer, start in zip(own, given, strict=True)]
    made = {one.kind for layer, start in work for one in decisions(layer, KINDS) - decisions(start, KINDS)}
    spans = any(len(layer.mentions) > len(start.mentions) for layer, start in work)
    return [kind for kind in _NAMES if kind in made or (kind == "span" and spans)]


def _by_document(
    documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], cases: Mapping[str, Sequence[Case]]
) -> None:
    """Every document that all have annotated, those with most open disagreements first; choosing one opens it."""
    columns = {_NAMES[kind][key]: key for kind, key in _SHORT.items() if kind in used(documents, layers)}
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(documents):
        found = asdict(agreement([one], {name: [layers[name][i]] for name in layers}))
        scores = {label: found[key] for label, key in columns.items()}
        rows.append({"document": one.id, "open": len(cases[one.id]), **scores})
    rows.sort(key=lambda row: (-row["open"], row["document"]))
    picked = st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        key="people.documents",
        on_select="rerun",
        selection_mode="single-row",
        column_config=dict.fromkeys(columns, _THREE),
    )
    chosen = picked.selection.rows if picked else []
    if chosen and st.button("Open the marked one", key="people.open"):
        session.choose("doc", str(rows[chosen[0]]["document"]))
        st.rerun()


# Adjudication


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


def _adjudicate(
    log: AnnotationLog, documents: Sequence[Document], cases: Mapping[str, Sequence[Case]], id: str, user: str
) -> None:
    """One disagreement at a time; the answer is written to the shared gold, and the next one follows."""
    total = sum(map(len, cases.values()))
    waiting = [one for one in documents if cases[one.id]]
    st.text(
        f"{layout.counted(total, 'open disagreement')} in {layout.counted(len(waiting), 'document')};"
        f" {len(cases.get(id, ()))} in this one."
    )
    here = list(cases.get(id, ()))
    if not here:
        if waiting and st.button("Go to the next document with disagreements", key="people.next", type="primary"):
            session.choose("doc", waiting[0].id)
            st.rerun()
        return
    document = next(one for one in documents if one.id == id)
    skipped = int(session.value("people.skipped", 0)) % len(here)
    case = here[skipped]
    gold = log.state(document)
    with st.container(border=True):
        st.text(layout.visible(context(document, case.place)))
        in_gold = decisions(gold.layer(), KINDS)
        answers: list[tuple[Decision | None, str]] = []
        for number, (decision, who) in enumerate(case.choices, 1):
            note = " (in gold now)" if decision in in_gold else ""
            st.text(layout.visible(f"{number}. {said(document, decision)}{note}: {', '.join(who)}"))
            answers.append((decision, f"{number} holds"))
        if case.silent:
            st.text(f"said nothing here: {', '.join(case.silent)}")
        answers.append((None, "Nothing holds"))
        with st.container(horizontal=True):
            for position, (choice, name) in enumerate(answers):
                if st.button(name, key=f"people.answer.{position}", type="primary" if position == 0 else "secondary"):
                    edit = settle(gold, case, choice, f"adj{log.version()}")
                    log.append(document, edit, user=user)
                    st.rerun()
            if len(here) > 1 and st.button("Skip", key="people.skip"):
                session.keep("people.skipped", skipped + 1)
                st.rerun()


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
