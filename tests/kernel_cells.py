"""A real kernel whose cells a test runs and interrupts."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client import BlockingKernelClient, KernelManager

LONG = 60  # seconds after which a test gives up


class Cells:
    """Runs cells in a kernel, and interrupts them."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager, self.client = manager, client

    def run(self, code: str, stop_after: float | None = None) -> tuple[dict[str, Any], str, float]:
        """The answer to a cell, all that it showed, and the seconds between the interrupt and the answer."""
        asked = self.client.execute(code)
        self._wait(asked, "execute_input")
        stopped = time.monotonic()
        if stop_after is not None:
            time.sleep(stop_after)
            stopped = time.monotonic()
            self.manager.interrupt_kernel()
        while True:
            reply = self.client.get_shell_msg(timeout=LONG)
            if reply["parent_header"].get("msg_id") == asked:
                break
        seconds = time.monotonic() - stopped
        return reply["content"], self._wait(asked, "status"), seconds

    def _wait(self, asked: str, kind: str) -> str:
        """Reads what the kernel publishes about a cell until it began (execute_input) or ended (status idle)."""
        shown = ""
        while True:
            message = self.client.get_iopub_msg(timeout=LONG)
            content = message["content"]
            if message["parent_header"].get("msg_id") != asked:
                continue
            shown += str(content.get("data", {}).get("text/plain", "")) + str(content.get("text", ""))
            if message["msg_type"] == kind and content.get("execution_state", "idle") == "idle":
                return shown


@contextmanager
def kernel(folder: Path) -> Iterator[Cells]:
    """A kernel that runs in a folder; it is killed at the end."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LONG)
        yield Cells(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
