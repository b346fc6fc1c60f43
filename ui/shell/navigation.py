"""The frame around every page: the navigation, the guard, the sidebar, and the handling of fatal errors.

A server whose first visit is a deep link runs the page's file without app.py; `guard`, the first statement of every
page, then runs the whole shell instead.
"""

from __future__ import annotations

import contextvars
import os
from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
import streamlit as st

from engine import logs
from engine.data.errors import InputError
from engine.store.database import DATABASE_URL, WorkspaceDamaged, without_secrets
from engine.store.workspace import Workspace
from engine.tuning.guard import Closed
from engine.workbench.honesty import ForeignLabels
from ui.background import first, opened
from ui.shell import cache, glances, layout, login, sidebar
from ui.tab import pages, session

# Errors of an intact SQLite file that cannot be used at the moment: no reason to set it aside.
_NOT_DAMAGE: Final = ("unable to open", "disk is full", "readonly", "disk I/O error")

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("inside", default=False)

# Without this, the app's toolbar would push the content down by 60 px.
_STYLE: Final = """
<style>
  [data-testid="stMainBlockContainer"] { padding: 1.1rem 2rem 2rem; max-width: none; }
  [data-testid="stHeader"] { height: 2.2rem; min-height: 2.2rem; background: transparent; pointer-events: none; }
  [data-testid="stHeader"] button { pointer-events: auto; }
  [data-testid="stSidebarHeader"] { height: 2.4rem; padding-block: .3rem; margin-bottom: 0; }
  [data-testid="stApp"] { font-variant-numeric: tabular-nums; }
  /* Fourteen pages and the whole sidebar fit on a small screen without scrolling. */
  [data-testid="stSidebarNavLink"] { padding-block: .06rem; margin-block: 0; min-height: 0; line-height: 1.55; }
  [data-testid="stNavSectionHeader"] { padding-block: 0; margin-block: .1rem 0; min-height: 0; line-height: 1.4; }
  [data-testid="stSidebarNavItems"] { gap: 0; padding-top: .2rem; }
  [data-testid="stSidebarUserContent"] { padding-top: .3rem; padding-bottom: .5rem; }
  [data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: .25rem; }
  /* Captions as Streamlit draws them are too pale to read: 4.2 to 1. */
  [data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
  [data-testid="stWidgetLabel"] { color: inherit; }
  [data-testid="stMetricValue"] { font-size: 1.35rem; font-variant-numeric: tabular-nums; }
  /* Where title and sentence do not fit one line, the sentence stands below the title and the button. */
  @media (max-width: 1150px) {
    .st-key-title-line > :first-child { flex-grow: 1; }
    .st-key-title-line > :nth-child(2) { order: 1; flex-basis: 100%; }
    .st-key-title-line { row-gap: .2rem; }
  }
  /* On a phone the button that opens the sidebar stands above the title. */
  @media (max-width: 640px) { [data-testid="stMainBlockContainer"] { padding: 2.4rem 1rem 2rem; } }
  /* Where a picture and the reasons beside it would both be too narrow to read, the reasons stand below it. */
  .st-key-see-frame { container-type: inline-size; }
  @container (max-width: 800px) {
    .st-key-see-frame > * > [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
    .st-key-see-frame > * > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"] { min-width: 100%; }
  }
</style>
"""

# White on the bright green of the dark theme has a contrast of 2 to 1.
_DARK: Final = """
<style>
  [data-testid="stBaseButton-primary"], [data-testid="stBaseButton-primaryFormSubmit"] { color: #0c1512; }
  [data-testid="stMultiSelect"] span[title], [data-testid="stMultiSelect"] span[title] ~ * { color: #0c1512; }
</style>
"""
_log: Final = logs.get("app")


