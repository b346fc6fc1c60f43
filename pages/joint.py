"""Joint: one sentence before and after the constraints had their say."""

from ui.shell import navigation

navigation.guard()

from dataclasses import replace

import streamlit as st

from engine.data.pins import RelationPin, TypePin
from engine.tasks.joint.constraints import enabled, to_toml
from engine.tasks.joint.explain import explain
from engine.tasks.joint.ledger import forced_row
from engine.tasks.joint.model import decoder, keep_constraints, with_constraints
from engine.tasks.joint.trace import has_gold, sentence_pins, trace
from ui.components.bars import bars
from ui.components.graph import graph
from ui.components.strip import NO_GOLD
from ui.components.switches import Wanted, switches
from ui.shell import cache, download, layout, session
from ui.views.joint import corpus as joint_corpus
from ui.views.joint import data as view
from ui.views.joint import export as joint_export
from ui.views.joint import graph as joint_graph
from ui.views.see import frame as see
from ui.views.see import pins

frame = see.frame(
    "joint",
    "Above: what each classifier says alone. Below: what they decide together. Switch a constraint and watch.",
    own_curve=False,
)
own = frame.model.state.constraints
asked = session.get("force")
relations = frame.model.state.space.labels[1:]
forced = asked if asked in relations else None
by_itself = decoder(frame.model).constraints
constraints = view.changed(own, session.get("off"), session.get("weights"))
deciding = view.with_forced(constraints, forced)
# Every system can be looked at under constraints: the classifiers stay as they are.
model = with_constraints(replace(frame.model, learner="lp"), deciding)
mentions, scored, _, _ = joint_corpus.scored(frame.run, frame.corpus)
sentence = mentions[frame.position], scored.sentence(frame.position)
with pins.removable(frame.document.text):
    one = trace(frame.document, *sentence, model, frame.bias, frame.pins)
if not one.spans:
    layout.empty("This sentence has no mentions.")
    st.stop()
arrows = joint_graph.after(one, has_gold(one), frame.pins)
totals = joint_corpus.summary(frame.run, frame.corpus, constraints, frame.bias)
soon = None if totals is None else joint_corpus.curve_soon(frame.run, frame.corpus, constraints)
frame = frame.with_curve(soon)
frame.draw_knob(
    decisions=[arrow.on for arrow in arrows if not arrow.missed], empty=NO_GOLD if totals else view.CANNOT_HOLD
)
see.land(view.places(one))
chosen = session.selected()
selected = chosen if view.is_key(one, chosen) else view.first_shown(one, f"{frame.corpus.id} {frame.run.id}")


def wanted(rows: Wanted) -> None:
    """The switches were moved: write them and the weights into the address."""
    asked_for = [
        replace(constraint, enabled=on, weight=weight) for constraint, (on, weight) in zip(own, rows, strict=True)
    ]
    off, weights = view.address(own, asked_for)
    session.put("off", off)
    session.put("weights", weights)


def keep() -> None:
    """The constraints on screen become the run's own, so the address need not say how they differ."""
    keep_constraints(cache.workspace().model_path(frame.run.id), constraints)
    session.put("off", None)
    session.put("weights", None)


