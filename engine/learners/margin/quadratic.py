"""The quadratic-programme solver, loaded so that it calls its own routines.

quadprog exports functions with names as plain as `dot`. PuLP makes the symbols of the HiGHS library global, and HiGHS
has a `dot` with other arguments: after `import pulp` an ordinary `import quadprog` calls that one and the process
dies. Deep binding makes a library prefer its own symbols (glibc; elsewhere libraries do so by themselves). Nothing else
may import quadprog.
"""

from __future__ import annotations

import os
import sys
from typing import Any

__all__ = ["solve_qp"]


def _load() -> Any:
    deep = getattr(os, "RTLD_DEEPBIND", None)
    if deep is None:
        import quadprog  # noqa: TID251

        return quadprog.solve_qp
    flags = sys.getdlopenflags()
    sys.setdlopenflags(flags | deep)
    try:
        import quadprog  # noqa: TID251

        return quadprog.solve_qp
    finally:
        sys.setdlopenflags(flags)


solve_qp = _load()
