"""The rules about functions: only known ones, each in its place.

In: a ``Statement``. Out: a ``Refusal`` or None. Never: a call of a name that is not in the reviewed lists or opted in.
The names are taken from the text itself, so the parser's idea of a function decides nothing here but for column lists
and the place of a table.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from sqlglot import exp

from dbgraph_nb.gate import functions
from dbgraph_nb.gate.refusal import Refusal
from dbgraph_nb.gate.scan import fold
from dbgraph_nb.gate.statement import Call, Statement, calls, name_of
from dbgraph_nb.gate.words import BEFORE_PAREN, BEFORE_PAREN_WRITES, STRUCTURE, WRITING_CALLS

# The schemas in which an engine's own functions are; a function of any other schema is the user's.
_OWN_SCHEMAS: Final = {"postgres": frozenset({"pg_catalog"})}


def known_functions(statement: Statement) -> Refusal | None:
    """Every name before ``(`` is an allowed function, a keyword, or a column list."""
    if statement.form.body is None and statement.form.condition is None:
        return None
    allowed = functions.allowed(statement.dialect) | (functions.allowed_tables(statement.dialect) or frozenset())
    lists: frozenset[int] | None = None
    for call in calls(statement):
        if _opted_in(call, statement) or _is_keyword(call, statement):
            continue
        if call.name in allowed and _own(call, statement):
            if not _sets_state(call, statement):
                continue
        elif lists is None:
            lists = _column_lists(statement)
        if lists and statement.tokens[call.index].start in lists:
            continue
        return _refused_call(call, statement)
    return None


def refused_functions(statement: Statement) -> Refusal | None:
    """A name before ``(`` that is refused by class; for texts that have no tree."""
    kinds = functions.refused(statement.dialect)
    return next((_refused_call(call, statement) for call in calls(statement) if call.name in kinds), None)


def no_field_calls(statement: Statement) -> Refusal | None:
    """PostgreSQL: ``(x).f``, and ``x.f`` of a value in FROM, call the function f as ``f(x)`` does.

    A field of a composite value looks the same, so only names are refused that no reviewed list allows and that are
    functions of the engine, by the list of refused ones or by their beginning."""
    if statement.dialect != "postgres" or statement.form.body is None:
        return None
    kinds, allowed = functions.refused("postgres"), functions.allowed("postgres")
    relations = {relation.token.start for relation in statement.relations if relation.token}
    for index in range(1, len(statement.tokens)):
        token = statement.tokens[index]
        if token.kind not in ("word", "quoted") or statement.key(index - 1) != "." or statement.key(index + 1) == "(":
            continue
        name = fold(name_of(token))
        if name not in kinds and (name in allowed or not name.startswith(_OWN_PREFIXES)):
            continue
        first = _chain_start(statement, index)
        opening = statement.tokens[first]
        if opening.kind in ("word", "quoted"):  # a plain name: a relation or a type in front, or a field at the end
            is_type = statement.key(first - 1) in ("::", "as")
            if opening.start in relations or is_type or statement.key(index + 1) == ".":
                continue
        return _refused_call(Call(name, index, None), statement)
    return None


_OWN_PREFIXES: Final = ("pg_", "lo_")


def _chain_start(statement: Statement, index: int) -> int:
    """Where the dotted names begin that end at ``index``: a name, or what stands in front of the first dot."""
    while index >= 2 and statement.key(index - 1) == "." and statement.tokens[index].kind in ("word", "quoted"):
        index -= 2
    return index


def known_tree_functions(statement: Statement) -> Refusal | None:
    """What the parser takes for an unknown function is allowed by name too, though the word may be a keyword."""
    if statement.tree is None:
        return None
    allowed = functions.allowed(statement.dialect) | (functions.allowed_tables(statement.dialect) or frozenset())
    known = allowed | statement.policy.functions | {name.rpartition(".")[2] for name in statement.policy.functions}
    for node in statement.nodes:
        if not isinstance(node, (exp.Func, exp.UserDefinedFunction)):
            continue
        token = statement.at(node.meta["start"]) if "start" in node.meta else None
        if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
            name = fold(str(node.this))
        elif token is not None and token.kind == "word" and statement.before_paren(token):
            name = token.key
        else:
            continue
        if name not in known and not _structural(name, statement):
            token = token or statement.tokens[0]
            return Refusal("unknown-function", _UNKNOWN.format(name), token.start, token.end, _hint(name, statement))
    return None


def _structural(name: str, statement: Statement) -> bool:
    """MERGE's and INSERT's own words, which the parser makes into function nodes."""
    return name in STRUCTURE or (statement.policy.writes and (name in BEFORE_PAREN_WRITES or name in WRITING_CALLS))


def known_table_functions(statement: Statement) -> Refusal | None:
    """A function that stands for a relation is in the list of table functions, where the dialect has one.

    DuckDB's ``histogram`` is an aggregate in an expression and reads any relation by its name in FROM."""
    tables = functions.allowed_tables(statement.dialect)
    if statement.tree is None or tables is None:
        return None
    places = {id(node) for node in _table_places(statement)}
    for node in statement.nodes:
        if not isinstance(node, exp.Func) or id(node) not in places:
            continue
        token = statement.at(node.meta["start"]) if "start" in node.meta else None
        written = fold(token.text.strip('"`[]')) if token else ""
        name = fold(str(node.name)) if isinstance(node, exp.Anonymous) else written
        names = {name} if name else {fold(part) for part in node.sql_names()}
        if names & (tables | statement.policy.functions):
            continue
        token = token or statement.tokens[0]
        message = f"{(name or 'This').upper()} may not stand for a table."
        return Refusal("table-function", message, token.start, token.end, "Read a table or a mounted name.")
    for call in calls(statement):
        following = statement.tokens[call.index + 2 : call.index + 3]
        if statement.dialect == "duckdb" and call.name == "histogram" and following and following[0].kind == "string":
            token = statement.tokens[call.index]
            message = "HISTOGRAM of a name given as text reads that relation or file."
            return Refusal("table-function", message, token.start, token.end, "Use histogram(column) in SELECT.")
    return None


def _table_places(statement: Statement) -> list[exp.Expr]:
    """The function nodes that stand where a relation may stand."""
    found: list[exp.Expr] = []
    for node in statement.nodes:
        if isinstance(node, (exp.Table, exp.From, exp.Join, exp.Lateral)):
            found.append(node.this)
        elif isinstance(node, exp.In) and statement.dialect == "sqlite" and node.args.get("field"):
            found.append(node.args["field"])
        elif isinstance(node, (exp.Describe, exp.Summarize, exp.Pivot)):
            found.append(node.this)
    return [node for node in found if isinstance(node, exp.Func) and not isinstance(node, exp.Unnest)]


def _opted_in(call: Call, statement: Statement) -> bool:
    if statement.policy.writes and call.name in WRITING_CALLS and call.qualifier is None:
        return True
    if call.name in functions.refused(statement.dialect):
        return False
    name = call.name if call.qualifier is None else f"{call.qualifier}.{call.name}"
    return name in statement.policy.functions


def _is_keyword(call: Call, statement: Statement) -> bool:
    if statement.tokens[call.index].kind == "quoted" or call.qualifier is not None:
        return False
    if call.name in BEFORE_PAREN[statement.dialect]:
        return True
    return statement.policy.writes and call.name in BEFORE_PAREN_WRITES


def _own(call: Call, statement: Statement) -> bool:
    """Whether the qualifier, if any, leaves it the engine's own function. DuckDB: x.lower() is lower(x)."""
    if call.qualifier is None or statement.dialect == "duckdb":
        return True
    return call.qualifier in _OWN_SCHEMAS.get(statement.dialect, frozenset())


def _sets_state(call: Call, statement: Statement) -> bool:
    """LAST_INSERT_ID(5) sets what LAST_INSERT_ID() returns."""
    if statement.dialect not in ("mysql", "mariadb") or call.name != "last_insert_id":
        return False
    return statement.tokens[call.index + 2].text != ")"


def _column_lists(statement: Statement) -> frozenset[int]:
    """Where names stand that the parser knows as an alias, a CTE or a table with a list of columns behind it."""
    found: set[int] = set()
    if statement.tree is None:
        return frozenset()
    for node in statement.nodes:
        if isinstance(node, exp.TableAlias) or (isinstance(node, exp.Table) and statement.policy.writes):
            name = node.this
            if isinstance(name, exp.Identifier) and "start" in name.meta:
                found.add(name.meta["start"])
    return frozenset(start for start in found if _plain_list(start, statement))


def _plain_list(start: int, statement: Statement) -> bool:
    """``name (a, b int, "c")``: nothing that could be evaluated, and no sign before the name that wants an operand."""
    index = statement.index_at(start)
    if index is None:
        return False
    before = statement.tokens[index - 1] if index else None
    if before is None or (before.kind == "op" and before.text not in (")", ",", ".")):
        return False
    closing = statement.scan.closing.get(index + 1)
    if closing is None:
        return False
    inside = statement.tokens[index + 2 : closing]
    if statement.policy.writes:
        return True
    return all(
        part.kind in ("word", "quoted") or part.text in (",", "[", "]", "(", ")") or part.kind == "number"
        for part in inside
    )


_UNKNOWN: Final = "The function {} is not in the list of functions that only read."


def _refused_call(call: Call, statement: Statement) -> Refusal:
    token = statement.tokens[call.index]
    kind = functions.refused(statement.dialect).get(call.name)
    if kind:
        message = f"The function {call.name} {functions.CLASSES[kind]}."
        return Refusal("function", message, token.start, token.end, "Read a table or a mounted name instead.")
    if call.name == "last_insert_id":
        message = "LAST_INSERT_ID with an argument changes the session."
        return Refusal("function", message, token.start, token.end, "Call it without an argument.")
    if call.qualifier:
        message = f"{call.qualifier}.{call.name} is a function of the database, and what it does is not known."
        return Refusal("unknown-function", message, token.start, token.end, _hint(call.name, statement))
    return Refusal("unknown-function", _UNKNOWN.format(call.name), token.start, token.end, _hint(call.name, statement))


def _hint(name: str, statement: Statement) -> str:
    close = get_close_matches(name, functions.allowed(statement.dialect), 1, 0.8)
    meant = f"Did you mean {close[0]}? " if close and close[0] != name else ""
    return f"{meant}If it only reads, opt it in by name."
