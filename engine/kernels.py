"""The two ways to compile a function.

A `kernel` is kept on disk (engine.kernel_cache says where) and leaves Python's lock to others. An `inlined` function is
a named step of a kernel: its body is compiled into every kernel that calls it.

Compiled code counts references to every array that a call is given, and to every array of a tuple. In an inner loop
that can take longer than the work, so loops name their arrays beforehand, and what they call is inlined and takes few.

Both are called as they are written, so the type checker sees their own signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """The function, compiled when it is first called."""
    return cast(F, njit(cache=True, nogil=True)(function))


def inlined(function: F) -> F:
    """The function as a part of the kernels that call it."""
    return cast(F, njit(cache=True, nogil=True, inline="always")(function))
