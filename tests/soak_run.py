"""`make soak`: the long counts in full, and a report that is committed.

A test that has a long count calls ``soak.scale``. This runs the files of those tests, with the full numbers. With names
of files behind the report's, only those run, and only their lines of the report change.
"""

from __future__ import annotations

import datetime as dt
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def marked() -> list[str]:
    """The test files that have a long count."""
    found = [p for p in (ROOT / "tests").rglob("test_*.py") if "scale(" in p.read_text(encoding="utf-8")]
    return sorted(str(p.relative_to(ROOT)) for p in found)


def run(path: str) -> tuple[bool, str, float]:
    """One file: whether it passed, pytest's last line, seconds."""
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-s", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    counts = [line.strip() for line in done.stdout.splitlines() if line.startswith("soak:")]
    last = re.sub(r" in [0-9.]+s.*", "", done.stdout.strip().splitlines()[-1].strip("= "))
    return done.returncode == 0, "; ".join([last, *counts]), time.monotonic() - started


def _lines(report: Path) -> dict[str, str]:
    """The lines of an earlier report, by file."""
    found = re.findall(r"^\| `([^`]+)` \|.*$", report.read_text(encoding="utf-8"), re.MULTILINE)
    lines = [line for line in report.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return dict(zip(found, lines, strict=True))


def main() -> int:
    report = Path(sys.argv[1])
    chosen = sys.argv[2:]
    day = dt.datetime.now(dt.UTC).date()
    kept = _lines(report) if chosen else {}
    lines = [
        "# The long counts",
        "",
        f"`make soak` on {day}, Python {platform.python_version()}, {platform.system()} {platform.machine()}.",
        "`make test` runs about a twentieth of each, with a fixed seed.",
        "",
        "| file | result | seconds |",
        "|---|---|---|",
    ]
    failed = 0
    for path in marked():
        if chosen and path not in chosen:
            lines += [kept[path]] if path in kept else []
            continue
        passed, line, seconds = run(path)
        failed += not passed
        lines.append(f"| `{path}` | {'' if passed else 'FAILED: '}{line} | {seconds:.0f} |")
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(report.read_text(encoding="utf-8"))
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
