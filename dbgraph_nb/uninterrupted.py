"""Imports that an interrupt cannot leave half done.

In: the name of a package that is written in C. Out: the package, whole. Never: an import in the thread that the stop
button interrupts: pandas and numpy cannot be imported again in a process in which their import was cut off, so every
later cell would fail.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module

_SLICE = 0.05  # seconds; how often a waiting thread looks at an interrupt on Windows


def load(name: str) -> None:
    """Imports a package in a thread of its own and waits for it.

    Raises:
        ImportError: it is not there.
        KeyboardInterrupt: the user did not want to wait; the import goes on, and the next one waits for it.
    """
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    if module is not None and not getattr(spec, "_initializing", False):
        return
    failed: list[BaseException] = []

    def work() -> None:
        try:
            import_module(name)
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            failed.append(error)

    thread = threading.Thread(target=work, name=f"import {name}", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_SLICE)
    if failed:
        raise failed[0]
