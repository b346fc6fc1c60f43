"""Starts the app: checks the port, prints the address, hands over to Streamlit, and prepares the first look meanwhile.

python -m ui.serve [--host HOST] [--port PORT]
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
from pathlib import Path

from engine.threads import one_per_process

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(prog="make run", description="Serve Espalier.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=8501)
    args = parser.parse_args()
    if not is_free(args.host, args.port):
        print(
            f"port {args.port} on {args.host} is in use: stop what runs there, or choose another with"
            f" `make run PORT={args.port + 1}`",
            file=sys.stderr,
        )
        return 1
    print(f"Espalier: http://{args.host}:{args.port}", flush=True)
    if args.host not in ("127.0.0.1", "localhost", "::1"):
        print(
            "Anyone who can reach this machine can open it, unless a login is set up (docs/annotation.md).",
            file=sys.stderr,
        )
    one_per_process()
    os.chdir(ROOT)
    threading.Thread(target=_prepare, args=(args.host, args.port), daemon=True).start()
    from streamlit.web import cli

    options = [f"--server.address={args.host}", f"--server.port={args.port}"]
    options += ["--server.headless=true", "--browser.gatherUsageStats=false"]
    cli.main(["run", str(ROOT / "app.py"), *options])
    return 0


def _prepare(host: str, port: int) -> None:
    """Begin with what the first visit would begin with, as soon as the server listens: until somebody has opened a
    browser, the first system is trained."""
    while is_free(host, port):
        time.sleep(0.1)
    from ui import shell

    shell.prepare()


def is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
