"""Layout shared by all pages: the title line, empty states, and the formatting of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.components import tour
from ui.components.link import copy_link
from ui.tab import session
from ui.tab.hidden import visible

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from engine.tasks.base import AnyTask

CONDITION = "page.condition"
"""The session key of the title line's text about the current run and corpus, set by the sidebar."""
THIN_SPACE = "\u2009"


def title_line(title: str, sentence: str) -> None:
    """A short title, one sentence on what the view shows and what to do with it, and the copy-link button.

    Both texts are our own, never from a document, so they may contain Markdown.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="title-line"):
        st.title(title, width="content", anchor=False)
        st.caption(sentence, width="stretch")
        copy_link()
    tour.show()
    condition = session.value(CONDITION, "")
    if condition:
        st.warning(condition, icon=":material/warning:")


def empty(why: str, page: str | None = None, action: str = "", **query: str) -> None:
    """Explain why a view is empty and offer the one action that fills it."""
    with st.container(border=True):
        st.markdown(why)
        if page is not None:
            st.page_link(f"pages/{page}.py", label=action, icon=":material/arrow_forward:", query_params=query or None)


def no_gold(why: str, corpus: str, run: str) -> None:
    """Nothing to count against in this corpus: the way to get gold."""
    empty(why, "annotate", "Annotate it with suggestions from the run on screen", corpus=corpus, run=run)


def link_to(page: str, label: str, **query: Any) -> None:
    """A link to a page that keeps the current parameters; `query` overrides some of them."""
    kept = {name: session.get(name) for name in session.SHARED}
    merged = {name: str(value) for name, value in {**kept, **query}.items() if value is not None}
    st.page_link(f"pages/{page}.py", label=label, query_params=merged)


def failure(what: str, details: str) -> None:
    """Show an error: what happened, and below it the details, which may quote a document or a file."""
    st.error(what, icon=":material/error:")
    st.text(visible(details))


def choose_row(rows: Any, *, key: str, **options: Any) -> int | None:
    """A table in which one row can be selected; returns its position, None if none is selected."""
    state = st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        **{"placeholder": "–", **options},
    )
    chosen = state["selection"]["rows"] if state else []
    return chosen[0] if chosen and chosen[0] < len(rows) else None


def size(n: int) -> str:
    """A number of bytes, as one reads it."""
    return f"{n / 1e6:.1f} MB" if n >= 100_000 else f"{max(1, round(n / 1e3))} kB"


def count(n: int) -> str:
    """1 234 567, with thin spaces."""
    return f"{n:,}".replace(",", THIN_SPACE)


def counted(n: int, one: str, many: str = "") -> str:
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def moment(time: str) -> str:
    """A time of the workspace, to the second."""
    return time[:19].replace("T", " ")


def percent(x: float | None) -> str:
    return "–" if x is None else f"{100 * x:.1f}"


PERCENT = "%.1f %%"
"""The format of percentages in table columns; `in_percent` prepares the values."""


def in_percent(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a table with these shares as percentages: the tables' own format has two decimals."""
    return [{k: 100 * v if k in names and v is not None else v for k, v in row.items()} for row in rows]


def plain(value: Any) -> str:
    """A value of any kind in readable form."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else visible(str(value))


def three(x: float) -> str:
    """Three significant digits, without an exponent unless the number is very large or small, as in numbers.js."""
    written = f"{x:.3g}"
    if "e" in written and 1e-3 <= abs(x) < 1e5:
        written = f"{float(written):.0f}"
    return written.replace("-", "−").replace("e+0", "e+")


def bias_name(task: AnyTask, bias: float) -> str:
    """The bias as the knob calls it."""
    return "off" if bias == task.never_declines else three(bias)


def at_bias(task: AnyTask, bias: float) -> str:
    """The end of a sentence about a score."""
    return "with the bias off" if bias == task.never_declines else f"at bias {three(bias)}"


def in_three(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Styler:
    """A table with three significant digits, and a true minus sign, in some columns, which still sort as numbers."""
    # Imported late: most pages have no such table, and the import takes a third of a second.
    import pandas as pd

    frame = pd.DataFrame(list(rows))
    return frame.style.format(three, subset=[name for name in columns if name in frame], na_rep="–")


def with_minus(sentence: str) -> str:
    """A sentence with hyphens before negative numbers replaced by minus signs; dates are unchanged."""
    return re.sub(r"(?<![\w−-])-(?=\d)", "−", sentence)


def score_at(report: Mapping[str, Any], path: tuple[str, ...]) -> float | None:
    """The number by which a task ranks, if the report has it."""
    found: Any = report
    for name in path:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return float(found) if isinstance(found, int | float) else None


def percent_at(report: Mapping[str, Any], path: tuple[str, ...]) -> float | None:
    """The same as a percentage, for a column of a table."""
    score = score_at(report, path)
    return None if score is None else 100 * score


def is_dark() -> bool:
    return getattr(st.context.theme, "type", None) == "dark"
