"""With a login set up nothing is shown before it; without one nobody is asked."""

from __future__ import annotations

import pytest

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.shell import login

AUTH = {
    "redirect_uri": "http://localhost/oauth2callback",
    "cookie_secret": "c",
    "client_id": "i",
    "client_secret": "s",
    "server_metadata_url": "http://localhost/.well-known/openid-configuration",
}


def test_nothing_is_shown_before_the_login_on_any_page(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    for page in ("home", "annotate"):
        at = harness.app()
        at.secrets["auth"] = AUTH
        at.run()
        if page != "home":
            at.switch_page(f"pages/{page}.py").run()
        assert [button.label for button in at.button] == ["Log in"], page
        assert not at.selectbox and not harness.components(at) and not at.exception


def test_without_a_login_nobody_is_asked(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("annotate")
    assert "Log in" not in [button.label for button in at.button]
    assert at.selectbox(key="annotate.user").value == "annotator"


@pytest.mark.parametrize(("mail", "enters"), [("anna@example.org", True), ("eve@example.org", False)])
def test_a_list_of_people_keeps_others_out(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, mail: str, enters: bool
) -> None:
    harness.add_samples(workspace)
    monkeypatch.setattr(login.st, "user", {"is_logged_in": True, "email": mail})
    at = harness.app()
    at.secrets["auth"] = AUTH
    at.secrets["espalier"] = {"allowed": ["anna@example.org"]}
    at.run()
    at.switch_page("pages/annotate.py").run()
    assert ("annotate.editor" in harness.components(at)) is enters
    if enters:
        assert at.selectbox(key="annotate.user").value == mail
    else:
        assert "not on the list" in harness.words_on(at)
