"""The number of cores, and a limit of one thread per process for linear algebra.

The matrices here are small: BLAS threads would mostly spin while they wait for each other, and take cores away from
other training processes. Work over documents is distributed by engine.workers instead. Call `one_per_process` before
numpy is imported; a number of threads set by the user is kept.
"""

from __future__ import annotations

import os
from typing import Final

_VARIABLES: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_per_process() -> None:
    for name in _VARIABLES:
        os.environ.setdefault(name, "1")
