"""Workers by what the user asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.workers.base import Here, Workers
from engine.workers.cluster import Cluster
from engine.workers.crews import Crew, crew_for
from engine.workers.scheduler import check_scheduler


def workers_of(jobs: int, cluster: str | None) -> Workers:
    """The cluster of this address, so many processes, or nobody but this one."""
    if cluster is not None:
        check_scheduler(cluster)
        return Cluster(cluster)
    if jobs == 1:
        return Here()
    # Imported here: most commands work alone.
    from engine.workers.processes import Processes

    return Processes(jobs)


@contextmanager
def crew_of(jobs: int, cluster: str | None) -> Iterator[Crew]:
    """Who trains: the cluster of this address, so many threads, or the thread that asks."""
    if cluster is not None:
        check_scheduler(cluster)
    with crew_for(jobs, cluster) as crew:
        yield crew
