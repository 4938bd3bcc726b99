"""The cases of the gate: statements as data, and what the gate says of one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dbgraph_nb import gate
from dbgraph_nb.errors import GateRefused
from dbgraph_nb.model import Dialect

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "gate"
DEVELOPMENT = Path(__file__).resolve().parents[3] / "shared" / "cases"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def cases(name: str) -> Iterator[tuple[Dialect, dict[str, Any]]]:
    """Each case of a fixture file with each of its dialects."""
    for case in lines(FOLDER / f"{name}.jsonl"):
        for dialect in case["dialects"]:
            yield dialect, case


def refusal(sql: str, dialect: Dialect, **policy: Any) -> GateRefused | None:
    """Why the gate refuses, or None when it lets the statement pass."""
    try:
        gate.check(sql, dialect=dialect, **policy)
    except GateRefused as refused:
        return refused
    return None
