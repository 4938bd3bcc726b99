"""Columns, and the parts of rows, structs and documents.

In: a column reference, or an expression that takes a value apart or puts one together. Out: its ``Value``. Never: a
part dropped without proof: only a key or field that is certainly not the sensitive one is.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dbgraph_nb.redact import dialects, paths
from dbgraph_nb.redact.expression_core import children, gives_taint, gives_value, row_making, taint_of, value_of
from dbgraph_nb.redact.scope import Env, Parts, Walk, resolve, star_seats, whole
from dbgraph_nb.redact.values import Taint, Value, extract, flat, mixed, refusal, under, union


@gives_value(exp.Column)
def column(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``a``, ``t.a``, ``s.t.a``, ``t.*``."""
    this = node.this
    if isinstance(this, exp.Star):
        return _row_star(node, env, walk)
    parts = [node.args.get(key) for key in ("catalog", "db", "table", "this")]
    names = tuple(part.name.lower() for part in parts if part is not None)
    quoted = isinstance(this, exp.Literal) or bool(this.args.get("quoted"))
    # Where no relation is in scope, SQLite can only read a quoted name as a text.
    text = quoted and walk.dialect == "sqlite" and not any(frame.seats for frame, _ in env.frames)
    return resolve(env, names, walk, loose=text, quoted=quoted)


