"""How well and how fast words find tables and columns: the linking sets, and a generated catalog for the speed.

Each set is measured per database, and pooled: all its databases as one catalog. ``tables@5``: all the tables of a
question among the first five. ``@10`` and ``@20``: the share of its columns among that many. MRR: of the first right
column. Without the sets (``../shared/cases/linking``) only the speed is measured. Run by itself it prints all sets;
``--rungs`` also switches each part off in turn, to see what it is worth.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generate import catalog

from dbgraph_nb.catalog import candidates, index, score, spans
from dbgraph_nb.catalog.resolve import resolve
from dbgraph_nb.catalog.store import CatalogIndex, open_index
from dbgraph_nb.model import Column, DbObject, ForeignKey, Snapshot

CASES = Path(__file__).parents[3] / "shared" / "cases" / "linking"
NOW = "2026-01-01T00:00:00Z"
COLUMNS = (("tables@5", 9), ("@10", 7), ("@20", 7), ("MRR", 7))  # with the width of each
DEEP = 400  # hits that are asked for: enough for the first 20 columns and 5 tables
SETS = {
    "Spider": ("spider_dev.jsonl", "spider.schemas.json", None),
    "SLSQL columns": ("slsql_phrases.jsonl", "spider.schemas.json", "column"),
    "SLSQL tables": ("slsql_phrases.jsonl", "spider.schemas.json", "table"),
    "SNAILS": ("snails_dev.jsonl", "snails_dev.schemas.json", None),
}
GOALS = {
    "Spider per db tables@5": (">=", 95.0),
    "Spider pooled @10": (">=", 75.0),
    "SNAILS per db @10": (">=", 52.0),
    "resolve p50 cpu ms": ("<=", 10.0),
}
QUESTIONS = (
    "用户",
    "订单金额",
    "user phone",
    "usr_mobile",
    "已支付的订单有多少",
    "created at",
    "患者 就诊 时间",
    "What is the total refund amount of each order by city?",
    "每个会员的积分和等级名称是什么",
    "status",
    "id",
    "invoice number",
    "show the names of all suppliers in the region with the highest balance",
    "Which drivers delivered parcels on route A last week and what vehicle did they use",
)


@dataclass
class Tally:
    """Sums over questions."""

    questions: int = 0
    with_columns: int = 0
    tables5: float = 0.0
    at: dict[int, float] = field(default_factory=lambda: {10: 0.0, 20: 0.0})
    reciprocal: float = 0.0

    def add(self, case: Mapping[str, Any], tables: list[str], columns: list[str]) -> None:
        """One question: what it should find, and what was found, all in lower case."""
        self.questions += 1
        self.tables5 += set(map(str.lower, case["gold_tables"])) <= set(tables[:5])
        gold = set(map(str.lower, case["gold_columns"]))
        if gold:
            self.with_columns += 1
            for depth in self.at:
                self.at[depth] += len(gold & set(columns[:depth])) / len(gold)
            self.reciprocal += next((1 / rank for rank, name in enumerate(columns, 1) if name in gold), 0.0)

    def shares(self) -> dict[str, float]:
        """Percentages."""
        columns = max(1, self.with_columns)
        found = {"tables@5": 100 * self.tables5 / max(1, self.questions)}
        if self.with_columns:
            found |= {f"@{depth}": 100 * total / columns for depth, total in self.at.items()}
            found["MRR"] = 100 * self.reciprocal / columns
        return found


def snapshot(schemas: Mapping[str, Any]) -> Snapshot:
    """Databases of a schema file as one catalog, a schema each. Human names (``display``) stay out."""
    objects, keys = [], []
    for database, schema in schemas.items():
        for table in schema["tables"]:
            columns = tuple(
                Column(column["name"], number, column["type"] or "", "other", pk=int(bool(column["pk"])))
                for number, column in enumerate(table["columns"], 1)
            )
            objects.append(DbObject(table["name"], "table", columns, schema=database))
        for source, target in schema["fks"]:
            (table, column), (other, far) = source.split(".", 1), target.split(".", 1)
            keys.append(ForeignKey(table, (column,), other, (far,), schema=database, target_schema=database))
    return Snapshot("sqlite", "linking", tuple(objects), level="l2", foreign_keys=tuple(keys))


class Indexes:
    """The indexes of a schema file, each built once."""

    def __init__(self, folder: Path, schemas: Mapping[str, Any]) -> None:
        self._folder, self._schemas = folder, schemas
        self._open: dict[str | None, CatalogIndex] = {}

    def get(self, database: str | None) -> CatalogIndex:
        """The index of one database, or of all."""
        if database not in self._open:
            path = self._folder / f"{len(self._open)}-{len(self._schemas)}.db"
            chosen = self._schemas if database is None else {database: self._schemas[database]}
            index.build(snapshot(chosen), path, now=NOW, writer="python")
            self._open[database] = open_index(path)
        return self._open[database]


def answer(name: str, indexes: Indexes, *, pooled: bool, every: int = 1) -> Tally:
    """Runs each ``every``-th question of a set; the small SNAILS set is always run whole."""
    every = 1 if name == "SNAILS" else every
    file, _, kind = SETS[name]
    cases = [json.loads(line) for line in (CASES / file).read_text(encoding="utf-8").splitlines()]
    tally = Tally()
    for case in [case for case in cases if kind in (None, case.get("type"))][::every]:
        database = case["db"]
        hits = resolve(indexes.get(None if pooled else database), case.get("phrase") or case["question"], k=DEEP)
        # a hit of another database keeps its place, but is never right
        label = [f"{hit.table}" if hit.schema == database else f"{hit.schema}/{hit.table}" for hit in hits]
        tables = [one.lower() for one, hit in zip(label, hits, strict=True) if hit.column is None]
        columns = [f"{one}.{hit.column}".lower() for one, hit in zip(label, hits, strict=True) if hit.column]
        tally.add(case, tables, columns)
    return tally


@contextmanager
def switched(module: Any, **values: Any) -> Iterator[None]:
    """A module with other constants, for a while."""
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def no_forms(index: CatalogIndex, term: str) -> tuple[tuple[str, float], ...]:
    """``candidates.forms`` without stems and short forms."""
    return ((term, 1.0),)


RUNGS: dict[str, Callable[[], Any]] = {
    "all": lambda: switched(score),
    "without word pairs": lambda: switched(spans, builtin=dict),
    "without stems and short forms": lambda: switched(candidates, forms=no_forms),
    "without short forms": lambda: switched(candidates, is_short=lambda short, word: False),
    "without whole names": lambda: switched(spans, _whole_names=lambda atoms: []),
    "without tables for columns": lambda: switched(score, TABLE_TO_COLUMN=0.0, TABLE_LIFT=0.0),
    "without columns for tables": lambda: switched(score, COLUMNS_TO_TABLE=0.0),
    "without foreign keys": lambda: switched(score, NEIGHBOUR=0.0),
    "without coverage": lambda: switched(score, COVERAGE=0.0),
}


def speed(folder: Path, *, tables: int = 500, rounds: int = 5) -> dict[str, float]:
    """Milliseconds of ``resolve`` on a generated catalog of 20 columns a table: the first call, then warm ones."""
    path = folder / "speed.db"
    index.build(catalog(tables, 20), path, now=NOW, writer="python")
    opened = open_index(path)
    started = time.perf_counter()
    resolve(opened, QUESTIONS[0])
    first = time.perf_counter() - started
    wall: list[float] = []
    cpu: list[float] = []
    for number in range(rounds + 1):
        for question in QUESTIONS:
            marks = time.perf_counter(), time.process_time()
            resolve(opened, question)
            if number:
                wall.append(time.perf_counter() - marks[0])
                cpu.append(time.process_time() - marks[1])
    tenths = statistics.quantiles(wall, n=20)
    return {
        "first": 1000 * first,
        "p50": 1000 * statistics.median(wall),
        "p95": 1000 * tenths[18],
        "p50 cpu": 1000 * statistics.median(cpu),
    }


def measure(*, every: int = 8) -> dict[str, float]:
    """What has a goal, and what stands beside it."""
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for set_name, setting in (("Spider", "per db"), ("Spider", "pooled"), ("SNAILS", "per db")):
            if CASES.is_dir():
                indexes = Indexes(folder, json.loads((CASES / SETS[set_name][1]).read_text(encoding="utf-8")))
                shares = answer(set_name, indexes, pooled=setting == "pooled", every=every).shares()
                result |= {f"{set_name} {setting} {key}": share for key, share in shares.items()}
        return result | {f"resolve {name} ms": spent for name, spent in speed(folder).items()}


def print_sets(folder: Path, every: int) -> None:
    """One line a set and setting."""
    print(f"{'set':<15}{'setting':<9}{'tables@5':>9}{'@10':>7}{'@20':>7}{'MRR':>7}{'ms':>7}")
    for name, (_, schemas, _) in SETS.items():
        indexes = Indexes(folder, json.loads((CASES / schemas).read_text(encoding="utf-8")))
        for setting in ("per db", "pooled"):
            indexes.get(None)
            started = time.perf_counter()
            tally = answer(name, indexes, pooled=setting == "pooled", every=every)
            spent = 1000 * (time.perf_counter() - started) / tally.questions
            found = tally.shares()
            cells = "".join(f"{found[key]:>{width}.1f}" if key in found else " " * width for key, width in COLUMNS)
            print(f"{name:<15}{setting:<9}{cells}{spent:>7.1f}")


def print_rungs(folder: Path, every: int) -> None:
    """What each part is worth: Spider pooled, SNAILS per database, SLSQL phrases."""
    print(f"\n{'rung':<32}{'Spider pooled':>22}{'SNAILS':>16}{'SLSQL':>9}")
    print(f"{'':<32}{'tables@5':>9}{'@10':>7}{'MRR':>6}{'tables@5':>9}{'@10':>7}{'MRR':>9}")
    load = {name: json.loads((CASES / SETS[name][1]).read_text(encoding="utf-8")) for name in ("Spider", "SNAILS")}
    for rung, switch in RUNGS.items():
        indexes = {name: Indexes(folder, schemas) for name, schemas in load.items()}  # nothing kept between rungs
        with switch():
            spider = answer("Spider", indexes["Spider"], pooled=True, every=every).shares()
            snails = answer("SNAILS", indexes["SNAILS"], pooled=False).shares()
            slsql = answer("SLSQL columns", indexes["Spider"], pooled=False).shares()
        print(
            f"{rung:<32}{spider['tables@5']:>9.1f}{spider['@10']:>7.1f}{spider['MRR']:>6.1f}"
            f"{snails['tables@5']:>9.1f}{snails['@10']:>7.1f}{slsql['MRR']:>9.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--every", type=int, default=4, help="only each n-th question of Spider and SLSQL (default 4)")
    parser.add_argument("--rungs", action="store_true", help="also switch each part off in turn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if CASES.is_dir():
            print_sets(folder, args.every)
            if args.rungs:
                print_rungs(folder, args.every)
        else:
            print(f"the linking sets are not here ({CASES}): only the speed is measured")
        print(
            "\nresolve on 500 tables / 10,000 columns: "
            + ", ".join(f"{k} {v:.1f} ms" for k, v in speed(folder).items())
        )


if __name__ == "__main__":
    main()
