"""Several annotators: how far they agree, where they differ, and the final word on each difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import streamlit as st

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import State
from engine.metrics.agreement import agreement, by_label
from engine.metrics.differences import Decision, DecisionKind, decisions
from engine.store.annotations import AnnotationLog
from engine.tasks.suggestions import Suggestion, accept, reject
from ui import data, layout
from ui.sidebar import Choice

KINDS: Final[tuple[DecisionKind, ...]] = ("link", "type", "relation", "coreference", "label")
_NAMES = {
    "span_f1": "spans, F1",
    "token_kappa": "types over tokens, Cohen's kappa",
    "type_kappa": "types of shared spans, Cohen's kappa",
    "type_alpha": "types, Krippendorff's alpha",
    "link_f1": "links, F1",
    "link_alpha": "links, Krippendorff's alpha",
    "cluster_muc": "chains, MUC F1",
    "cluster_b3": "chains, B³ F1",
    "cluster_lea": "chains, LEA F1",
    "relation_f1": "relations, F1",
    "label_alpha": "labels, Krippendorff's alpha",
}


def show(choice: Choice, user: str) -> None:
    corpus, document = choice.corpus, choice.document
    if corpus is None or document is None:
        return
    log = data.workspace().annotations(corpus.id)
    names = annotators(log)
    if len(names) < 2:
        st.text(
            "Agreement appears when two annotators have worked on their own layers"
            f" ({', '.join(names) if names else 'nobody has yet'}). Choose “my own layer” above."
        )
        return
    documents, layers = shared_work(log, data.original_documents(corpus), names)
    if not documents:
        st.text("No document has been annotated by all of them yet.")
        return
    whole = asdict(agreement(documents, layers))
    here = [i for i, one in enumerate(documents) if one.id == document.id]
    own = asdict(agreement([document], {n: [layers[n][here[0]]] for n in names})) if here else None
    rows = [
        {
            "measure": label,
            f"corpus, {len(documents)} documents": whole[key],
            "this document": own[key] if own else None,
        }
        for key, label in _NAMES.items()
    ]
    st.dataframe(rows, hide_index=True, width="stretch")
    per_label = by_label(layers)
    if per_label:
        st.dataframe(
            [{"type": name, "spans, F1": value} for name, value in per_label.items()], hide_index=True, width="stretch"
        )
    if here:
        _adjudicate(log, document, {name: layers[name][here[0]] for name in names}, user)


def annotators(log: AnnotationLog) -> list[str]:
    """Who has a layer of their own."""
    return sorted(log.layers() - {GOLD})


def shared_work(
    log: AnnotationLog, documents: Sequence[Document], names: Sequence[str]
) -> tuple[list[Document], dict[str, list[Layer]]]:
    """The documents that everybody has worked on, and everybody's layer of each."""
    touched = set.intersection(*(log.edited_documents(layer=name) for name in names))
    common = [document for document in documents if document.id in touched]
    return common, {name: [state.layer() for _, state in log.states(common, layer=name)] for name in names}


def disagreements(layers: dict[str, Layer], gold: State) -> list[tuple[Decision, tuple[str, ...]]]:
    """Decisions that some made and others did not, with who did; those gold has settled are left out."""
    made = {name: decisions(layer, KINDS) for name, layer in layers.items()}
    settled = decisions(gold.layer(), KINDS)
    refused = {(r.what, r.start, r.end, r.value) for r in gold.rejected}
    everything = list(made.values())
    disputed = everything[0].union(*everything[1:]) - everything[0].intersection(*everything[1:])
    return [
        (one, tuple(name for name in sorted(layers) if one in made[name]))
        for one in sorted(disputed)
        if one not in settled and (one.kind, one.start, one.end, one.value) not in refused
    ]


def _adjudicate(log: AnnotationLog, document: Document, layers: dict[str, Layer], user: str) -> None:
    """One disagreement at a time; the answer is written to the shared gold."""
    gold = log.state(document)
    open_ = disagreements(layers, gold)
    st.text(f"{layout.counted(len(open_), 'open disagreement')} in this document")
    if not open_:
        return
    decision, who = open_[0]
    place = document.text[decision.start : decision.end]
    st.text(layout.visible(f"{place or 'the document'}: {decision.kind} {decision.value}"))
    st.text(f"said by {', '.join(who)}; not by {', '.join(sorted(set(layers) - set(who)))}")
    suggestion = Suggestion(decision, None)
    with st.container(horizontal=True):
        if st.button("It holds: write it to gold", key="people.accept", type="primary"):
            log.append(document, accept(gold, suggestion, f"adj{log.version(document.id)}"), user=user)
            st.rerun()
        if st.button("It does not hold", key="people.reject"):
            log.append(document, reject(suggestion), user=user)
            st.rerun()
