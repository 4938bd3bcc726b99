"""`make bench`: every benchmark of this folder, one table; exit status 1 if a ratio misses its goal.
`run.py text` runs only that one.

A benchmark is a file ``bench_*.py`` with ``measure() -> dict[str, float]`` and ``GOALS``: name → (sign, bound).
Ratios only: both sides run in one process, in turn, on CPU time.
"""

from __future__ import annotations

import importlib.util
import operator
import os
import platform
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
SIGNS = {"<=": operator.le, ">=": operator.ge}


def load(path: Path) -> ModuleType:
    """A benchmark file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    sys.path.insert(0, str(HERE))
    missed = 0
    print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {platform.machine()}\n")
    print("| benchmark | ratio | measured | goal | |\n|---|---|---|---|---|")
    chosen = [f"bench_{name}" for name in sys.argv[1:]]
    for path in sorted(HERE.glob("bench_*.py")):
        if chosen and path.stem not in chosen:
            continue
        module = load(path)
        goals: dict[str, tuple[str, float]] = getattr(module, "GOALS", {})
        for name, value in module.measure().items():
            if name not in goals:
                print(f"| {path.stem} | {name} | {value:.3g} | | |", flush=True)
                continue
            sign, bound = goals[name]
            held = SIGNS[sign](value, bound)
            missed += not held
            print(
                f"| {path.stem} | {name} | {value:.3g} | {sign} {bound:g} | {'held' if held else 'MISSED'} |",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
