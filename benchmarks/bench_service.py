"""What a request costs: response times and throughput of `espalier serve` against `predict` in one process.

    python -m benchmarks.bench_service [--quick]

A joint model of the sample corpus, asked for one sentence at a time over sockets by 1, 8 and 32 clients, then for all
of them as one batch of JSON lines. The last line says how much memory the server took on between the first and the
last thousand of 10,000 requests; the limit is 32 MB.
"""

from __future__ import annotations

import json
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL, Popen

from benchmarks.places import ROOT, SAMPLES, parser
from engine import corpora
from engine.corpora.formats import jsonl
from engine.tasks.base import AnyModel, Resources
from engine.tasks.registry import get
from engine.tasks.saving import save_model

REQUESTS, LONG = 2000, 10_000
CLIENTS = (1, 8, 32)
LIMIT = 32.0
"""Megabytes that the server may grow by."""
PREDICT = "/v1/models/joint/predict"


def trained(quick: bool) -> AnyModel:
    """A model of the sample; a quick one is that of the first round."""
    task = get("joint")
    train, dev = (corpora.read(SAMPLES / "joint" / f"{split}.jsonl") for split in ("train", "dev"))
    info = task.learner(None)
    resources = Resources(constraints=SAMPLES / "joint" / "constraints.toml")
    rounds = task.rounds(train, dev, info.name, info.settings, resources)
    *_, last = islice(rounds, 1 if quick else None)
    return last.model


@contextmanager
def serving(model: Path, workers: int) -> Iterator[tuple[int, int]]:
    """A server of its own; its port and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "engine", "serve", "--model", f"joint={model}", "--port", str(port)]
    # A pipe that nobody reads would stop the server when it is full.
    server = Popen([*command, "--workers", str(workers)], cwd=ROOT, stdout=DEVNULL, stderr=DEVNULL)
    try:
        until = time.monotonic() + 300
        while not is_ready(port):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the server did not start")
            time.sleep(0.1)
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(120)


def is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


_local = threading.local()


def asked(port: int, body: bytes, kind: str = "application/json") -> float:
    """Seconds until the whole answer is there; every client keeps its connection."""
    known = getattr(_local, "connection", None)
    if known is None or known.port != port:
        known = _local.connection = HTTPConnection("127.0.0.1", port, timeout=120)
    begun = time.perf_counter()
    known.request("POST", PREDICT, body, {"Content-Type": kind})
    answer = known.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise RuntimeError(content.decode()[:200])
    return time.perf_counter() - begun


def at_once(port: int, bodies: Sequence[bytes], clients: int, requests: int) -> tuple[list[float], float]:
    """Response times in order, and seconds for all of them."""
    with ThreadPoolExecutor(clients) as pool:
        begun = time.perf_counter()
        times = list(pool.map(lambda i: asked(port, bodies[i % len(bodies)]), range(requests)))
        return sorted(times), time.perf_counter() - begun


def megabytes(pid: int) -> float:
    """Memory that the process holds now."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the server is gone")


def main() -> int:
    quick = parser(__doc__).parse_args().quick
    requests, long = (40, 100) if quick else (REQUESTS, LONG)
    dev = corpora.read(SAMPLES / "joint" / "dev.jsonl")
    records = [jsonl.record(document) for document in dev]
    bodies = [json.dumps({"document": record}).encode() for record in records]
    model, task = trained(quick), get("joint")
    task.decide(task.score(dev, model))
    begun = time.perf_counter()
    for document in dev:
        task.decide(task.score([document], model))
    alone = (time.perf_counter() - begun) / len(dev)
    print(f"{'':34}{'p50':>9}{'p95':>9}{'a second':>11}")
    print(f"{'predict, one process':34}{1000 * alone:6.1f} ms{'':9}{1 / alone:11.0f}")
    grown = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "joint.zip"
        save_model(task, model, path)
        for workers in (1, 2):
            with serving(path, workers) as (port, pid):
                at_once(port, bodies, 4, 4 * len(bodies))
                for clients in CLIENTS:
                    times, seconds = at_once(port, bodies, clients, requests)
                    high = times[int(0.95 * (len(times) - 1))]
                    name = f"serve --workers {workers}, {clients} clients"
                    print(
                        f"{name:34}{1000 * statistics.median(times):6.1f} ms{1000 * high:6.1f} ms"
                        f"{requests / seconds:11.0f}"
                    )
                many = records * max(1, requests // len(dev))
                taken = asked(port, "\n".join(map(json.dumps, many)).encode(), "application/x-ndjson")
                print(f"{f'serve --workers {workers}, one batch':34}{'':18}{len(many) / taken:11.0f}")
                if workers == 1:
                    at_once(port, bodies, 8, long // 10)
                    before = megabytes(pid)
                    at_once(port, bodies, 8, long - long // 10)
                    grown = megabytes(pid) - before
    verdict = "kept" if grown <= LIMIT else "missed"
    print(f"memory over {long:,} requests: {grown:+.1f} MB; limit {LIMIT:.0f} MB: {verdict}")
    return 1 if grown > LIMIT and not quick else 0


if __name__ == "__main__":
    sys.exit(main())
