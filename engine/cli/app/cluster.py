"""cluster: a Dask scheduler and workers on this machine, to try --cluster with."""

from __future__ import annotations

import argparse
import signal
import threading
from types import FrameType
from typing import Any

from engine import threads
from engine.cli import options
from engine.data.errors import InputError

EXAMPLES = """example:
  python -m engine cluster --workers 4 --port 8786
  python -m engine predict linking --model m.zip --data new.jsonl --out linked.jsonl --cluster 127.0.0.1:8786

It runs until it is interrupted. docs/guide/scale.md says how clusters of several machines are started."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "cluster",
        help="a Dask cluster on this machine",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--workers", type=options.count, default=None, metavar="N", help="worker processes (default: one per core)"
    )
    parser.add_argument("--port", type=int, default=8786, help="port of the scheduler (default 8786)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    try:
        from distributed import LocalCluster
    except ImportError as error:
        raise InputError("cluster needs dask and distributed: pip install dask distributed") from error
    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    with LocalCluster(
        n_workers=args.workers or threads.cores(),
        # Documents are processed in Python, which runs one thread at a time per process.
        threads_per_worker=1,
        scheduler_port=args.port,
        dashboard_address=None,
    ) as cluster:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, end)
        address = cluster.scheduler_address.removeprefix("tcp://")
        print(f"{len(cluster.workers)} workers; name them with --cluster {address}; Ctrl-C ends them", flush=True)
        ended.wait()
    return 0
