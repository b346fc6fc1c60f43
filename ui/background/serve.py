"""Starts the app: checks the port, prints the address, hands over to Streamlit, and prepares the first look meanwhile.

python -m ui.background.serve [--host HOST] [--port PORT]
"""

from __future__ import annotations

import argparse
import errno
import os
import socket
import sys
import threading
import time
from pathlib import Path

from engine.threads import one_per_process

ROOT = Path(__file__).resolve().parents[2]
LAST_PORT = 65535


def main() -> int:
    parser = argparse.ArgumentParser(prog="make run", description="Serve Espalier.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    # Not type=int: what is no number is said in our words, which name the variable of `make run`.
    parser.add_argument("--port", default="8501", help="1 to 65535 (default 8501)")
    args = parser.parse_args()
    fault = fault_of(args.host, args.port)
    if fault:
        print(fault, file=sys.stderr)
        return 1
    host, port = args.host, int(args.port)
    print(f"Espalier: http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
    if host not in ("127.0.0.1", "localhost", "::1"):
        print(
            "Anyone who can reach this machine can open it, unless a login is set up (docs/annotation.md).",
            file=sys.stderr,
        )
    one_per_process()
    os.chdir(ROOT)
    threading.Thread(target=_prepare, args=(host, port), daemon=True).start()
    from streamlit.web import cli

    options = [f"--server.address={host}", f"--server.port={port}"]
    options += ["--server.headless=true", "--browser.gatherUsageStats=false"]
    cli.main(["run", str(ROOT / "app.py"), *options])
    return 0


def _prepare(host: str, port: int) -> None:
    """Begin with what the first visit would begin with, as soon as the server listens: until somebody has opened a
    browser, the first system is trained."""
    while is_free(host, port):
        time.sleep(0.1)
    from ui.shell import navigation

    navigation.prepare()


def fault_of(host: str, port: str) -> str | None:
    """What keeps a server from listening there and what to do about it, in one line; None if nothing does."""
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= LAST_PORT):
        return f"PORT is a whole number from 1 to {LAST_PORT}, not {port!r}: try `make run PORT=8501`"
    if not host:
        return "HOST is empty: try `make run HOST=127.0.0.1`"
    try:
        if is_free(host, int(port)):
            return None
    except socket.gaierror as error:
        return f"HOST {host!r} is not known ({error.strerror}): try `make run HOST=127.0.0.1`"
    except PermissionError:
        return f"port {port} on {host} needs more rights than you have: try `make run PORT=8501`"
    except (OSError, UnicodeError) as error:
        return f"cannot listen on {host}, port {port}: {getattr(error, 'strerror', None) or error}"
    other = int(port) + 1 if int(port) < LAST_PORT else 8501
    return f"port {port} on {host} is in use: stop what runs there, or choose another with `make run PORT={other}`"


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now; an OSError where it never could."""
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
