"""Asks for a password in a notebook or a terminal, without echo.

In: an IPython shell. Out: a provider of an asking function. Never: a hang where nobody can answer.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def asker(shell: InteractiveShell) -> Callable[[], Callable[[str], str] | None]:
    """A provider: ``getpass`` where the front end takes input, else None.

    While a cell runs, a kernel puts its own ``getpass.getpass`` in place, which asks in the browser; so it is looked
    up at each need."""

    def provider() -> Callable[[str], str] | None:
        kernel = getattr(shell, "kernel", None)
        if kernel is not None:
            return getpass.getpass if getattr(kernel, "_allow_stdin", False) else None
        return getpass.getpass if sys.stdin is not None and sys.stdin.isatty() else None

    return provider
