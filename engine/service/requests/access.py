"""Access control. Without a token, only programs on this machine may send requests, and web pages of other sites may
not. With a token, everybody who knows it may.

The token is sent as `Authorization: Bearer TOKEN`, as the password of basic authentication (Label Studio), or, by tools
that support neither (INCEpTION, ELEVANT), at the front of the path: /with/TOKEN/inception/linking/predict.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from starlette.types import Scope

from engine.service.requests.replies import FORBIDDEN, UNKNOWN, UNREADABLE, Refused

LOCAL: Final = ("localhost", "127.0.0.1", "::1")
OPEN: Final = ("/health",)
"""Paths that need no token: they reveal nothing, and monitoring uses them."""
PREFIX: Final = "/with/"


@dataclass(frozen=True)
class Access:
    token: str | None = None

    def checked(self, scope: Scope) -> Scope:
        """The request, without a token in its path; Refused if access is not allowed."""
        headers = {name.lower(): value for name, value in scope["headers"]}
        _check_origin(headers)
        path = str(scope["path"])
        if self.token is None:
            _check_host(headers)
            return scope
        given = _of_header(headers.get(b"authorization", b""))
        if path.startswith(PREFIX):
            shown, slash, rest = path.removeprefix(PREFIX).partition("/")
            given, path = unquote(shown).encode("utf-8", "replace"), slash + rest
        if path in OPEN:
            return {**scope, "path": path}
        if not hmac.compare_digest(given, self.token.encode("utf-8")):
            raise Refused(UNKNOWN, "this service requires a token: send it as `Authorization: Bearer TOKEN`")
        return {**scope, "path": path, "raw_path": path.encode("utf-8")}


def _of_header(value: bytes) -> bytes:
    scheme, _, rest = value.partition(b" ")
    if scheme.lower() in (b"bearer", b"token"):
        return rest.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return b""
    return b""


def _check_host(headers: dict[bytes, bytes]) -> None:
    """Without a token, requests must use a local host name. This stops web pages whose own name was made to resolve to
    this machine (DNS rebinding)."""
    name = _host_of(f"//{headers.get(b'host', b'').decode('latin-1')}")
    if name not in LOCAL:
        raise Refused(UNREADABLE, f"this service answers as {', '.join(LOCAL)}; for other names serve with a token")


def _check_origin(headers: dict[bytes, bytes]) -> None:
    origin = headers.get(b"origin")
    if origin is None:
        return
    if _host_of(origin.decode("latin-1")) != _host_of(f"//{headers.get(b'host', b'').decode('latin-1')}"):
        raise Refused(FORBIDDEN, "pages of other sites are not answered")


def _host_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
