"""One document: its text with every layer, gold against predicted, and what differs."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.components.text import text
from ui.shell import cache, layout, pages, session, sidebar
from ui.views.document import widgets as compare
from ui.views.see import frame as see

choice = sidebar.current()
layout.title_line("Document", "Outline is gold, fill is predicted; ✓ right, ✗ wrong, ∅ missed. Click a span to see it.")
if choice.corpus is None:
    layout.empty("There is no corpus in this workspace yet.", "corpora", "Add a corpus")
    st.stop()
document = choice.document
if document is None:
    layout.empty("This corpus has no documents.", "corpora", "Add another corpus")
    st.stop()

current = choice.run is not None and cache.fits(choice.corpus, choice.run.task) != "no"
if choice.run is not None and cache.curve(choice.run, choice.corpus) is not None:
    see.knob(choice.run, choice.corpus, see.bias_on_screen(choice.run))
left, right = st.columns([2, 1], gap="medium")
with left:
    found = compare.sources(document, choice.corpus, choice.run, choice.position)
    chosen = compare.choose_layers(found, f"run {choice.run.learner}" if choice.run and current else None)
    spans = compare.drawn(chosen)
    see.land((span.start, span.end, span.key) for span in spans)
    text(
        document,
        spans,
        key="document.text",
        on_select=session.select,
        selected=session.selected(),
        judged=chosen.outline in chosen.layers and chosen.fill in chosen.layers,
    )
    if chosen.second in chosen.layers:
        st.caption("Behind a label, A: the fill has it; B: the second run has it.")
with right:
    selected = next((span for span in spans if span.key == session.selected()), None)
    if selected is None:
        every = compare.drawn(chosen, all_of_them=True)
        compare.show_summary(document, every, chosen.outline, chosen.fill, chosen.layers)
        compare.show_label_verdict(choice.corpus, document, chosen.layers)
        if choice.run is not None and current and pages.exists(choice.run.task):
            layout.link_to(choice.run.task, "See how the run decided")
    else:
        compare.show_span(document, selected, chosen.layers)
        compare.show_verdict(choice.corpus, document, selected)
        compare.show_links(selected, chosen, compare.runs_by_layer(choice.corpus, choice.run))
