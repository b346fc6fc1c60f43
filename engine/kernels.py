"""The one way to compile a function.

Kernels are kept on disk (engine.kernel_cache says where) and leave Python's lock to others. They are called as they are
written, so the type checker sees their own signatures. A kernel takes arrays in named tuples; an array that an inner
loop reads is named outside the loop, since compiled code counts references at every access to a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """The function, compiled when it is first called."""
    return cast(F, njit(cache=True, nogil=True)(function))
