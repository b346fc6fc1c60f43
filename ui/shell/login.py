"""Who is logged in, where a login is set up: Streamlit's own (OpenID Connect), by `.streamlit/secrets.toml`.

Without an `[auth]` section nobody is asked. With one, nothing is shown to whoever is not logged in, or is not on the
list `[espalier] allowed` where there is one.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError


def gate() -> None:
    """Stop here whoever may not come in."""
    secrets = _secrets()
    if "auth" not in secrets:
        return
    if not st.user.get("is_logged_in", False):
        st.title("Espalier")
        st.text("This workspace asks who you are.")
        st.button("Log in", key="login.in", type="primary", on_click=st.login)
        st.stop()
    allowed = secrets.get("espalier", {}).get("allowed")
    if allowed is not None and st.user.get("email") not in list(allowed):
        st.title("Espalier")
        st.text(f"{name() or 'This account'} is not on the list of this workspace.")
        st.button("Log out", key="login.out", on_click=st.logout)
        st.stop()


def name() -> str | None:
    """The name of whoever is logged in."""
    if not st.user.get("is_logged_in", False):
        return None
    return str(st.user.get("email") or st.user.get("name") or "") or None


def _secrets() -> Any:
    try:
        return st.secrets.to_dict()
    except StreamlitSecretNotFoundError:
        return {}
