"""Who can be asked for a password; nobody, until an outer layer names somebody.

In: a function from the notebook layer. Out: the function that asks now, or None. Never: a password that is kept here.
"""

from __future__ import annotations

from collections.abc import Callable

Ask = Callable[[str], str]
Provider = Callable[[], Ask | None]

_provider: Provider | None = None


def let_ask(provider: Provider | None) -> None:
    """Names the provider; it is called at each need and answers None where nobody can be asked (nbval, papermill)."""
    global _provider
    _provider = provider


def current() -> Ask | None:
    """The function that asks a person now, or None."""
    return _provider() if _provider is not None else None
