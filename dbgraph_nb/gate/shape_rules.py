"""The rules about forms that are proven by their shape: SHOW and PRAGMA.

In: a ``Statement``. Out: a ``Refusal`` or None. Never: a PRAGMA that is not in a list of reading ones.
"""

from __future__ import annotations

import re
from typing import Final

from dbgraph_nb.gate.refusal import Refusal
from dbgraph_nb.gate.scan import Tok
from dbgraph_nb.gate.statement import Statement
from dbgraph_nb.gate.words import words

# PRAGMA name, without an argument: SQLite only reports. With one, these still only report.
_SQLITE_PLAIN: Final = words("""
    application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill cell_size_check
    checkpoint_fullfsync collation_list compile_options data_version database_list defer_foreign_keys encoding
    foreign_key_check foreign_keys freelist_count fullfsync function_list hard_heap_limit ignore_check_constraints
    integrity_check journal_mode journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size
    module_list page_count page_size pragma_list query_only quick_check read_uncommitted recursive_triggers
    reverse_unordered_selects schema_version secure_delete soft_heap_limit synchronous table_list temp_store threads
    trusted_schema user_version wal_autocheckpoint writable_schema
    """)
_SQLITE_WITH_ARGUMENT: Final = words("""
    foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info
    table_list table_xinfo
    """)
_DUCKDB_PLAIN: Final = words("""
    collations database_list database_size extension_versions functions platform show_databases show_tables
    show_tables_expanded user_agent version
    """)
_DUCKDB_WITH_ARGUMENT: Final = frozenset({"table_info"})
_PLAIN_NAME: Final = re.compile(r"[\w $-]+")


def pragma_reads(statement: Statement) -> Refusal | None:
    """A PRAGMA is one that only reports, with an argument only where that names a table or an index."""
    if statement.form.name != "pragma":
        return None
    tokens = statement.tokens
    index = 3 if statement.key(2) == "." else 1
    argument = index + 1 < len(tokens)
    sqlite = statement.dialect == "sqlite"
    plain, taking = (_SQLITE_PLAIN, _SQLITE_WITH_ARGUMENT) if sqlite else (_DUCKDB_PLAIN, _DUCKDB_WITH_ARGUMENT)
    token = tokens[index]
    if token.kind == "word" and token.key in (taking if argument else plain):
        return None if sqlite or not argument else _names_file(tokens[index + 2])
    if token.key in plain:
        message = f"PRAGMA {token.text} with an argument changes the setting."
        return Refusal("pragma", message, token.start, token.end, f"PRAGMA {token.text} alone reads it.")
    message = f"PRAGMA {token.text} is not in the list of those that only read."
    return Refusal("pragma", message, token.start, token.end, "Read the catalogue with SELECT.")


def show_reads(statement: Statement) -> Refusal | None:
    """The condition of a SHOW … WHERE holds no query."""
    start = statement.form.condition
    if start is None:
        return None
    for token in statement.tokens[start:]:
        if token.key in ("select", "table", "values", "with"):
            return Refusal("show", "The condition of SHOW may not hold a query.", token.start, token.end)
    return None


def _names_file(token: Tok) -> Refusal | None:
    """DuckDB resolves the name as it does in FROM."""
    if _PLAIN_NAME.fullmatch(token.text.strip("'\"")):
        return None
    message = "A file, a URL or a text cannot stand for a table."
    return Refusal("file-relation", message, token.start, token.end, "Name a mounted table.")