def main() -> None:
    token = _inside.set(True)
    try:
        st.set_page_config(page_title="Espalier", page_icon="🌿", layout="wide")
        st.html(_STYLE + (_DARK if layout.is_dark() else ""))
        chosen = st.navigation(_navigation(), expanded=True)
        name = chosen.url_path or "home"
        with opened.drawing():
            login.gate()
            session.begin(name, name if pages.is_system(name) else "")
            try:
                first.ensure(cache.workspace())
                sidebar.draw()
                login.way_out()
                chosen.run()
            except EXPECTED as error:
                say(error)
    finally:
        _inside.reset(token)


EXPECTED: Final = (WorkspaceDamaged, sa.exc.DatabaseError, InputError, Closed)
"""Exceptions that can stop a page without being a bug; anything else is one."""


def say(error: Exception) -> bool:
    """Show what happened and what to do, instead of the name of an exception; returns False if there is nothing better
    to show.

    Called if a page fails as a whole, and by the server if a fragment or a callback does.
    """
    if isinstance(error, WorkspaceDamaged | sa.exc.DatabaseError):
        logs.trouble(_log, "the workspace cannot be used", error=type(error).__name__)
        _damaged(error)
        return True
    if isinstance(error, Closed):
        glances.ask(error)
        return True
    if isinstance(error, InputError):
        st.error("This could not be done.", icon=":material/error:")
        st.text(layout.visible(str(error)))
        if "train it again" in str(error) or isinstance(error, ForeignLabels):
            st.page_link(pages.script("train"), label="Train", icon=":material/model_training:")
        return True
    return False


def prepare() -> None:
    """Load the samples of a new workspace and train on them before the first visit."""
    try:
        first.ensure(Workspace.open(cache.directory()))
    except (WorkspaceDamaged, sa.exc.DatabaseError, InputError):
        # Every page opens the workspace too, and shows what is wrong with it and what to do.
        return


def guard() -> None:
    """The first statement of every page: makes sure that no page runs outside the shell."""
    if not _inside.get():
        main()
        st.stop()


def _navigation() -> dict[str, list[st.Page]]:
    """All pages, by group; made once for a tab, because Streamlit looks up the file of every page that is made."""
    groups = pages.groups()
    known, made = session.value("pages", (None, None))
    if known != groups:
        made = _pages(groups)
        session.keep("pages", (groups, made))
    return made


def _pages(groups: Mapping[str, tuple[pages.PageInfo, ...]]) -> dict[str, list[st.Page]]:
    return {
        group: [
            st.Page(
                pages.script(info.name),
                title=info.title,
                icon=info.icon,
                default=info.name == "home",
                url_path=_url(info.name),
            )
            for info in infos
        ]
        for group, infos in groups.items()
    }


def _url(name: str) -> str | None:
    # The default page is at "/"; with another path the server would answer "page not found".
    return None if name == "home" else name


def _damaged(error: Exception) -> None:
    reason = without_secrets(str(error).splitlines()[0], os.environ.get(DATABASE_URL, ""))
    if "locked" in reason:
        st.title("The workspace is busy")
        st.text("Another program has been writing to it for a while. Nothing is lost; try again.")
        st.button("Try again", key="shell.again", type="primary")
        return
    if os.environ.get(DATABASE_URL) or any(words in reason for words in _NOT_DAMAGE):
        st.title("The database is not available")
        st.text(
            "It does not respond, or responds with an error. Nothing has been changed; fix the database and try again."
        )
        st.button("Try again", key="shell.again", type="primary")
        with st.expander("Details"):
            st.text(reason)
        return
    st.title("The workspace cannot be read")
    st.text(f"The database in {cache.directory()} is damaged, was made by another version, or is not a database.")
    st.text(
        "Nothing has been changed. You can set it aside and start with a new one: the old file is renamed and kept in"
        " the same directory. Models are separate files and stay where they are."
    )
    if st.button("Keep the old file and start with a new one", key="shell.fresh", type="primary"):
        cache.set_aside()
        st.rerun()
    with st.expander("Details"):
        st.text(reason)
