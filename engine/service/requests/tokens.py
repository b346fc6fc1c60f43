"""Tokens and passwords. They are read from files, so that they do not appear among the arguments of a process."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Final

from engine.data.errors import InputError

SHORTEST_TOKEN: Final = 16


def read_secret(path: Path) -> str:
    """The only line of a file; prints a warning if other users can read the file."""
    try:
        text = path.read_text(encoding="utf-8").strip()
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({getattr(error, 'strerror', None) or 'no text'})", file=path) from None
    if not text or not text.isprintable():
        raise InputError("expected one line with the token or password", file=path)
    if os.name == "posix" and mode & (stat.S_IRGRP | stat.S_IROTH):
        print(f"warning: others on this machine can read {path}", file=sys.stderr)
    return text


def read_token(path: Path) -> str:
    """The token that clients must send; it must be usable in a path as well."""
    token = read_secret(path)
    if len(token) < SHORTEST_TOKEN or not token.isascii() or "/" in token or " " in token:
        raise InputError(
            f"a token has at least {SHORTEST_TOKEN} letters, digits and signs, no spaces and no slash", file=path
        )
    return token
