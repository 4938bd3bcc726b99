"""The rules that need no parser: what the tokens alone forbid.

In: a ``Statement`` without a tree. Out: a ``Refusal`` or None. Never: a question to the parser; these rules hold when
it errs.
"""

from __future__ import annotations

from typing import Final

from dbgraph_nb.gate.forms import WRITING_FORMS
from dbgraph_nb.gate.refusal import Refusal, at_token
from dbgraph_nb.gate.scan import MAX_DEPTH
from dbgraph_nb.gate.statement import Statement
from dbgraph_nb.gate.words import STRUCTURE, words


def no_into(statement: Statement) -> Refusal | None:
    """INTO writes a file, a table or a variable, wherever it stands; DuckDB's UNPIVOT … INTO NAME … VALUE does not."""
    for index, token in enumerate(statement.tokens):
        if token.key != "into" or statement.key(index - 1) in (".", "as"):
            continue
        if statement.dialect == "duckdb" and statement.key(index + 1) == "name":
            continue
        if statement.policy.writes and statement.key(index - 1) in ("insert", "merge", "ignore", "replace"):
            continue
        hint = "Remove INTO; the rows are returned to the notebook."
        return at_token("select-into", "INTO writes the rows to a table, a file or a variable.", token, hint)
    return None


_CHAIN_COST: Final = 100_000  # about half a second


def no_long_chain(statement: Statement) -> Refusal | None:
    """``a.f().g()[1]`` may not go on and on: at each step the parser may copy all that is in front of it."""
    cost = 0
    starts = [0]  # where the value in front of the next dot begins, for each open bracket
    for index, token in enumerate(statement.tokens):
        before = statement.tokens[index - 1] if index else token
        subscript = token.text == "[" and (before.kind in ("word", "quoted") or before.text in (")", "]"))
        if token.text == "." or subscript:
            cost += index - starts[-1]
            if cost > _CHAIN_COST:
                message = "This chain of calls or subscripts is longer than can be checked."
                return at_token("too-deep", message, token, "Name the inner parts with WITH.")
        elif before.text != "." and token.text not in ("(", "[", "{", ")", "]", "}"):
            starts[-1] = index
        if token.text in ("(", "[", "{"):
            starts.append(index + 1)
        elif token.text in (")", "]", "}"):
            starts.pop()
    return None


def no_deep_case(statement: Statement) -> Refusal | None:
    """CASE inside CASE goes as deep as brackets may: the parser needs a call for each."""
    depth = 0
    for index, token in enumerate(statement.tokens):
        if token.kind != "word" or statement.key(index - 1) in (".", "as"):  # then it is a name
            continue
        if token.key == "case":
            depth += 1
            if depth > MAX_DEPTH:
                message = f"The statement is nested deeper than {MAX_DEPTH} CASE."
                return at_token("too-deep", message, token, "Name the inner parts with WITH.")
        elif token.key == "end":
            depth = max(0, depth - 1)
    return None


_LONGEST_NAME: Final = 63  # bytes: https://www.postgresql.org/docs/current/limits.html