with frame.left:
    st.text(layout.visible(frame.document.text))
    if one.conflict:
        st.error("These cannot hold together; switch one off or take a pin out.")
        st.dataframe([{"clash": name} for name in one.conflict], hide_index=True)
    nodes, alone = joint_graph.nodes(one, frame.pins), joint_graph.before(one, has_gold(one))
    graph(
        nodes,
        alone,
        arrows,
        key="joint.graph",
        on_select=session.select,
        selected=selected,
        ends=view.ends(one, selected),
        bias=frame.bias,
        run=frame.run.id,
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(view.verdict(one), width="stretch")
        stem = download.stem(frame.document.id)
        with st.container(horizontal=True, width="content"):
            st.download_button(
                "SVG",
                # Made at once, which is quick: what a click makes is lost where the page is drawn anew just then.
                joint_export.drawing(nodes, alone, arrows, frame.bias),
                f"{stem}.svg",
                "image/svg+xml",
                key="joint.svg",
                help="The graph as a drawing.",
            )
            st.download_button(
                "JSON",
                joint_export.numbers(one, frame.document.text),
                f"{stem}.json",
                "application/json",
                key="joint.json",
                help="The graph as numbers: probabilities, decisions, LP values, violations, objective.",
            )
    st.caption(view.LEGEND)
    switches(view.switch_rows(one, constraints), key="joint.constraints", on_change=wanted)
    with st.container(horizontal=True):
        st.button(
            "Keep in this run",
            key="joint.keep",
            on_click=keep,
            disabled=constraints == own or frame.run.status == "running",
            help="Switches and weights go into the run's model file."
            + (" It decides with them from now on." if by_itself else " It decides alone: they count violations only."),
        )
        st.download_button(
            "Download TOML",
            to_toml(constraints),
            f"{download.stem(frame.run.id)}-constraints.toml",
            "application/toml",
            key="joint.toml",
            help="The constraints as they stand here, for `--constraints` of the command line.",
        )
    tabs = st.tabs(["Decisions and LP values", "Violations", "Ledger of the corpus"])
    number = st.column_config.NumberColumn(format="%.3f")
    tabs[0].dataframe(
        view.decision_rows(one), hide_index=True, column_config={"cost alone": number, "cost together": number}
    )
    rows = view.violation_rows(one)
    tabs[1].dataframe(rows, hide_index=True) if rows else tabs[1].caption("Nothing is broken, before or after.")
    with tabs[2]:
        session.sync("joint.ledger", session.get("ledger") == "1")
        st.toggle(
            "Write the ledger",
            key="joint.ledger",
            on_change=lambda: session.put("ledger", "1" if session.value("joint.ledger", False) else None),
            help="Decides the corpus with and without every constraint, and at seven weights of each.",
        )
        if session.get("ledger") == "1" and totals is not None:
            book, whole = joint_corpus.ledger_of(frame.run, frame.corpus, constraints, frame.bias)
            share = st.column_config.NumberColumn(format=layout.PERCENT)
            st.dataframe(
                layout.in_percent(view.ledger_rows(book), view.LEDGER_SHARES),
                hide_index=True,
                column_config=dict.fromkeys(view.LEDGER_SHARES, share),
            )
            st.caption(
                f"{layout.count(whole.integral)} of {layout.count(whole.sentences)} linear programs were integral by"
                f" themselves ({layout.percent(whole.share)} %);"
                f" largest gap {layout.three(round(whole.largest_gap, 9))}. Choose weights on dev, never on test."
            )
        if forced is not None:
            tests = joint_corpus.forced_of(frame.run, frame.corpus, constraints, forced, frame.bias)
            st.text(layout.visible(f"Sentences known to hold {forced}: is the pair that is named one of gold's?"))
            st.dataframe(
                layout.in_percent([forced_row(name, test) for name, test in tests.items()], ("share",)),
                hide_index=True,
                key="joint.forced",
                column_config={"share": st.column_config.NumberColumn(format=layout.PERCENT)},
            )
        else:
            st.caption("Choose a relation in “Say that this sentence holds” for the forced-decision test of it.")

with frame.right:
    if totals is None:
        st.caption(view.CANNOT_HOLD)
    else:
        st.caption(view.totals_line("This corpus with the constraints on screen, as on the knob", totals))
    if enabled(by_itself) != enabled(constraints):
        own_totals = joint_corpus.summary(frame.run, frame.corpus, by_itself, frame.bias)
        how = "under its own constraints" if by_itself else f"({frame.model.learner}: each classifier alone)"
        if own_totals is not None:
            st.caption(view.totals_line(f"As the run itself decides, {how}", own_totals))
    session.sync("joint.force", forced or "")
    st.selectbox(
        "Say that this sentence holds",
        ["", *relations],
        key="joint.force",
        format_func=lambda name: layout.visible(name) or "nothing in particular",
        on_change=session.writes("force", "joint.force"),
        help="The forced decision of the paper: which pair is it, if the relation is known to hold?",
    )
    pins.bar(frame.document.text)
    if selected is not None:
        what, options = view.label_rows(one, selected)
        why = None
        if not one.conflict:
            why = explain(
                frame.document,
                *sentence,
                frame.model,
                decoder(model),
                frame.bias,
                sentence_pins(frame.document, mentions[frame.position], one.space, frame.pins),
                selected[0],
                int(selected[1:]),
            )
            options = view.with_flips(options, why)
        st.text(layout.visible(what))
        st.dataframe(
            layout.in_percent(options, ("p",)),
            hide_index=True,
            placeholder="never",
            column_config={
                "option": st.column_config.TextColumn(width=85),
                "": st.column_config.TextColumn(width=45, help="▲ alone, ▼ together, ✓ gold"),
                "p": st.column_config.NumberColumn(
                    width=65, format=layout.PERCENT, help="the classifier's probability"
                ),
                "cost": st.column_config.NumberColumn(width=50, format="%.2f", help="−log p, with the bias"),
                "LP": st.column_config.NumberColumn(width=40, format="%.2f", help="value in the linear program"),
                "flips": st.column_config.NumberColumn(
                    width=55, format="%+.2f", help="change of this option's score alone that would flip the decision"
                ),
            },
        )
        if why is not None:
            st.text(layout.visible(view.runner_up(why)))
            bars(
                view.shares(why),
                key="joint.why",
                total=sum(share.adds for share in why.shares),
                total_name="log-odds",
                caption=f"What each feature adds to the log-odds of {layout.visible(why.chosen)} against"
                f" {layout.visible(why.rival)}, by the classifier alone",
                heads=("feature", "", "adds"),
            )
        names = [str(row["option"]) for row in options]
        # A key of its own for everything that can be selected: an option of another pair must not stay in the box.
        box = f"joint.option.{frame.document.id}.{selected}"
        choice = st.selectbox("Option", names, key=box, format_func=layout.visible)
        index = int(selected[1:])
        buttons = st.columns(2)
        for place, label, holds in ((buttons[0], "Force it", True), (buttons[1], "Forbid it", False)):
            if selected[0] == "n":
                pin = TypePin(one.spans[index], choice, holds)
            else:
                head, tail = (one.spans[k] for k in one.pairs[index])
                pin = RelationPin(head, tail, choice, holds)
            place.button(label, key=f"joint.pin.{holds}", on_click=pins.add, args=(pin,), width="stretch")
