"""The number of cores, and a limit of one thread per process for linear algebra.

The matrices here are small: threads of a BLAS mostly wait for each other, spinning, and take the cores from processes
that train beside this one. Work over documents goes through joblib instead. To be called before numpy is imported; a
number that the user has set stays.
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
