"""A real server on a socket: bytes that are hardly HTTP get an answer or a closed connection, and nobody waits."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import uvicorn

from engine.data.errors import InputError
from engine.service.models.shelf import FileSource
from engine.service.requests.limits import Limits
from engine.service.serving import Plan, bound, serve, server_of
from engine.service.state import Service
from tests.service.serving import folder, service_of

BODY = json.dumps({"document": {"id": "d", "tokens": ["Ada", "met", "Babbage"]}}).encode()
STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
PATIENCE = 120.0
"""Seconds after which a client that still waits has found a hang."""


@pytest.fixture
def port(toy_file: Path) -> Iterator[int]:
    """A server of the toy, which gives up on half a request after a second."""
    service: Service = service_of(FileSource("toy", toy_file), limits=Limits(body=100_000, seconds=1.0))
    with bound("127.0.0.1", 0) as listening:
        server = server_of(service)
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        listening.listen()
        yield int(listening.getsockname()[1])
        server.should_exit = True
        running.join(60)
        assert not running.is_alive()


def exchanged(port: int, sent: bytes, *, ends: bool = False) -> bytes:
    """What comes back until the server closes the connection; with `ends` nothing more is sent, and it is told so."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        found = b""
        try:
            connection.sendall(sent)
            if ends:
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                found += piece
        except (ConnectionResetError, BrokenPipeError):
            pass  # closed while we were still sending
        return found


def head(*lines: bytes, method: bytes = b"POST", path: bytes = b"/v1/models/toy/predict") -> bytes:
    first = method + b" " + path + b" HTTP/1.1"
    return b"\r\n".join([first, b"Host: localhost", b"Connection: close", *lines, b"", b""])


LENGTH = b"Content-Length: %d" % len(BODY)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (head(LENGTH) + BODY, 200),
        (head(LENGTH, b"Connection: Upgrade", b"Upgrade: websocket") + BODY, 200),
        (head(b"Transfer-Encoding: chunked") + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), 200),
        (head(b"Transfer-Encoding: chunked") + b"zz\r\n", 400),
        (head(LENGTH, b"Content-Length: 3") + BODY, 400),
        (head(b"Content-Length: -1"), 400),
        (head(b"Content-Length: " + b"9" * 19), 413),
        (head(b"Content-Length: 50") + b"half", 408),
        (head(b"Transfer-Encoding: chunked") + b"5\r\nhalf", 408),
        (head(b"X: " + b"a" * 100_000), 400),
        (head(path=b"/\xff"), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 3 + b"\r\n\r\n", 400),
        (b"POST /v1/models/toy/predict HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        (b"NONSENSE\r\n\r\n", 400),
    ],
)
def test_what_is_sent_byte_by_byte(port: int, sent: bytes, status: int) -> None:
    found = exchanged(port, sent)
    assert [int(one) for one in STATUS.findall(found)] == [status], found


def test_a_taken_port_is_one_sentence(port: int) -> None:
    with pytest.raises(InputError, match="cannot listen at"):
        bound("127.0.0.1", port)


def test_warnings_of_the_web_server_are_lines_of_json_like_ours(
    toy_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("espalier", "uvicorn", "uvicorn.error"):
        monkeypatch.setattr(logging.getLogger(name), "handlers", [])
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)

    def run(self: uvicorn.Server, sockets: object) -> None:
        logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
        self.started = True

    monkeypatch.setattr(uvicorn.Server, "run", run)
    assert serve(Plan(models=[("toy", toy_file)], port=0)) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "Invalid HTTP request received."


def test_a_response_is_sent_without_waiting_for_acknowledgements() -> None:
    """Nagle's algorithm, which holds back the body until the client acknowledges the headers, is off."""

    async def option() -> int:
        found: asyncio.Queue[int] = asyncio.Queue()

        async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            found.put_nowait(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with bound("127.0.0.1", 0) as listening:
            async with await asyncio.start_server(accepted, sock=listening):
                _, writer = await asyncio.open_connection(*listening.getsockname())
                writer.close()
                return await found.get()

    assert asyncio.run(option())


def garbled(chance: random.Random) -> bytes:
    """A request with a few bytes of its head changed, doubled, dropped or moved; mostly still with an end of it."""
    lines = head(LENGTH, b"Content-Type: application/json", b"Accept: */*").split(b"\r\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines) - 2)
        line = bytearray(lines[at])
        match chance.randrange(5):
            case 0 if line:
                line[chance.randrange(len(line))] = chance.randrange(256)
            case 1:
                lines.insert(at, bytes(line))
            case 2:
                line += bytes(chance.randrange(256) for _ in range(chance.choice((1, 20, 5000))))
            case 3:
                line = line[: chance.randrange(len(line) + 1)]
            case _:
                lines.insert(chance.randrange(len(lines) - 2), bytes(line))
                line = bytearray(b"Content-Length: %d" % chance.randrange(len(BODY) + 1))
        lines[at] = bytes(line)
    return chance.choice((b"\r\n", b"\r\n", b"\n")).join(lines) + BODY


@pytest.mark.long
def test_three_thousand_garbled_heads(port: int) -> None:
    """Each sender says that it has ended, so that a server which still waits for more is one that hangs."""

    def one(seed: int) -> list[int]:
        found = exchanged(port, garbled(random.Random(seed)), ends=True)
        for secret in (b"Traceback", bytes(folder()), b"site-packages", b'File "'):
            assert secret not in found
        return [int(status) for status in STATUS.findall(found)]

    with ThreadPoolExecutor(8) as pool:
        seen = Counter(status for statuses in pool.map(one, range(3000)) for status in statuses)
    assert seen[400] > 500 and all(status == 200 or 400 <= status < 500 for status in seen), seen
    assert exchanged(port, head(LENGTH) + BODY).startswith(b"HTTP/1.1 200 ")
