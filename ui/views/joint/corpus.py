"""The parts of the Joint page on the whole corpus: its scores and curve, the ledger, the forced decisions."""

from __future__ import annotations

import streamlit as st

from engine.tasks.joint.constraints.together import enabled
from engine.tasks.joint.curve import curve
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.what_if.forced import FORCED_SHARES, Forced, forced_by_system, forced_row
from engine.tasks.joint.what_if.ledger import Integrality, LedgerRow, Totals, integrality, ledger, totals
from ui.shell import cache, layout
from ui.tab import session
from ui.views.joint import data, words
from ui.views.joint.screen import Screen


def curve_soon(screen: Screen) -> cache.SoonCurve | None:
    """Precision and recall at every bias under the current constraints; None if the corpus has no gold, or is too large
    to be decided under constraints other than the run's."""
    if cache.fits(screen.frame.corpus, screen.frame.task.name) != "yes":
        return None
    if cache.is_large(screen.frame.corpus):
        same = enabled(screen.by_itself.deciding) == enabled(screen.constraints)
        return cache.curve_soon(screen.frame.run, screen.frame.corpus) if same else None
    return cache.curve_beside(screen.key, lambda: curve(screen.corpus))


def show_totals(screen: Screen, found: Totals | None) -> None:
    """The scores of the corpus under the current constraints, and under the run's own if they differ."""
    if cache.is_large(screen.frame.corpus):
        st.caption(words.TOO_LARGE)
        return
    if found is None:
        st.caption(words.CANNOT_HOLD)
    else:
        st.caption(data.totals_line(words.ON_SCREEN, found))
    if enabled(screen.by_itself.deciding) == enabled(screen.constraints):
        return
    own = totals(screen.by_itself)
    alone = words.EACH_ALONE.format(learner=screen.frame.model.learner)
    how = words.OWN_CONSTRAINTS if screen.by_itself.deciding else alone
    if own is not None:
        st.caption(data.totals_line(words.BY_ITSELF.format(how=how), own))


def show_ledger(screen: Screen, found: Totals | None) -> None:
    """The ledger, if requested, and the forced-decision test of the requested relation."""
    if cache.is_large(screen.frame.corpus):
        st.caption(words.TOO_LARGE)
        return
    session.sync("joint.ledger", session.get("ledger") == "1")
    st.toggle(
        "Write the ledger",
        key="joint.ledger",
        on_change=lambda: session.put("ledger", "1" if session.value("joint.ledger", False) else None),
        help=words.LEDGER_HELP,
    )
    if session.get("ledger") == "1" and found is not None:
        book, whole = _ledger(screen.key, screen.frame.bias, screen.corpus)
        share = st.column_config.NumberColumn(format=layout.PERCENT)
        st.dataframe(
            layout.in_percent(data.ledger_rows(book), data.LEDGER_SHARES),
            hide_index=True,
            column_config=dict.fromkeys(data.LEDGER_SHARES, share),
        )
        st.caption(data.integral_line(whole))
    if screen.forced is None:
        st.caption(words.FORCE_FIRST)
    else:
        _show_forced(screen, screen.forced)


def _show_forced(screen: Screen, relation: str) -> None:
    tests = _forced(screen.key, screen.frame.bias, relation, screen.corpus)
    st.text(layout.visible(words.FORCED.format(relation=relation)))
    st.dataframe(
        layout.in_percent([forced_row(name, test) for name, test in tests.items()], FORCED_SHARES),
        hide_index=True,
        key="joint.forced",
        column_config=dict.fromkeys(FORCED_SHARES, st.column_config.NumberColumn(format=layout.PERCENT)),
    )


@st.cache_resource(show_spinner="Writing the ledger …", max_entries=32)
def _ledger(key: tuple[str, ...], bias: float, _scored: JointScored) -> tuple[list[LedgerRow], Integrality]:
    """The effect of every constraint on the corpus, and how often the LP was integral."""
    return ledger(_scored), integrality(_scored)


@st.cache_resource(show_spinner="Asking every sentence …", max_entries=32)
def _forced(key: tuple[str, ...], bias: float, relation: str, _scored: JointScored) -> dict[str, Forced]:
    """How often the right pair is named in the sentences with the relation, alone and under the constraints."""
    return forced_by_system(_scored, relation)
