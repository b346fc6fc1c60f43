"""The door of the server: headers on every answer, strangers' hosts and origins, and what lies behind the login."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ui.server.guard import CLOSED, HEADERS, HOSTS, Guard, host_of, hosts_of
from ui.shell import login

AUTH = {"cookie_secret": "secret", "redirect_uri": "http://localhost:8501/oauth2callback"}


async def _app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"ALLOW")]})
    await send({"type": "http.response.body", "body": b"ok"})


def ask(
    path: str = "/", *, method: str = "GET", kind: str = "http", hosts: Any = ("localhost",), **headers: str
) -> Any:
    """The first message that the guarded app sends."""
    sent: list[Any] = []
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "localhost:8501", **headers}.items()],
    }

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(_app, hosts)(scope, receive, send))
    return sent[0]


@pytest.fixture(autouse=True)
def no_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "secrets", dict)


@pytest.fixture
def with_login(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(login, "secrets", lambda: {"auth": AUTH, "espalier": {"allowed": ["anna@example.org"]}})
    yield


def cookie(secret: str = "secret", **user: Any) -> str:
    from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

    value = json.dumps({"is_logged_in": True, "email": "anna@example.org", **user})
    return f"_streamlit_user={create_signed_value(secret, '_streamlit_user', value).decode()}"


def test_every_answer_has_the_headers_once() -> None:
    for answer in (ask(), ask("/_stcore/metrics"), ask(host="evil.example")):
        names = [name.decode() for name, _ in answer["headers"]]
        assert set(HEADERS) <= set(names) and len(set(names)) == len(names)
    assert dict(ask()["headers"])[b"x-frame-options"] == b"DENY"


@pytest.mark.parametrize("path", CLOSED)
def test_metrics_and_the_interface_for_programs_are_closed(path: str) -> None:
    assert ask(path)["status"] == 404 and ask(path + "/x")["status"] == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8501", 200), ("localhost", 200), ("LOCALHOST:1", 200), ("evil.example", 421), ("", 421)],
)
def test_only_known_hosts_are_answered(host: str, status: int) -> None:
    assert ask(host=host)["status"] == status


def test_any_host_is_answered_where_none_is_named() -> None:
    assert ask(host="my.example", hosts=None)["status"] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9999", "http://localhost"])
def test_other_origins_open_no_socket_and_upload_nothing(origin: str) -> None:
    assert ask("/_stcore/stream", kind="websocket", origin=origin)["type"] == "websocket.close"
    assert ask("/_stcore/upload_file/s/f", method="PUT", origin=origin)["status"] == 403
    assert ask(origin=origin)["status"] == 200, "a link from elsewhere may be followed"


def test_the_own_origin_opens_a_socket() -> None:
    assert ask("/_stcore/stream", kind="websocket", origin="http://localhost:8501")["type"] == "websocket.accept"


BEHIND = ["/_stcore/upload_file/session/file", "/media/0123.png", "/component/x/index.html"]


@pytest.mark.parametrize("path", BEHIND)
def test_without_a_login_set_up_files_are_served(path: str) -> None:
    assert ask(path, method="PUT")["status"] == 200


@pytest.mark.usefixtures("with_login")
@pytest.mark.parametrize("path", BEHIND)
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("", 401),
        ("_streamlit_user=forged", 401),
        (cookie("another secret"), 401),
        (cookie(is_logged_in=False), 401),
        (cookie(email="eve@example.org"), 401),
        (cookie(email_verified=False), 401),
        (cookie(), 200),
    ],
)
def test_files_are_behind_the_login(path: str, sent: str, status: int) -> None:
    assert ask(path, method="PUT", cookie=sent)["status"] == status


def test_hosts_follow_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOSTS, raising=False)
    assert "localhost" in (hosts_of("127.0.0.1") or ()) and hosts_of("0.0.0.0") is None
    monkeypatch.setenv(HOSTS, "my.example, other.example")
    assert {"my.example", "other.example"} <= set(hosts_of("0.0.0.0") or ())
    assert (host_of("[::1]:80"), host_of("A.b:80"), host_of("a")) == ("[::1]", "a.b", "a")


@pytest.mark.parametrize(
    ("user", "enters"),
    [
        ({"is_logged_in": True, "email": "anna@example.org"}, True),
        ({"is_logged_in": True, "email": "anna@example.org", "email_verified": True}, True),
        ({"is_logged_in": True, "email": "anna@example.org", "email_verified": False}, False),
        ({"is_logged_in": True, "email": "anna@example.org", "email_verified": "false"}, False),
        ({"is_logged_in": True, "email": "eve@example.org"}, False),
        ({"is_logged_in": True}, False),
        ({}, False),
    ],
)
def test_who_may_enter(user: dict[str, Any], enters: bool) -> None:
    known = {"auth": AUTH, "espalier": {"allowed": ["anna@example.org"]}}
    assert (login.refusal(user, known) is None) is enters
