"""Random statements by grammar over a small database with secrets, seeded; SQLite's and DuckDB's SQL.

In: a seed. Out: SQL that reads the tables of ``DDL`` in nested and renamed ways. Many are rejected by the engine (an
ambiguous name, a type); the caller skips those.
"""

import random
from dataclasses import dataclass, field

DDL = [
    "CREATE TABLE users (id TEXT, name TEXT, password TEXT, created_at TEXT)",
    "INSERT INTO users VALUES ('1','zhang','S3CR3T-a','2026-01-01'),('2','li','S3CR3T-b','2026-01-02')",
    "INSERT INTO users VALUES ('3','wu',NULL,'2026-01-03')",
    "CREATE TABLE creds (user_id TEXT, access_token TEXT, note TEXT)",
    "INSERT INTO creds VALUES ('1','S3CR3T-t','x'),('2','S3CR3T-u','y')",
    "CREATE TABLE orders (id TEXT, user_id TEXT, amount TEXT, name TEXT)",
    "INSERT INTO orders VALUES ('7','1','10','pen'),('8','1','20','ink'),('9','2','30','zhang')",
    "CREATE VIEW v_users AS SELECT id, name, password AS p FROM users",
    "CREATE VIEW v_two AS SELECT p AS name, name AS q FROM v_users",
    "CREATE VIEW v_clean(x, y) AS SELECT id, name FROM users WHERE id < '3'",
]
SENSITIVE = [["users", "password"], ["creds", "access_token"]]
TABLES = {
    "users": ["id", "name", "password", "created_at"],
    "creds": ["user_id", "access_token", "note"],
    "orders": ["id", "user_id", "amount", "name"],
    "v_users": ["id", "name", "p"],
    "v_two": ["name", "q"],
    "v_clean": ["x", "y"],
}
COLD = {"id", "user_id", "created_at", "amount", "x", "y", "n", "note"}
NAMES = ["a", "b", "c", "password", "name", "id", "p", "x", "note", "user_id", '"name:1"', '"name_1"', "q", "rowid"]

Scope = list[tuple[str, list[str]]]


