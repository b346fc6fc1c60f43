"""A client for the servers of other tools, with limits and without redirections; errors are reported in a sentence."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from engine.corpora.formats import jsonl
from engine.data.errors import InputError

SECONDS: Final = 120.0
MOST: Final = 512 << 20
"""Bytes of one answer."""


class _Stay(HTTPRedirectHandler):
    """Follows no redirections, which would send our token to another server."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Server:
    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is not the address of a server; it begins with http:// or https://")
        self.url = url.rstrip("/")
        self.headers = dict(headers)
        self._opener = build_opener(_Stay)

    def get(self, path: str) -> Any:
        return self._json(Request(self.url + path, headers=self.headers))

    def post(self, path: str, value: Any) -> Any:
        content = json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
        return self._json(Request(self.url + path, content, {**self.headers, "Content-Type": "application/json"}))

    def post_file(self, path: str, name: str, content: bytes, fields: Mapping[str, str]) -> Any:
        """Send a file together with further fields, as a form would."""
        border = uuid.uuid4().hex
        pieces = [_piece(border, f'name="{key}"', value.encode("utf-8")) for key, value in fields.items()]
        pieces.append(_piece(border, f'name="content"; filename="{_quoted(name)}"', content))
        body = b"".join([*pieces, f"--{border}--\r\n".encode("ascii")])
        kind = {"Content-Type": f"multipart/form-data; boundary={border}"}
        return self._json(Request(self.url + path, body, {**self.headers, **kind}))

    def _json(self, request: Request) -> Any:
        content = self._answer(request)
        try:
            return jsonl.parse(content.decode("utf-8")) if content.strip() else None
        except (UnicodeDecodeError, InputError):
            raise InputError("the server answered with something other than JSON", file=self.url) from None

    def _answer(self, request: Request) -> bytes:
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                content: bytes = answer.read(MOST + 1)
        except HTTPError as error:
            said = error.read(500).decode("utf-8", "replace")
            raise InputError(f"the server refused ({error.code} {error.reason}): {said[:200]}", file=self.url) from None
        except (URLError, OSError, ValueError) as error:
            raise InputError(f"the server does not answer ({getattr(error, 'reason', error)})", file=self.url) from None
        if len(content) > MOST:
            raise InputError(f"the server's answer is larger than {MOST >> 20} MB", file=self.url)
        return content


def _piece(border: str, about: str, content: bytes) -> bytes:
    return f"--{border}\r\nContent-Disposition: form-data; {about}\r\n\r\n".encode() + content + b"\r\n"


def _quoted(name: str) -> str:
    return "".join("_" if c in '"\\' or not c.isprintable() else c for c in name)
