"""The login, if one is set up: Streamlit's own (OpenID Connect), configured in `.streamlit/secrets.toml`.

Without an `[auth]` section there is no login. With one, nothing is shown to users who are not logged in, who are not on
the list `[espalier] allowed` if there is one, or whose address the provider has not verified.

A tab keeps the user from the moment it was opened. Therefore logging out in one tab ends all tabs opened before, and a
tab older than `LONGEST` has to be reloaded, which checks the provider's cookie again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from engine.data.errors import InputError
from ui.background.opened import steady
from ui.tab import session

LONGEST: Final = 12 * 3600.0
"""Seconds that a tab stays logged in without being loaded again."""

COOKIE: Final = "espalier-user"
"""The cookie in which the browser stores a name; written by the editor."""

_left: dict[str, float] = {}
"""The time of each user's last logout, in this server process."""


def gate() -> None:
    """Stop the page for users without access."""
    known = secrets()
    if "auth" not in known:
        return
    user = _user()
    if not user.get("is_logged_in", False):
        _door("This workspace requires a login.", "Log in", "login.in", st.login)
    reason = refusal(user, known)
    if reason is not None:
        _door(reason, "Log out", "login.out", _leave)
    if _is_over():
        _door("You were logged out. Log in again to continue.", "Log in", "login.again", st.login)


def refusal(user: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """Why a user has no access; None if they have."""
    if not user.get("is_logged_in", False):
        return "This workspace requires a login."
    mail = user.get("email")
    if str(user.get("email_verified", True)).lower() == "false":
        return f"The address {mail or 'of this account'} has not been verified by its provider."
    allowed = known.get("espalier", {}).get("allowed")
    if allowed is not None and mail not in list(allowed):
        return f"{mail or 'This account'} is not on the list of this workspace."
    return None


def must_still_be_in() -> None:
    """Checked before anything is saved: a tab that was left open must not continue to write in a user's name."""
    known = secrets()
    if "auth" in known and (refusal(_user(), known) is not None or _is_over()):
        raise InputError("you were logged out, so nothing was saved; reload the page and log in")


def may_not_remove() -> str | None:
    """Why the user may not remove shared items; None if they may.

    If `[espalier] administrators` lists people, only they may; without a login, users cannot be distinguished."""
    known = secrets()
    named = known.get("espalier", {}).get("administrators")
    if "auth" not in known or named is None or name() in list(named):
        return None
    return "Only administrators of this workspace may remove corpora, runs and files."


def must_be_allowed_to_remove() -> None:
    """Checked when something is removed, whatever the page offered."""
    must_still_be_in()
    reason = may_not_remove()
    if reason is not None:
        raise InputError(reason)


def way_out() -> None:
    """Show the name of the logged-in user and the logout button."""
    known_as = name()
    if known_as is not None:
        with st.sidebar:
            st.button("Log out", key="login.leave", on_click=_leave, help=known_as, width="stretch")


def name() -> str | None:
    """The name of the logged-in user."""
    user = _user()
    if not user.get("is_logged_in", False):
        return None
    return str(user.get("email") or user.get("name") or "") or None


def person() -> str:
    """The user's name: from the login, the address, the session, or the browser's cookie."""
    named = name() or session.get("user") or session.value("user.name", "")
    return named or session.cookie(COOKIE) or "annotator"


def secrets() -> dict[str, Any]:
    # Streamlit looks for the file each time.
    return steady("secrets", _secrets)


def _secrets() -> dict[str, Any]:
    try:
        return dict(st.secrets.to_dict())
    except StreamlitSecretNotFoundError:
        return {}


def _user() -> Mapping[str, Any]:
    return st.user if "auth" in secrets() else {}


def _leave() -> None:
    known_as = name()
    if known_as is not None:
        _left[known_as] = time.monotonic()
    st.logout()


def _is_over() -> bool:
    """Whether this tab was opened too long ago, or before its owner logged out."""
    opened = float(session.value("login.opened", 0.0)) or time.monotonic()
    session.keep("login.opened", opened)
    return _left.get(name() or "", 0.0) >= opened or time.monotonic() - opened > LONGEST


def _door(sentence: str, label: str, key: str, on_click: Any) -> None:
    st.title("Espalier")
    st.text(sentence)
    st.button(label, key=key, type="primary", on_click=on_click)
    st.stop()
