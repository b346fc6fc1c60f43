"""The step functions of all documents of a large corpus, in temporary files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.arrays import Array
from engine.metrics.tally import Tally
from engine.tuning.curve import Steps

COLUMNS: Final[dict[str, Any]] = {"document": np.int64, "bias": np.float64, "counts": np.int64, "gold": np.int64}


class SpooledSteps:
    """Steps (engine/tuning/curve.py) being collected, block by block. A system whose curve has no counts per document
    has none."""

    def __init__(self, folder: Path) -> None:
        self._paths = {name: folder / f"{name}.steps" for name in COLUMNS}
        self._files = {name: path.open("wb") for name, path in self._paths.items()}
        self._documents = 0
        self._complete = True

    def add(self, block: Tally | None) -> None:
        """Add the steps of the next documents; None if they have none."""
        if block is None:
            self._complete = False
            return
        columns = {name: block.column(name) for name in COLUMNS}
        columns["document"] = columns["document"] + self._documents
        self._documents += len(columns["gold"])
        for name, rows in columns.items():
            self._files[name].write(np.ascontiguousarray(rows, dtype=COLUMNS[name]).tobytes())

    def all(self) -> Steps | None:
        """The steps of all documents, read from the files; None if some have none."""
        if not self._complete or not self._documents:
            return None
        for file in self._files.values():
            file.flush()
        read = {name: self._mapped(name) for name in COLUMNS}
        return Steps(read["document"], read["bias"], read["counts"].reshape(-1, 3), read["gold"])

    def _mapped(self, name: str) -> Array:
        return np.memmap(self._paths[name], dtype=COLUMNS[name], mode="r")

    def __enter__(self) -> SpooledSteps:
        return self

    def __exit__(self, *_: object) -> None:
        for name, file in self._files.items():
            file.close()
            self._paths[name].unlink()
