"""One document: its text with every layer, gold against predicted, and what differs."""

from ui import shell

shell.guard()

import streamlit as st  # noqa: E402

from ui import compare, data, layout, see, session, sidebar  # noqa: E402
from ui.components.text import spans_of, text  # noqa: E402

choice = sidebar.current()
layout.title_line("Document", "Outline is gold, fill is predicted; ✓ right, ✗ wrong, ∅ missed. Click a span to see it.")
if choice.corpus is None:
    layout.empty("There is no corpus in this workspace yet.", "corpora", "Add a corpus")
    st.stop()
document = choice.document
if document is None:
    layout.empty("This corpus has no documents.", "corpora", "Add another corpus")
    st.stop()

layers = compare.layers_of(document, choice.corpus, choice.run, choice.position)
if choice.run is not None and data.curve(choice.run, choice.corpus) is not None:
    see.knob(choice.run, choice.corpus, see.bias_on_screen(choice.run))
left, right = st.columns([2, 1], gap="medium")
with left:
    outline, fill, by = compare.choose_layers(layers)
    gold, predicted = layers.get(outline), layers.get(fill)
    spans = spans_of(gold, predicted, by=by)
    text(
        document,
        spans,
        key="document.text",
        on_select=session.selects("document.text"),
        selected=session.selected(),
        judged=gold is not None and predicted is not None,
    )
with right:
    selected = next((span for span in spans if span.key == session.selected()), None)
    if selected is None:
        compare.show_summary(document, spans, outline, fill, layers)
    else:
        compare.show_span(document, selected, layers)
    if choice.run is not None and shell.has_page(choice.run.task) and data.fits(choice.corpus, choice.run.task) != "no":
        layout.link_to(choice.run.task, "See how the run decided")
