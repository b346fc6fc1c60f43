"""The guard in front of Streamlit: headers on every response, checks of host and origin, and the login for everything
that is not a page. Pages check the login themselves (ui/shell/login.py).

It is plain ASGI, so that it also covers websockets. See docs/guide/security.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOSTS: Final = "ESPALIER_HOSTS"
"""Environment variable with the allowed host names of the app, separated by commas, if it listens to other machines."""

LOCAL: Final = ("127.0.0.1", "localhost", "::1", "[::1]")

POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        # Streamlit's page has an inline script; components and charts are compiled in the browser. All of that is
        # served by us; nothing may be loaded from another address.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob: data:",
        "worker-src 'self' blob:",
        "frame-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}

CLOSED: Final = ("/_stcore/metrics", "/_stcore/agent")
"""Paths that are never served: server metrics, and Streamlit's interface for programs."""
BEHIND_LOGIN: Final = ("/_stcore/upload_file", "/media/", "/component/", "/_stcore/bidi-components", "/app/static")
"""Paths that need a login, if one is set up."""


class Guard:
    """The ASGI middleware. `hosts` are the allowed host names; None allows any."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = LOCAL) -> None:
        self._app = app
        self._hosts = None if hosts is None else frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status = self._refusal(scope, headers)
        if status is None:
            await self._app(scope, receive, _adding(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _answer(_adding(send), status)

    def _refusal(self, scope: Scope, headers: Mapping[str, str]) -> int | None:
        """The status of a refused request; None if the request is passed on to the app."""
        if self._hosts is not None and host_of(headers.get("host", "")) not in self._hosts:
            return 421
        # A page of another site, or of another port here, must not act on behalf of its visitor.
        changes = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD", "OPTIONS")
        origin = headers.get("origin")
        if changes and origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            return 403
        path = scope["path"]
        if any(closed in path for closed in CLOSED):
            return 404
        if any(closed in path for closed in BEHIND_LOGIN) and not admitted(headers.get("cookie", "")):
            return 401
        return None


def host_of(authority: str) -> str:
    """The host of `host:port`, in lower case."""
    return (authority.partition("]")[0] + "]" if authority.startswith("[") else authority.partition(":")[0]).lower()


def hosts_of(address: str) -> Collection[str] | None:
    """The allowed host names of an app that listens at this address."""
    named = [host.strip() for host in os.environ.get(HOSTS, "").split(",") if host.strip()]
    if address in LOCAL:
        return (*LOCAL, *named)
    return (*LOCAL, address, *named) if named else None


def admitted(cookie: str) -> bool:
    """Whether the sender of these cookies is logged in and allowed; always True if no login is set up."""
    from ui.shell import login

    secrets = login.secrets()
    return "auth" not in secrets or login.refusal(_user(cookie, secrets), secrets) is None


def _user(cookie: str, secrets: Mapping[str, Any]) -> Mapping[str, Any]:
    """The contents of Streamlit's signed login cookie; empty if there is none, or if the signature is not ours."""
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    try:
        cookies = {name: one.value for name, one in SimpleCookie(cookie).items()}
    except CookieError:
        return {}
    whole = b""
    # A long value is divided into several cookies, each signed under its own name.
    for name in (USER_COOKIE_NAME, *(f"{USER_COOKIE_NAME}__{i}" for i in range(1, 20))):
        if name not in cookies:
            break
        piece = decode_signed_value(secrets["auth"].get("cookie_secret", ""), name, cookies[name].encode("latin-1"))
        if piece is None:
            return {}
        whole += piece
    try:
        found = json.loads(whole)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _adding(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            _add_headers(message)
        await send(message)

    return with_headers


def _add_headers(message: MutableMapping[str, Any]) -> None:
    ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    others = [one for one in message.get("headers", ()) if one[0].decode("latin-1").lower() not in HEADERS]
    message["headers"] = [*others, *ours]


async def _answer(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
