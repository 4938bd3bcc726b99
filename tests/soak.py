"""How long the long counts are: in full with DBGRAPH_NB_SOAK=1 (`make soak`), a twentieth otherwise."""

import os

FULL = os.environ.get("DBGRAPH_NB_SOAK") == "1"


def scale(n: int) -> int:
    """``n`` in a soak run, else about a twentieth of it, at least 1."""
    return n if FULL else max(1, n // 20)