def _row_star(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``t.*`` inside an expression: the whole row."""
    parts, seats = star_seats(node, env)
    if not seats:
        raise refusal(f"{'.'.join(parts)}.* names nothing that is known")
    return Value(union(whole(seat.relation, walk).taint for seat in seats), direct=True, row=True)


@gives_value(exp.Star)
def star(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``*`` inside an expression: every column of what it covers."""
    shape = env.frame.shape
    if any(output.star == "names" for output in shape):
        raise refusal("a * inside an expression covers a table whose columns are not in the index")
    found = [flat(output.value.taint) for output in shape]
    found += [taint_of(part, env, walk) for key in ("replace", "rename") for part in node.args.get(key) or ()]
    return Value(union(found), row=True)


@gives_value(exp.PositionalColumn)
def positional(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """DuckDB's ``#2``: the second column of FROM."""
    shape = env.frame.shape
    position = int(node.name) if node.name.isdecimal() else 0
    if any(output.star for output in shape) or not 1 <= position <= len(shape):
        raise refusal(f"the column #{node.name} cannot be told from its position")
    return shape[position - 1].value


@gives_value(exp.Columns)
def columns(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """DuckDB's ``COLUMNS(…)``: the column that it stands for just now, or any column."""
    if env.frame.current is not None:
        return env.frame.current
    if any(output.star == "names" for output in env.frame.shape):
        raise refusal("COLUMNS(…) covers a table whose columns are not in the index")
    inner = node.this
    replaced = inner.args.get("replace") or () if isinstance(inner, exp.Star) else ()
    found = [output.value.taint for output in env.frame.shape]
    return Value(flat(union([*found, *(taint_of(part, env, walk) for part in replaced)])), row=True)


@gives_value(exp.Dot)
def dot(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``(row).field``, ``column.method(…)``, ``table.column.method(…)``."""
    links = paths.dotted(node)
    first = links[0]
    if isinstance(first, exp.Identifier):
        names = paths.leading_names(links)
        links = links[len(names) :]
        # The variable of a lambda has no column: its list is an argument too. Before a function may stand its schema.
        schema = len(names) == 1 and bool(links) and isinstance(links[0], exp.Func)
        value = Value() if names[0] in env.names else resolve(env, names, walk, loose=schema)
    else:
        value = value_of(first, env, walk)
        links = links[1:]
    for link in links:
        if isinstance(link, (exp.Identifier, exp.Column)):
            value = _part(value, (link.name.lower(),), walk, base=first)
        elif isinstance(link, exp.Star):
            value = Value(value.taint, row=True)
        else:  # a method: what it makes of the value may be anything
            value = Value(mixed(value.taint | taint_of(link, env, walk)))
    return value


def _part(value: Value, keys: Parts | None, walk: Walk, base: exp.Expr | None = None) -> Value:
    """The part of ``value`` under ``keys``; None: it may be any part."""
    if keys is None:
        return Value(flat(value.taint))
    taint = value.taint
    for key in keys:
        taint = extract(taint, key)
    if keys and not isinstance(base, exp.Literal):
        # Nothing is known of the keys of a document: as for an unknown table, their names decide.
        taint |= frozenset(walk.known.named((), keys[-1]))
    return Value(taint)


@gives_value(exp.JSONValue, *paths.JSON_PARTS)
def json_part(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``doc -> 'key'``, ``json_extract(doc, path)``; several paths give several parts."""
    argument = node.args.get("path") if isinstance(node, exp.JSONValue) else node.expression
    whole_value = value_of(node.this, env, walk)
    asked = [argument, *node.expressions]
    parts = [_part(whole_value, paths.of_expression(path), walk, base=node.this).taint for path in asked]
    rest = [part for part in children(node) if part is not node.this]
    found = union([*parts, *(taint_of(part, env, walk) for part in rest)])
    if not isinstance(node.this, exp.Literal):
        found |= named_keys(rest, walk)
    return Value(flat(found) if len(asked) > 1 else found)


def named_keys(nodes: Iterable[exp.Expr], walk: Walk) -> Taint:
    """What the names of the keys say that paths in ``nodes`` may follow."""
    keys = {key for node in nodes for key in paths.words(node)}
    return frozenset(source for key in sorted(keys) for source in walk.known.named((), key))


def tested_keys(node: exp.Expr, walk: Walk) -> Taint:
    """As ``named_keys`` for an expression that tests what a document holds under keys."""
    return frozenset(source for key in sorted(paths.tested(node)) for source in walk.known.named((), key))


@gives_taint(exp.JSONBPathExists, exp.MatchAgainst, exp.ArrayContainsAll, exp.ArrayContainedBy)
def document_test(node: exp.Expr, env: Env, walk: Walk) -> Taint:
    """``doc @? '$.key ? (…)'``, ``doc @@ …``, ``doc @> '{"key": …}'``: an answer about the value under the key."""
    return union(taint_of(part, env, walk) for part in children(node)) | tested_keys(node, walk)


@gives_value(exp.Bracket)
def bracket(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``value['key']``, ``list[1]``; a number in a row is a field."""
    value = value_of(node.this, env, walk)
    for index in node.expressions:
        number = isinstance(index, exp.Literal) and not index.is_string
        keys = None if number and value.row else paths.of_expression(index)
        value = _part(value, keys, walk, base=node.this)
        value = Value(value.taint | flat(taint_of(index, env, walk)))
    return value


@gives_value(exp.Struct)
def struct(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """``{'key': value}``."""
    found = []
    for field in node.expressions:
        if isinstance(field, (exp.PropertyEQ, exp.EQ)):
            if not isinstance(field.this, (exp.Identifier, exp.Literal)):  # the key of a map is a value
                found.append(flat(taint_of(field.this, env, walk)))
            found.append(under(field.this.name.lower(), value_of(field.expression, env, walk).taint))
        elif isinstance(field, exp.Alias):
            found.append(under(field.alias.lower(), value_of(field.this, env, walk).taint))
        else:
            found.append(flat(taint_of(field, env, walk)))
    return Value(union(found), row=True)


@gives_value(exp.Anonymous, exp.AnonymousAggFunc)
def function(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """A function that sqlglot has no class for, by its name."""
    name = node.name.lower()
    if name in dialects.HIDDEN_READS:
        raise refusal(f"the function {name} reads what its arguments do not show")
    if walk.inside_views and not dialects.is_built_in(name, walk.dialect):
        # What a statement calls itself the gate has seen; what a view calls runs without being asked.
        raise refusal(f"it calls {name}, which is no function of the engine, so what that reads is not known")
    # written by its own name, AnonymousAggFunc holds its first argument where others hold the name
    first = [node.this] if isinstance(node.this, exp.Expr) else []
    arguments = [*first, *node.expressions]
    keys = [paths.of_expression(argument) for argument in arguments[1:]]
    takes_part = name in dialects.PART_FUNCTIONS and bool(arguments)
    if name in dialects.MAKES_ROWS and not (takes_part and None not in keys):
        row_making(node, env, walk)
    if name in dialects.DOCUMENT_FUNCTIONS and len(arguments) == 1:
        value = value_of(arguments[0], env, walk)
        return Value(value.taint, row=value.row)
    if takes_part:
        value = value_of(arguments[0], env, walk)
        for argument, key in zip(arguments[1:], keys, strict=True):
            value = _part(value, key, walk, base=arguments[0])
            value = Value(value.taint | flat(taint_of(argument, env, walk)))
        return Value(value.taint | named_keys(arguments[1:], walk))
    found = union(mixed(taint_of(argument, env, walk)) for argument in arguments)
    if name in dialects.TESTS_KEYS:
        return Value(found | tested_keys(node, walk))
    return Value(found | named_keys(arguments[1:], walk) if name in dialects.READS_KEYS else found)


@gives_value(exp.Subquery)
def scalar(node: exp.Expr, env: Env, walk: Walk) -> Value:
    """A subquery as a value: its one column, which may be NULL for want of rows."""
    relation = walk.query(node, env)
    if len(relation.outputs) == 1 and not relation.outputs[0].star:
        value = relation.outputs[0].value
        return Value(value.taint | relation.rows, row=value.row, strict=value.shows_null and not relation.rows)
    return Value(relation.value_taint())
