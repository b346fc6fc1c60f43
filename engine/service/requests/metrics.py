"""Counts and times in the text format of Prometheus (version 0.0.4). Used from the event loop only."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of response times, in seconds."""


class Metrics:
    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str]] = Counter()
        self._documents: Counter[str] = Counter()
        self._reloads: Counter[str] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """`route` is a path pattern rather than a path, so that there are only a few."""
        self._requests[route, str(status)] += 1
        self._times.setdefault(route, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds

    def decided(self, system: str, documents: int) -> None:
        self._documents[system] += documents

    def reloaded(self, system: str) -> None:
        self._reloads[system] += 1

    def text(self, *, busy: int, versions: Mapping[str, str]) -> str:
        lines = [
            *_family(
                "espalier_requests_total",
                "counter",
                "Requests by route and status.",
                (({"route": route, "status": status}, n) for (route, status), n in sorted(self._requests.items())),
            ),
            *_family(
                "espalier_documents_total",
                "counter",
                "Documents decided.",
                (({"system": system}, n) for system, n in sorted(self._documents.items())),
            ),
            *_family(
                "espalier_model_reloads_total",
                "counter",
                "How often a changed model was loaded.",
                (({"system": system}, n) for system, n in sorted(self._reloads.items())),
            ),
            *_family("espalier_jobs", "gauge", "Requests in progress or waiting.", [({}, busy)]),
            *_family(
                "espalier_model_info",
                "gauge",
                "The models that are served.",
                (({"system": system, "version": version}, 1) for system, version in sorted(versions.items())),
            ),
            *self._histogram(),
        ]
        return "\n".join(lines) + "\n"

    def _histogram(self) -> Iterator[str]:
        name = "espalier_request_seconds"
        yield f"# HELP {name} Time from a request to the end of its answer."
        yield f"# TYPE {name} histogram"
        for route, counts in sorted(self._times.items()):
            bounds = [*(f"{bound:g}" for bound in BUCKETS), "+Inf"]
            for bound, n in zip(bounds, accumulate(counts), strict=True):
                yield f"{name}_bucket{_labels({'route': route, 'le': bound})} {n}"
            yield f"{name}_sum{_labels({'route': route})} {self._seconds[route]:.6f}"
            yield f"{name}_count{_labels({'route': route})} {sum(counts)}"


def _family(name: str, kind: str, about: str, rows: Iterable[tuple[Mapping[str, str], int]]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in rows:
        yield f"{name}{_labels(labels)} {value}"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
