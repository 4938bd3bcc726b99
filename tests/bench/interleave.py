"""The one way time is taken here: CPU time of this process, the variants in turn, the median of the rounds.

A busy machine stretches wall time, and CPU time hardly; in turn, a busy neighbour hits all variants alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def interleaved(variants: dict[str, Callable[[], object]], rounds: int, *, warm: bool = True) -> dict[str, float]:
    """Median CPU milliseconds of each variant; every round runs all of them, starting with another one."""
    names = list(variants)
    times: dict[str, list[float]] = {name: [] for name in names}
    if warm:
        for variant in variants.values():
            variant()
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            start = time.process_time()
            variants[name]()
            times[name].append((time.process_time() - start) * 1000)
    return {name: median(values) for name, values in times.items()}
