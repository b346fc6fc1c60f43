"""The right column of the Joint page: the options of one mention or pair, why one leads, and pins on them."""

from __future__ import annotations

import streamlit as st

from engine.tasks import registry
from engine.tasks.joint.task import Joint
from engine.tasks.joint.trace import JointTrace, closest_call
from engine.tasks.joint.what_if.runner_up import RunnerUp, runner_up
from ui.shell import layout
from ui.tab import session
from ui.views.joint import data, words
from ui.views.joint.screen import Screen
from ui.views.see import pins
from ui.views.see.why import made_of


def selected(screen: Screen) -> str | None:
    """The selected mention or pair: the one that was clicked, else the most doubtful one.

    The latter stays until another document is shown: switching a constraint makes other decisions doubtful, but must
    not change what the user is looking at.
    """
    trace, frame = screen.trace, screen.frame
    chosen = session.selected()
    if data.is_key(trace, chosen):
        return chosen
    place = f"{frame.corpus.id} {frame.run.id} {trace.document}"
    kept, key = session.value("joint.first_shown", (None, None))
    if kept != place or not data.is_key(trace, key):
        key = first_look(trace)
        session.keep("joint.first_shown", (place, key))
    return str(key) if key is not None else None


def first_look(trace: JointTrace) -> str | None:
    """The key of the most doubtful mention or pair."""
    part = closest_call(trace)
    return None if part is None else data.key_of(trace, part)


def show(screen: Screen, key: str) -> None:
    """The options, what would flip the decision, the features behind it, and buttons that force or forbid an option."""
    what, options = data.option_rows(screen.trace, key)
    why = None
    if not screen.trace.conflict:
        why = runner_up(screen.sentence, data.part_of(screen.trace, key), screen.frame.pins)
        options = data.with_flips(options, why)
    st.text(layout.visible(what))
    st.dataframe(
        layout.in_percent(options, ("p",)),
        hide_index=True,
        placeholder="never",
        # Where the LP says nothing but what was decided, its column would only push the last one out of sight.
        column_order=[name for name in options[0] if name != "LP" or data.is_split(options)],
        column_config={
            "option": st.column_config.TextColumn(width=80),
            "": st.column_config.TextColumn(width=40, help=words.SIGNS_HELP),
            "p": st.column_config.NumberColumn(width=62, format=layout.PERCENT, help=words.PROBABILITY_HELP),
            "cost": st.column_config.NumberColumn(width=48, format="%.2f", help=words.COST_HELP),
            "LP": st.column_config.NumberColumn(width=40, format="%.2f", help=words.LP_HELP),
            "flips": st.column_config.TextColumn(width=54, help=words.FLIPS_HELP),
        },
    )
    if why is not None:
        _show_shares(screen, why)
    _show_buttons(screen, key, [str(row["option"]) for row in options])


def _show_shares(screen: Screen, why: RunnerUp) -> None:
    st.text(layout.visible(data.runner_up(why)))
    told = registry.the(Joint).explain(screen.sentence, screen.frame.model, why.chosen_part, rival=why.rival_part)
    made_of(
        screen.frame.model,
        data.shares(told),
        key="joint.why",
        total=told.score,
        total_name="log-odds",
        caption=words.SHARES.format(chosen=layout.visible(why.chosen), rival=layout.visible(why.rival)),
        heads=("feature", "", "adds"),
    )


def _show_buttons(screen: Screen, key: str, names: list[str]) -> None:
    # A separate key for every item, so that an option of another pair does not stay in the box.
    box = f"joint.option.{screen.trace.document}.{key}"
    choice = st.selectbox("Option", names, key=box, format_func=layout.visible)
    for place, label, holds in zip(st.columns(2), ("Force it", "Forbid it"), (True, False), strict=True):
        pin = data.pin(screen.trace, key, choice, holds=holds)
        place.button(label, key=f"joint.pin.{holds}", on_click=pins.add, args=(pin,), width="stretch")
