"""One document: its text with every layer, gold against predicted, and what differs."""

from ui.shell import navigation

navigation.guard()

import streamlit as st

from ui.components.text import text
from ui.shell import cache, glances, layout, sidebar
from ui.tab import pages, session
from ui.views.document import data, layers, widgets, words
from ui.views.see import frame as see

choice = sidebar.current()
layout.title_line("Document", words.SENTENCE)
if choice.corpus is None:
    layout.empty(words.NO_CORPUS, "corpora", "Add a corpus")
    st.stop()
document = choice.document
if document is None:
    layout.empty(words.NO_DOCUMENTS, "corpora", "Add another corpus")
    st.stop()

run = choice.run if choice.run is not None and cache.fits(choice.corpus, choice.run.task) != "no" else None
if run is not None and glances.ask_inside(choice.corpus, run, words.CLOSED):
    run = None
elif choice.run is not None:
    see.knob(choice.run, choice.corpus, see.bias_on_screen(choice.run))
left, right = st.columns([2, 1], gap="medium")
with left:
    found = layers.sources(document, choice.corpus, choice.run, choice.position)
    chosen = widgets.choose_layers(found, f"run {run.learner}" if run else None)
    spans = data.drawn(chosen)
    see.land((span.start, span.end, span.key) for span in spans)
    text(
        document,
        spans,
        key="document.text",
        on_select=session.select,
        selected=session.selected(),
        judged=chosen.is_judged,
    )
    if chosen.second in chosen.layers:
        st.caption(words.SECOND_RUN)
with right:
    selected = next((span for span in spans if span.key == session.selected()), None)
    if selected is None:
        widgets.show_summary(document, chosen)
        widgets.show_label_verdict(choice.corpus, document, chosen)
        if run is not None and pages.exists(run.task):
            layout.link_to(run.task, "See how the run decided")
    else:
        widgets.show_span(document, selected, chosen)
        widgets.show_verdict(choice.corpus, document, selected)
        widgets.show_links(selected, chosen, layers.runs_by_layer(choice.corpus, choice.run))
