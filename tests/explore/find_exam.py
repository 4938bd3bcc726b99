"""Scores the find and resolve exams of tests/fixtures/find_exam against the sample shop.

In: an indexed connection. Out: for each case whether it is right, and what came back instead.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dbgraph_nb as dg

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "find_exam"


@dataclass(frozen=True)
class Verdict:
    file: str
    case: dict[str, Any]
    wrong: str  # empty: right


def cases(resolve: bool) -> list[tuple[str, dict[str, Any]]]:
    """(file, case) of the find exams, or of the resolve exams."""
    found = []
    for path in sorted(FOLDER.glob("*.jsonl")):
        if path.name.endswith(".resolve.jsonl") == resolve:
            lines = path.read_text(encoding="utf-8").splitlines()
            found += [(path.name, json.loads(line)) for line in lines if line.strip()]
    return found


def value(given: Any) -> Any:
    """A value of ``where`` as Python has it."""
    return (given["op"], given["value"]) if isinstance(given, dict) else given


def judge_find(name: str, case: dict[str, Any]) -> str:
    """What is wrong with the answer to one case; empty if nothing is."""
    where = None if case["where"] is None else {word: value(given) for word, given in case["where"].items()}
    try:
        answer = dg.find(name, case["entity"], case["fields"], where, limit=5)
    except dg.DbgraphError as error:
        return f"{type(error).__name__}: {error}"
    if answer.status != case["status"]:
        return f"status {answer.status}: {answer.message}"
    shown = [f"{hit.table}.{hit.column}" if hit.column else hit.table for hit in answer.candidates]
    missing = [name for name in case.get("candidates", ()) if name not in shown]
    if missing:
        return f"candidates {shown}"
    used = {role: [u for u in answer.used if u.role == role] for role in ("entity", "field", "where", "join")}
    if case.get("table") and [u.table for u in used["entity"]] != [case["table"]]:
        return f"table {[u.table for u in used['entity']]}"
    if case["status"] != "ok":
        return ""
    columns = [f"{u.table}.{u.column}" for u in used["field"]]
    if case["fields"] and columns != case["columns"]:
        return f"columns {columns}"
    predicates = [f"{u.table}.{u.column}" for u in used["where"]]
    if "where_columns" in case and predicates != case["where_columns"]:
        return f"where {predicates}"
    joined = sorted({u.table for u in used["join"]} - {case["table"]})
    if joined != sorted(case.get("join_tables", ())):
        return f"joins {joined}"
    return ""


def judge_resolve(name: str, case: dict[str, Any]) -> str:
    """The same for a resolve case: the answer must be among the first three hits."""
    hits = dg.resolve(name, case["words"], k=3)
    tables = {hit.table for hit in hits}
    columns = {f"{hit.table}.{hit.column}" for hit in hits}
    good = not case["tables_any"] or tables & set(case["tables_any"])
    good = good and (not case["columns_any"] or columns & set(case["columns_any"]))
    return "" if good else f"{[(hit.table, hit.column) for hit in hits]}"


def score(name: str) -> list[Verdict]:
    """All cases of both exams."""
    verdicts = [Verdict(file, case, judge_find(name, case)) for file, case in cases(resolve=False)]
    return verdicts + [Verdict(file, case, judge_resolve(name, case)) for file, case in cases(resolve=True)]


def table(verdicts: list[Verdict]) -> str:
    """Right of all, by file; then every wrong one."""
    lines = []
    for file in sorted({v.file for v in verdicts}):
        mine = [v for v in verdicts if v.file == file]
        lines.append(f"{file}: {sum(not v.wrong for v in mine)} of {len(mine)}")
    lines += [f"  {v.file}: {_question(v.case)}: {v.wrong}" for v in verdicts if v.wrong]
    return "\n".join(lines)


def _question(case: dict[str, Any]) -> str:
    if "words" in case:
        return f"{case['words']!r} → {case['tables_any']} {case['columns_any']}"
    return f"{case['entity']!r} {case['fields']} {case['where']} → {case['status']} {case.get('columns')}"