def no_cut_name(statement: Statement) -> Refusal | None:
    """PostgreSQL cuts a longer name without a word, so two names may become one."""
    if statement.dialect != "postgres":
        return None
    for token in statement.tokens:
        if token.kind in ("word", "quoted") and len(token.text.encode("utf-8", "surrogatepass")) > _LONGEST_NAME + 2:
            message = f"PostgreSQL cuts a name after {_LONGEST_NAME} bytes, so what it means is not clear."
            return at_token("ambiguous-text", message, token, "Use a shorter name.")
        if token.kind == "word" and len(token.text.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
            message = f"PostgreSQL cuts a name after {_LONGEST_NAME} bytes, so what it means is not clear."
            return at_token("ambiguous-text", message, token, "Use a shorter name.")
    return None


_STRENGTHS: Final = ("update", "share", "no key update", "key share")
_FOR_ARGUMENT: Final = frozenset({"substring", "overlay", "substr", "collation"})


def no_row_lock(statement: Statement) -> Refusal | None:
    """FOR UPDATE, FOR SHARE and LOCK IN SHARE MODE lock rows, also in a subquery."""
    for index, token in enumerate(statement.tokens):
        if token.key == "for":
            following = " ".join(statement.key(index + step) for step in (1, 2, 3))
            locks = following.startswith(_STRENGTHS) and not _is_argument(statement, index)
        else:
            locks = token.key == "lock" and statement.key(index + 1) == "in" and statement.key(index + 2) == "share"
        if locks:
            return at_token("row-lock", "This locks the rows that it reads.", token, "Remove the locking clause.")
    return None


def _is_argument(statement: Statement, index: int) -> bool:
    """``substring(x FOR update)`` and ``[x FOR share IN …]`` have a name behind FOR."""
    bracket = statement.scan.opening.get(index)
    if bracket is None:
        return False
    return statement.tokens[bracket].text == "[" or statement.key(bracket - 1) in _FOR_ARGUMENT


_VERBS: Final = words("""
    alter analyze attach begin call checkpoint cluster commit copy create deallocate declare delete detach discard do
    drop execute export flush grant handler import insert install kill listen load lock merge notify pragma prepare
    reindex rename replace reset revoke rollback savepoint set truncate unlisten update use vacuum
    """)


# Behind a column that has the name of a verb; behind the verb itself a name or a word of its own would stand.
_GOES_ON: Final = STRUCTURE - words("all any from into") | words("asc collate desc ilike over respect separator")


def no_inner_statement(statement: Statement) -> Refusal | None:
    """No other statement begins inside the query: after an opening bracket, or behind the WITH list.

    The tree is asked for the same; this rule does not depend on it."""
    if statement.form.name in WRITING_FORMS:
        return None
    for index, token in enumerate(statement.tokens[:-1]):
        if token.key not in _VERBS or statement.key(index - 1) not in ("(", ")"):
            continue
        after = statement.tokens[index + 1]
        copies = token.key == "copy" and after.text == "(" and statement.key(index - 1) == "("
        if not copies and after.kind == "op":
            continue
        if after.key in _GOES_ON:
            continue
        behind = statement.key(index - 1) == ")"
        if behind and (statement.policy.writes or token.key in ("replace", "set", "rename")):
            continue  # SELECT * EXCLUDE (a) REPLACE …; the root of the tree decides
        if behind and after.key in ("from", "all", "any"):
            continue  # an alias: (…) copy FROM t
        message = f"{token.text.upper()} begins another statement inside this one."
        return at_token("data-change", message, token, "Select the rows instead; nothing was executed.")
    return None


_TAKES_FROM: Final = words("extract overlay position substring substr trim")


def no_text_relation(statement: Statement) -> Refusal | None:
    """DuckDB: a text or a parameter behind FROM, JOIN or TABLE is a file.

    The tree is asked for the same; this rule does not depend on it."""
    if statement.dialect != "duckdb":
        return None
    for index, token in enumerate(statement.tokens):
        if token.kind not in ("string", "param") or statement.key(index - 1) not in ("from", "join", "table"):
            continue
        bracket = statement.scan.opening.get(index, 0)
        distinct = statement.key(index - 2) == "distinct" and statement.key(index - 3) in ("is", "not")
        if not distinct and statement.key(bracket - 1) not in _TAKES_FROM:
            message = "A file, a URL or a text cannot stand for a table."
            return at_token("file-relation", message, token, "Mount the file and read it by its mounted name.")
    return None


# What an argument of these names is a table or an index; to the other PRAGMA functions it would be a new value.
_PRAGMA_ASKS: Final = frozenset(
    (
        "pragma_table_info",
        "pragma_table_xinfo",
        "pragma_table_list",
        "pragma_index_list",
        "pragma_index_info",
        "pragma_index_xinfo",
        "pragma_foreign_key_list",
        "pragma_foreign_key_check",
        "pragma_integrity_check",
        "pragma_quick_check",
    )
)


def no_pragma_value(statement: Statement) -> Refusal | None:
    """SQLite: ``pragma_user_version(9)`` is the form that sets."""
    if statement.dialect != "sqlite":
        return None
    for index, token in enumerate(statement.tokens):
        name = token.text.strip('"`[]').lower()
        sets = statement.key(index + 1) == "(" and statement.key(index + 2) != ")"
        if name.startswith("pragma_") and sets and name not in _PRAGMA_ASKS:
            message = f"An argument of {name} would be a new value of the setting."
            return at_token("pragma", message, token, f"Read it with {name}, without brackets.")
    return None


def own_operators(statement: Statement) -> Refusal | None:
    """PostgreSQL: OPERATOR(schema.sign) of another schema than pg_catalog runs a user's function."""
    if statement.dialect != "postgres":
        return None
    for index, token in enumerate(statement.tokens):
        if token.key == "operator" and statement.key(index + 1) == "(":
            inner = statement.tokens[index + 2]
            if inner.kind in ("word", "quoted") and inner.key != "pg_catalog":
                message = "An operator of the database runs a function, and what it does is not known."
                return at_token("unknown-function", message, inner, "Use the plain operator.")
    return None


def no_variable(statement: Statement) -> Refusal | None:
    """A user variable of MySQL or MariaDB may be read, not set."""
    if statement.dialect not in ("mysql", "mariadb"):
        return None
    token = next((token for token in statement.tokens if token.text == ":="), None)
    if token:
        return at_token("session-variable", "This sets a variable of the session.", token, "Use a WITH query instead.")
    return None


def no_sequence(statement: Statement) -> Refusal | None:
    """NEXT VALUE FOR, a sequence's pseudo-columns, and DEFAULT(column), which may be either, advance a sequence."""
    for index, token in enumerate(statement.tokens):
        value_for = statement.key(index + 1) == "value" and statement.key(index + 2) == "for"
        advances = token.key in ("next", "previous") and value_for
        oracle = statement.dialect == "mariadb" and token.key == "nextval" and statement.key(index - 1) == "."
        default = statement.dialect == "mariadb" and token.key == "default" and statement.key(index + 1) == "("
        if advances or oracle or default:
            return at_token("sequence", "This advances a sequence.", token, "Read the sequence as a table instead.")
    return None


_HINTS_THAT_SET: Final = ("set_var", "resource_group", "set(", "set (")


def no_setting_hint(statement: Statement) -> Refusal | None:
    """Optimizer hints are fine, but for those that change settings or quote a name, where the comment may end late."""
    if statement.dialect == "duckdb" or statement.dialect == "sqlite":
        return None
    for start, end in statement.scan.comments:
        text = statement.scan.sql[start:end].lower()
        if not text.startswith("/*+"):
            continue
        quoted = statement.dialect != "postgres" and any(quote in text for quote in "'\"`")
        if quoted or any(word in text for word in _HINTS_THAT_SET):
            message = "This hint changes a setting, or quotes a name."
            return Refusal("hint", message, start, start + 3, "Remove the hint.")
    return None