@dataclass
class Maker:
    """Makes one statement. ``scopes`` are the enclosing FROMs, the innermost last; ``ctes`` the WITH names."""

    rng: random.Random
    dialect: str
    scopes: list[Scope] = field(default_factory=list)
    ctes: dict[str, list[str]] = field(default_factory=dict)
    counter: int = 0

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def fresh(self) -> str:
        self.counter += 1
        return f"t{self.counter}"

    def statement(self) -> str:
        sql, _ = self.query(3)
        if self.dialect == "duckdb" and self.chance(0.06):
            return f"SUMMARIZE {sql}"
        return sql

    def query(self, depth: int, width: int | None = None) -> tuple[str, list[str]]:
        outer = dict(self.ctes)
        head = self.with_clause(depth) if depth > 0 and self.chance(0.3) else ""
        if depth > 0 and self.chance(0.2):
            body, names = self.set_operation(depth, width)
        elif self.chance(0.04):
            body, names = self.values(width or self.rng.randint(1, 3))
        else:
            body, names = self.select(depth, width)
        self.ctes = outer
        return head + body, names

    def with_clause(self, depth: int) -> str:
        parts: list[str] = []
        recursive = False
        for _ in range(self.rng.randint(1, 2)):
            name = self.rng.choice(["w", "w2", "users", "creds", "plain", "x"])
            if any(part.startswith((f"{name} ", f"{name}(")) for part in parts):
                continue
            columns: list[str]
            if self.chance(0.15):
                recursive = True
                sql, columns = self.recursive(name)
            else:
                sql, columns = self.query(depth - 1)
            if self.chance(0.4):
                columns = [f"c{i}" if self.chance(0.5) else self.rng.choice(NAMES[:8]) for i in range(len(columns))]
                parts.append(f"{name}({', '.join(columns)}) AS ({sql})")
            else:
                parts.append(f"{name} AS ({sql})")
            self.ctes[name] = columns
        if not parts:
            return ""
        return f"WITH {'RECURSIVE ' if recursive or self.chance(0.1) else ''}{', '.join(parts)} "

    def recursive(self, name: str) -> tuple[str, list[str]]:
        """Columns that move one place per round."""
        table, columns = self.rng.choice([("users", ["id", "name", "password"]), ("orders", ["id", "name", "amount"])])
        anchor = ", ".join(f"CAST({c} AS TEXT) AS k{i}" for i, c in enumerate(columns))
        step = "k1, k2, k0" if self.chance(0.5) else "k2, k0, k1 || 'r'"
        sql = f"SELECT 1 AS n, {anchor} FROM {table} UNION ALL SELECT n + 1, {step} FROM {name} WHERE n < 3"
        return sql, ["n", "k0", "k1", "k2"]

    def set_operation(self, depth: int, width: int | None) -> tuple[str, list[str]]:
        left, names = self.select(depth - 1, width)
        right, _ = self.select(depth - 1, len(names))
        word = self.rng.choice(["UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
        return f"{left} {word} {right}", names

    def values(self, width: int) -> tuple[str, list[str]]:
        rows = ", ".join("(" + ", ".join(self.literal() for _ in range(width)) + ")" for _ in range(2))
        return f"VALUES {rows}", [f"column{i + 1}" if self.dialect == "sqlite" else f"col{i}" for i in range(width)]

    def literal(self) -> str:
        return self.rng.choice(["'1'", "'2'", "'x'", "'zhang'", "NULL", "'password'"])

    def select(self, depth: int, width: int | None) -> tuple[str, list[str]]:
        scope, from_sql = self.from_clause(depth)
        self.scopes.append(scope)
        items: list[str] = []
        names: list[str] = []
        grouped = width is None and self.chance(0.12)
        while len(names) < (width or self.rng.randint(1, 4)):
            sql, more = self.item(depth, scope, star=width is None)
            items.append(sql)
            names += more
        if width is not None:
            items, names = items[:width], names[:width]
        distinct = "DISTINCT " if self.chance(0.08) else ""
        sql = f"SELECT {distinct}{', '.join(items)} FROM {from_sql}"
        if self.chance(0.35):
            sql += f" WHERE {self.condition(depth, scope)}"
        if grouped:
            alias, columns = self.rng.choice(scope)
            key = self.cold([(alias, columns)])
            sql = f"SELECT {key} AS g, count(*) AS n, max({self.column(scope)}) AS m FROM {from_sql} GROUP BY {key}"
            names = ["g", "n", "m"]
        self.scopes.pop()
        return sql, names

    def from_clause(self, depth: int) -> tuple[Scope, str]:
        scope: Scope = []
        sql = ""
        for i in range(1 if self.chance(0.6) else 2):
            item, alias, columns = self.source(depth, scope)
            if i == 0:
                sql = item
            else:
                kind = self.rng.choice(["", "LEFT ", "", "RIGHT ", "FULL "])
                shared = [c for c in columns if any(c in cs for _, cs in scope)]
                if shared and self.chance(0.4):
                    how = f" USING ({self.rng.choice(shared)})" if self.chance(0.7) else None
                    sql += f" {kind}JOIN {item}{how}" if how else f" NATURAL {kind}JOIN {item}"
                elif self.chance(0.4):
                    sql += f", {item}"
                else:
                    left, right = self.cold(scope), self.cold([(alias, columns)])
                    sql += (
                        f" {kind}JOIN {item} ON {self.rng.choice(['1=1', f'{left} = {right}', f'{right} IS NOT NULL'])}"
                    )
            scope.append((alias, columns))
        return scope, sql

    def source(self, depth: int, scope: Scope) -> tuple[str, str, list[str]]:
        alias = self.fresh()
        if self.ctes and self.chance(0.4):
            name = self.rng.choice(list(self.ctes))
            return f"{name} AS {alias}", alias, self.ctes[name]
        if depth > 0 and self.chance(0.4):
            if self.dialect == "duckdb":
                self.scopes.append(scope)  # LATERAL is implied
            sql, columns = self.query(depth - 1)
            if self.dialect == "duckdb":
                self.scopes.pop()
                if self.chance(0.3):
                    columns = [self.rng.choice(NAMES[:8]) for _ in columns]
                    return f"({sql}) AS {alias}({', '.join(columns)})", alias, columns
            return f"({sql}) AS {alias}", alias, columns
        table = self.rng.choice(list(TABLES))
        if self.chance(0.3):
            return table, table, TABLES[table]
        return f"{table} AS {alias}", alias, TABLES[table]

    def column(self, scope: Scope, outer: bool = False) -> str:
        scopes = [s for s in self.scopes if s] if outer else [scope]
        alias, columns = self.rng.choice(self.rng.choice(scopes or [scope]))
        name = self.rng.choice(columns)
        return name if self.chance(0.3) else f"{alias}.{name}"

    def cold(self, scope: Scope) -> str:
        """Mostly a column that is no secret, so that not every predicate is refused."""
        found = [(alias, c) for alias, columns in scope for c in columns if c in COLD]
        if found and self.chance(0.9):
            alias, name = self.rng.choice(found)
            return f"{alias}.{name}"
        return self.column(scope)

    def item(self, depth: int, scope: Scope, star: bool) -> tuple[str, list[str]]:
        if star and self.chance(0.15):
            alias, columns = self.rng.choice(scope)
            if self.chance(0.5):
                return f"{alias}.*", columns
            if self.dialect == "duckdb" and self.chance(0.4):
                return self.duck_star(scope)
            return "*", [c for _, cs in scope for c in cs]
        expression = self.expression(depth, scope)
        if self.chance(0.6):
            name = self.rng.choice(NAMES[:-1])
            return f"{expression} AS {name}", [name]
        simple = expression.rsplit(".", 1)[-1]
        return expression, [simple if simple.isidentifier() else f'"{expression.replace(chr(34), chr(34) * 2)}"']

    def duck_star(self, scope: Scope) -> tuple[str, list[str]]:
        columns = [c for _, cs in scope for c in cs]
        one, two = self.rng.choice(columns), self.rng.choice(columns)
        return self.rng.choice(
            [
                (f"* EXCLUDE ({one})", [c for c in columns if c != one]),
                (f"* REPLACE (CAST({two} AS TEXT) AS {one})", columns),
                (f"COLUMNS('{one[:2]}')", [c for c in columns if one[:2] in c]),
                ("max(COLUMNS(*))", columns),
                (f"COLUMNS(['{two}', '{one}'])", [c for c in columns if c in (one, two)]),
                (f"* RENAME ({one} AS p)", ["p" if c == one else c for c in columns]),
                (f"#{self.rng.randint(1, len(columns))}", ["p"]),
            ]
        )

    def expression(self, depth: int, scope: Scope) -> str:
        one, two = self.column(scope), self.column(scope, outer=self.chance(0.2))
        simple = [
            one, one, one, one, two,
            f"upper({one})", f"{one} || {two}", f"coalesce(NULL, {one})", f"CAST({one} AS TEXT)",
            f"CASE WHEN {one} LIKE 'S%' THEN '1' ELSE '0' END", f"substr({one}, 1, 3)", f"CAST(length({one}) AS TEXT)",
            f"({one})", f"nullif({one}, 'x')", f"CAST({one} IS NULL AS TEXT)", f"CAST({one} = {two} AS TEXT)",
            f"replace({one}, 'a', 'b')", self.literal(),
            f"max({one}) OVER ()", f"CAST(count(*) OVER (PARTITION BY {self.cold(scope)}) AS TEXT)",
        ]  # fmt: skip
        if self.dialect == "sqlite":
            simple += [
                f"lag({one}) OVER (ORDER BY {self.cold(scope)})",
                f"{one} COLLATE NOCASE",
                f"json_array({one})",
                f"hex({one})",
                f"likely({one})",
                f"{scope[0][0]}.rowid",
            ]
        else:
            struct = f"{{'a': {one}, 'b': {two}}}"
            simple += [
                f"[{one}][1]", f"{struct}::TEXT", f"{struct}.b", f"{scope[0][0]}::TEXT",
                f"to_json({scope[0][0]})::TEXT", f"md5({one}::TEXT)",
                f"list_transform([{one}], lambda e: e)[1]", f"{one}.upper()",
            ]  # fmt: skip
        if self.chance(0.08):
            simple = [
                f"count({one})", f"count(DISTINCT {one})", f"max({one})", "count(*)", f"group_concat({one})",
                f"sum(length({one}))", f"count(nullif({one}, 'x'))", f"count(*) FILTER (WHERE {one} IS NOT NULL)",
            ]  # fmt: skip
        if depth > 0 and self.chance(0.15):
            inner, _ = self.query(depth - 1, 1)
            # DuckDB has no fixed order, so LIMIT 1 would give any row.
            first = f"({inner} LIMIT 1)" if self.dialect == "sqlite" else f"(SELECT max(z) FROM ({inner}) AS y(z))"
            return self.rng.choice([first, f"EXISTS ({inner})", f"CAST({one} IN ({inner}) AS TEXT)"])
        return self.rng.choice(simple)

    def condition(self, depth: int, scope: Scope) -> str:
        one, two = self.cold(scope), self.cold(scope)
        if self.chance(0.1):
            one = self.column(scope, outer=True)
        if depth > 0 and self.chance(0.2):
            inner, _ = self.query(depth - 1, 1)
            return self.rng.choice(
                [
                    f"{one} IN ({inner})",
                    f"EXISTS ({inner})",
                    f"{one} = ({inner} LIMIT 1)" if self.dialect == "sqlite" else "1 = 1",
                ]
            )
        return self.rng.choice(
            [
                f"{one} IS NOT NULL",
                f"{one} = {two}",
                f"{one} LIKE 'S%'",
                f"{one} > '1'",
                "1 = 1",
                f"{one} IS NULL OR {two} <> 'x'",
            ]
        )


def statement(seed: int, dialect: str) -> str:
    return Maker(random.Random(seed), dialect).statement()
