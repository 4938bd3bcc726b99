"""The only place with numba options.

In: a loop over arrays, and for a kernel its explicit signature. Out: the compiled function. Never: a kernel that
cannot be compiled because nothing can be written to disk (it is compiled anew then, and ``uncached`` says why).

Numba's disk cache does not notice an edit of this file: remove the cache (``*.nbi``, ``*.nbc``) after one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

# Scalar loops that give up the GIL. No parallel: on a small batch it costs more than it brings.
_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": False, "boundscheck": False}

# Why the compiled code is not kept on disk; empty while it is. Read by the caller, which warns the user.
uncached: list[str] = []


def kernel(signature: str) -> Callable[[F], F]:
    """Compile for one explicit signature, from the disk cache if it can be used."""

    def decorate(function: F) -> F:
        if not uncached:
            try:
                return cast(F, njit(signature, cache=True, **_OPTIONS)(function))
            # No folder can be written, the disk is full, a cache file is damaged: numba raises what it met.
            # A fault of the loop itself is raised again below.
            except Exception as problem:  # noqa: BLE001
                uncached.append(f"{type(problem).__name__}: {problem}")
        return cast(F, njit(signature, cache=False, **_OPTIONS)(function))

    return decorate


def helper(function: F) -> F:
    """Make a part of the kernels of the same file that call it.

    Inlined in any case: else every call counts references to its arrays, four times the cost of ``segment``.
    """
    return cast(F, njit(cache=False, inline="always", **_OPTIONS)(function))
