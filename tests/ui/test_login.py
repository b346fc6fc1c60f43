"""With a login set up nothing is shown before it; without one nobody is asked."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import pytest

from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from tests.ui import harness
from ui.shell import login
from ui.views.annotate import widgets
from ui.views.annotate.desk import Desk

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
        assert [button.label for button in at.button] == ["Log out"], "to come back as somebody else"


@pytest.mark.parametrize(("mail", "removes"), [("anna@example.org", True), ("eve@example.org", False)])
def test_only_administrators_remove_what_others_use(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, mail: str, removes: bool
) -> None:
    harness.add_samples(workspace)
    monkeypatch.setattr(login.st, "user", {"is_logged_in": True, "email": mail})
    at = harness.app()
    at.secrets["auth"] = AUTH
    at.secrets["espalier"] = {"administrators": ["anna@example.org"]}
    at.run()
    at.query_params["view"] = "Export"
    at.switch_page("pages/corpora.py").run()
    assert ("corpora.sure" in [box.key for box in at.checkbox]) is removes
    assert ("Only administrators" in harness.words_on(at)) is not removes
    # Whatever a page has shown: the server asks again.
    monkeypatch.setattr(login, "secrets", lambda: {"auth": AUTH, "espalier": {"administrators": ["anna@example.org"]}})
    monkeypatch.setattr(login, "must_still_be_in", lambda: None)
    if removes:
        login.must_be_allowed_to_remove()
    else:
        with pytest.raises(InputError, match="administrators"):
            login.must_be_allowed_to_remove()


def test_an_address_that_was_not_verified_does_not_enter(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    user = {"is_logged_in": True, "email": "anna@example.org", "email_verified": False}
    monkeypatch.setattr(login.st, "user", user)
    at = harness.app()
    at.secrets["auth"] = AUTH
    at.run()
    assert "not been verified" in harness.words_on(at) and [button.label for button in at.button] == ["Log out"]


def test_logging_out_in_one_tab_ends_the_others(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.add_samples(workspace)
    monkeypatch.setattr(login, "_left", {})
    monkeypatch.setattr(login.st, "user", {"is_logged_in": True, "email": "anna@example.org"})
    monkeypatch.setattr(login.st, "logout", lambda: None)
    # Whatever the clock on the wall does: here it is set back by a day with every look at it.
    days = itertools.count(1)
    wall = SimpleNamespace(time=lambda: time.time() - 86_400 * next(days), monotonic=time.monotonic)
    monkeypatch.setattr(login, "time", wall)
    tabs = []
    for _ in range(2):
        at = harness.app()
        at.secrets["auth"] = AUTH
        tabs.append(at.run())
    assert all("Log out" in [button.label for button in at.button] for at in tabs)
    tabs[0].button(key="login.leave").click().run()
    tabs[1].run()
    assert [button.label for button in tabs[1].button] == ["Log in"], "it was opened before"
    fresh = harness.app()
    fresh.secrets["auth"] = AUTH
    assert not [button for button in fresh.run().button if button.label == "Log in"]


def test_a_tab_that_was_left_open_asks_again_and_saves_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, _ = harness.add_samples(workspace)
    monkeypatch.setattr(login.st, "user", {"is_logged_in": True, "email": "anna@example.org"})
    at = harness.app()
    at.secrets["auth"] = AUTH
    at.run()
    at.session_state["login.opened"] = login.time.monotonic() - login.LONGEST - 1
    assert [button.label for button in at.run().button] == ["Log in"]
    # The editor is drawn and heard without the rest of the page, and asks by itself before it writes.
    corpus, log = workspace.corpus(train), workspace.annotations(train)
    document = workspace.documents(train)[0]
    desk = Desk(log, document, "anna@example.org")
    edit = {"kind": "SetType", "id": "g0", "type": "LOC"}
    message = {
        "action": "edit",
        "client": "c",
        "seq": 1,
        "document": document.id,
        "layer": GOLD,
        "base": 0,
        "edit": edit,
    }
    monkeypatch.setattr(login, "secrets", lambda: {"auth": AUTH})
    monkeypatch.setattr(login, "_is_over", lambda: True)
    with pytest.raises(InputError, match="nothing was saved"):
        widgets._hear(corpus, desk, iter([message]))
    assert log.history() == []
    monkeypatch.setattr(login, "_is_over", lambda: False)
    widgets._hear(corpus, desk, iter([message]))
    assert len(log.history()) == 1, "the message itself is sound"
