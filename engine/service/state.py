"""The state that all endpoints of a service share."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.service.models.learning import Learning, Lessons
from engine.service.models.pool import Pool
from engine.service.models.shelf import Shelf
from engine.service.requests.access import Access
from engine.service.requests.limits import Limits
from engine.service.requests.metrics import Metrics


@dataclass(frozen=True, eq=False)
class Service:
    shelf: Shelf
    pool: Pool
    learning: Learning
    access: Access = field(default_factory=Access)
    metrics: Metrics = field(default_factory=Metrics)

    @property
    def limits(self) -> Limits:
        return self.pool.limits

    @classmethod
    def of(
        cls,
        shelf: Shelf,
        *,
        limits: Limits | None = None,
        workers: int = 1,
        token: str | None = None,
        lessons: Lessons | None = None,
    ) -> Service:
        files = [shelf.get(system).file for system in shelf.systems]
        pool = Pool(workers, limits or Limits(), files)
        return cls(shelf, pool, Learning(shelf, lessons), Access(token))
