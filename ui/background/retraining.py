"""Live beta: trains models in the background for the weights on precision that users choose, for any system that
`Retrains`.

A laboratory belongs to one run and one pair of corpora and is shared by all visitors. One thread trains at a time, each
model starting from the nearest finished one; pages only read the results. Nothing here draws.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.data.document import Document
from engine.tasks.base import AnyModel, TrainingRound
from engine.tasks.capabilities import Retrains


@dataclass(frozen=True)
class Visited:
    """A model trained with one beta, and its scores."""

    beta: float
    precision: float
    recall: float
    f1: float
    fbeta: float
    seconds: float
    rounds: tuple[TrainingRound[Any, Any], ...] = field(repr=False)

    @property
    def model(self) -> AnyModel:
        return self.rounds[-1].model


class Laboratory:
    """One run's model, and the models trained from it."""

    def __init__(self, task: Retrains, model: AnyModel, train: Sequence[Document], dev: Sequence[Document]) -> None:
        self._task, self._model = task, model
        self._train, self._dev = train, dev
        self._visited: dict[float, Visited] = {}
        self._wanted: float | None = None
        self._later: list[float] = []
        self._training: float | None = None
        self._failure: str | None = None
        self._lock = threading.Lock()

    @property
    def visited(self) -> list[Visited]:
        with self._lock:
            return sorted(self._visited.values(), key=lambda one: one.beta)

    def at(self, beta: float) -> Visited | None:
        with self._lock:
            return self._visited.get(round(beta, 3))

    @property
    def training(self) -> float | None:
        """The beta of the current training, if any."""
        with self._lock:
            return self._training

    @property
    def failure(self) -> str | None:
        with self._lock:
            return self._failure

    def want(self, beta: float, later: Sequence[float] = ()) -> None:
        """Train with this beta, unless that is done; during another training, only the latest request is kept.

        The betas in `later` follow when no request is left.
        """
        beta = round(beta, 3)
        with self._lock:
            self._later = [one for one in later if one not in self._visited and one != beta]
            if beta == self._training or (beta in self._visited and not self._later):
                return
            self._wanted = beta
            if self._training is not None:
                return
            self._training = beta
        threading.Thread(target=self._work, daemon=True, name="live beta").start()

    def wait(self, seconds: float = 60.0) -> None:
        """Wait until no training is running; for tests and scripts."""
        until = time.monotonic() + seconds
        while self.training is not None and time.monotonic() < until:
            time.sleep(0.02)

    def _work(self) -> None:
        while True:
            with self._lock:
                beta, self._wanted = self._wanted, None
                while (beta is None or beta in self._visited) and self._later:
                    beta = self._later.pop(0)
                if beta in self._visited:
                    beta = None
                self._training = beta
            if beta is None:
                return
            try:
                done = self._visit(beta)
            except ValueError as error:
                with self._lock:
                    self._failure, self._training, self._wanted = str(error), None, None
                return
            except BaseException:
                # Otherwise the page would wait forever for a thread that has ended.
                with self._lock:
                    self._failure, self._training, self._wanted = "the training broke off", None, None
                raise
            with self._lock:
                self._visited[beta], self._failure = done, None
                if self._wanted == beta:
                    self._wanted = None

    def _visit(self, beta: float) -> Visited:
        start = time.monotonic()
        nearest = min(self.visited, key=lambda one: abs(one.beta - beta), default=None)
        source = self._model if nearest is None else nearest.model
        rounds = tuple(self._task.retrain(self._train, self._dev, source, beta))
        scores = rounds[-1].scores
        return Visited(
            beta,
            scores["precision"],
            scores["recall"],
            scores["f1"],
            scores["fbeta"],
            time.monotonic() - start,
            rounds,
        )
