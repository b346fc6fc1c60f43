"""Starts the app: checks the port, prints the address, hands over to Streamlit, and prepares the samples meanwhile.

python -m ui.server.serve [--host HOST] [--port PORT]     # `make run`; `espalier run` calls `serve` as well
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import socket
import sys
import threading
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import logs
from engine.threads import one_per_process

if TYPE_CHECKING:
    from streamlit.starlette import App

APP: Final = Path(__file__).resolve().parents[2] / "app.py"
"""The same in a checkout and in an installed package; Streamlit reads .streamlit/config.toml next to it."""
HOST: Final = "127.0.0.1"
PORT: Final = "8501"
LAST_PORT: Final = 65535
LOCAL: Final = ("127.0.0.1", "localhost", "::1")
ANYWHERE: Final = ("0.0.0.0", "::", "")
SOON: Final = 0.5
"""Seconds after which a server that has begun to answer prepares the samples: what is imported for this would delay the
first answers."""


class Command(NamedTuple):
    """The names of the two options in the command that started the server, for messages on what to type instead."""

    host: str
    port: str
    example: str
    open: str

    def with_option(self, name: str, value: object) -> str:
        return self.example.format(name=name, value=value)


MAKE: Final = Command("HOST", "PORT", "`make run {name}={value}`", "`make run OPEN=1`")
ESPALIER: Final = Command("--host", "--port", "`espalier run {name} {value}`", "`espalier run --open`")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make run", description="Serve Espalier.")
    parser.add_argument("--host", default=HOST, help="address to listen on (default: this machine only)")
    # Not type=int: our own message for an invalid number names the variable of `make run`.
    parser.add_argument("--port", default=PORT, help=f"1 to {LAST_PORT} (default {PORT})")
    parser.add_argument("--open", action="store_true", help="accept other machines even though no login is set up")
    args = parser.parse_args(arguments)
    return serve(args.host, args.port, MAKE, is_open=args.open)


def serve(host: str, port: str, command: Command, *, is_open: bool = False) -> int:
    """Serve until stopped; returns 1, after one line on stderr, if that is not possible. The workspace is in the
    working directory (ui/shell/cache.py)."""
    fault = fault_of(host, port, command) or exposure(host, command, is_open=is_open) or missing_for_login()
    if fault:
        print(fault, file=sys.stderr)
        return 1
    print(f"Espalier: http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
    if host not in LOCAL and not has_login():
        print("Anyone who can reach this machine can open it: no login is set up.", file=sys.stderr)
    logs.to_stderr()
    logs.event(logs.get("app"), "started", host=host, port=int(port), login=int(has_login()))
    one_per_process()
    # Only now: it imports what reads the number of threads.
    from ui.server import freeing

    freeing.share_arenas()
    # Streamlit looks for .streamlit next to the started script.
    sys.argv = [str(APP)]
    config = {
        "server.address": host,
        "server.port": int(port),
        "server.headless": True,
        "browser.gatherUsageStats": False,
        # Otherwise Streamlit asks other machines for our address.
        "browser.serverAddress": "localhost" if host in ANYWHERE else host,
    }
    try:
        application(host).run(config=config)
    except KeyboardInterrupt:
        # Stopping the server is not an error: uvicorn passes the signal on after it has closed everything.
        pass
    return 0


def application(host: str) -> App:
    """The app behind its guard. Errors outside a page's own frame are reported in the same way as inside."""
    from starlette.middleware import Middleware
    from streamlit.starlette import App

    from ui.server.guard import Guard, hosts_of

    middleware = [Middleware(Guard, hosts=hosts_of(host))]
    return App(APP, middleware=middleware, on_script_error=_say, lifespan=_while_it_runs)


@asynccontextmanager
async def _while_it_runs(app: object) -> AsyncIterator[None]:
    """Beside the pages, the samples are prepared, and what visitors leave behind is freed."""
    from ui.server import freeing, waking

    waking.wake_once(asyncio.get_running_loop())
    asyncio.get_running_loop().call_later(SOON, threading.Thread(target=_prepare, daemon=True).start)
    async with freeing.watching():
        yield


def _say(error: Exception) -> bool:
    # Imported late: the server listens before the pages are read, which takes a second.
    from ui.shell import navigation

    return navigation.say(error)


def exposure(host: str, command: Command, *, is_open: bool) -> str | None:
    """Why the app may not be exposed to other machines, in one line; None if it may."""
    if host in LOCAL or is_open or has_login():
        return None
    return (
        f"{command.host} {host} shows the app to other machines, and no login is set up: set one up"
        f" (docs/guide/security.md), or say that it is meant with {command.open}"
    )


def missing_for_login() -> str | None:
    """What is missing for the configured login, in one line; None if nothing is, or if there is no login."""
    if not has_login() or find_spec("authlib") is not None:
        return None
    return "a login is set up, and Authlib, which it needs, is not installed: pip install 'espalier[login]'"


def has_login() -> bool:
    """Whether the secrets that Streamlit will read contain `[auth]`."""
    for place in (Path.cwd(), APP.parent, Path.home()):
        file = place / ".streamlit" / "secrets.toml"
        if file.is_file():
            try:
                if "auth" in tomllib.loads(file.read_text(encoding="utf-8")):
                    return True
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError):
                continue
    return False


def _prepare() -> None:
    """Start what the first visit would start, so that the first system is trained by the time somebody has opened a
    browser."""
    from ui.shell import navigation

    navigation.prepare()


def fault_of(host: str, port: str, command: Command = MAKE) -> str | None:
    """What prevents a server from listening there and what to do about it, in one line; None if nothing does."""
    usual_host, usual_port = command.with_option(command.host, HOST), command.with_option(command.port, PORT)
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= LAST_PORT):
        return f"{command.port} is a whole number from 1 to {LAST_PORT}, not {port!r}: try {usual_port}"
    if not host:
        return f"{command.host} is empty: try {usual_host}"
    try:
        if is_free(host, int(port)):
            return None
    except socket.gaierror as error:
        return f"{command.host} {host!r} is not known ({error.strerror}): try {usual_host}"
    except PermissionError:
        return f"port {port} on {host} needs more rights than you have: try {usual_port}"
    except (OSError, UnicodeError) as error:
        return f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}"
    other = command.with_option(command.port, int(port) + 1 if int(port) < LAST_PORT else PORT)
    return f"port {port} on {host} is in use: stop what runs there, or choose another with {other}"


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now; raises OSError if it never could."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
