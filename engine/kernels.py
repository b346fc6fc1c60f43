"""The three ways to compile a function.

A `kernel` is kept on disk (engine.kernel_cache says where) and releases Python's lock. A `part` is a kernel that only
other kernels call: it has no entry from Python, which for a function that is given bundles of many arrays takes longer
to compile than the function. An `inlined` function is a named step of a kernel: its body is compiled into every kernel
that calls it.

Compiled code counts references to every array that a call is given, and to every array of a tuple. In an inner loop
that can take longer than the work itself, so arrays are bound to local names before a loop, and the functions called in
the loop are inlined and take few arrays.

All are called as they are written, so the type checker sees their own signatures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.core import event
from numba.np import linalg

from engine import first_use, kernel_cache

F = TypeVar("F", bound=Callable[..., Any])


class _Compiling(event.Listener):
    """Hears when numba compiles a function; it does not when a compiled one is read from disk."""

    def on_start(self, event: event.Event) -> None:
        first_use.compiling()

    def on_end(self, event: event.Event) -> None:
        pass


event.register("numba:compile", _Compiling())


def without_matrices() -> None:
    """For a process of ours, before its first kernel: numba does not import scipy.linalg to see whether it could
    multiply matrices, which is a tenth of a command's start. No kernel does, and one that did would not compile."""
    vars(linalg)["ensure_blas"] = _no_matrices


def _no_matrices() -> None:
    raise ImportError("kernels do not multiply matrices")


def kernel(function: F) -> F:
    """The function, compiled when it is first called."""
    return _compiled(function)


def part(function: F) -> F:
    """The function, compiled when a kernel that calls it is; Python cannot call it."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: F) -> F:
    """The function as a part of the kernels that call it."""
    return _compiled(function, inline="always")


def _compiled(function: F, **options: Any) -> F:
    vars(config)["CACHE_DIR"] = kernel_cache.folder(Path(function.__code__.co_filename))
    return cast(F, njit(cache=True, nogil=True, **options)(function))
