"""What a SQLite connection may do at all: read. The lock that holds even if a statement passed the gate by mistake.

In: a fresh connection to a file opened ``mode=ro``. Out: the same, locked. Never: an action, function or pragma that is
not on a list here.
"""

from __future__ import annotations

import contextlib
import sqlite3


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_SCHEMA_TABLES = frozenset({"sqlite_master", "sqlite_schema"})

# Left out on purpose: load_extension, fts3_tokenizer, optimize (writes), sqlite_log, edit, readfile, writefile, and
# whatever an extension or a program adds.
FUNCTIONS = _names("""
    -> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char coalesce concat concat_ws
    cos cosh count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp
    first_value floor format fts5_source_id glob group_concat hex highlight if ifnull iif instr json json_array
    json_array_insert json_array_length json_each json_error_position json_extract json_group_array
    json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set
    json_tree json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array
    jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set julianday lag
    last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim match matchinfo
    max median min mod nth_value ntile nullif octet_length offsets percent_rank percentile percentile_cont
    percentile_disc pi pow power printf quote radians random randomblob rank regexp replace round row_number
    rtreecheck rtreedepth rtreenode rtrim sha1 sha3 sign sin sinh snippet soundex sqlite_compileoption_get
    sqlite_compileoption_used sqlite_offset sqlite_source_id sqlite_version sqrt strftime string_agg substr
    substring subtype sum tan tanh time timediff total total_changes trim trunc typeof unhex unicode unistr
    unistr_quote unixepoch unlikely upper zeroblob
    """)
# Pragmas that only report when they get no argument.
_PRAGMAS = _names("""
    application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill cell_size_check checkpoint_fullfsync
    collation_list compile_options data_version database_list defer_foreign_keys encoding foreign_key_check foreign_keys
    freelist_count fullfsync function_list hard_heap_limit ignore_check_constraints integrity_check journal_mode
    journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size module_list page_count page_size
    pragma_list query_only quick_check read_uncommitted recursive_triggers reverse_unordered_selects schema_version
    secure_delete soft_heap_limit synchronous table_list temp_store threads trusted_schema user_version
    wal_autocheckpoint writable_schema
    """)
# Pragmas whose argument is only the name of a table or an index.
_PRAGMAS_OF_A_NAME = _names("""
    foreign_key_check foreign_key_list index_info index_list index_xinfo integrity_check quick_check table_info
    table_list table_xinfo
""")
_LIMITS = (
    ("SQLITE_LIMIT_ATTACHED", 0),
    ("SQLITE_LIMIT_LENGTH", 512 * 1024 * 1024),
    ("SQLITE_LIMIT_SQL_LENGTH", 1_000_000),
    ("SQLITE_LIMIT_TRIGGER_DEPTH", 1),
)
_SWITCHES = (("SQLITE_DBCONFIG_DEFENSIVE", True), ("SQLITE_DBCONFIG_ENABLE_TRIGGER", False))


def lock(connection: sqlite3.Connection) -> None:
    """Locks a connection for good."""
    connection.execute("PRAGMA query_only = ON")
    for name, value in _LIMITS:
        connection.setlimit(getattr(sqlite3, name), value)
    configure = getattr(connection, "setconfig", None)
    if configure is not None:  # from Python 3.12
        for name, on in _SWITCHES:
            configure(getattr(sqlite3, name), on)
    _connect_spatial(connection)
    connection.set_authorizer(authorize)


def authorize(action: int, first: str | None, second: str | None, schema: str | None, inside: str | None) -> int:
    """SQLite asks for each step of a statement while it compiles it; what is not known to read is refused.

    The one action allowed that does not read: SQLite declares a virtual table, also one it reads, as if it wrote its
    own schema table. A user's statement cannot: SQLite itself refuses to modify that table.
    """
    if action in _READS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        return _verdict((second or "").lower() in FUNCTIONS)
    if action == sqlite3.SQLITE_PRAGMA:
        known = _PRAGMAS if second is None else _PRAGMAS_OF_A_NAME
        return _verdict((first or "").lower() in known)
    return _verdict(action == sqlite3.SQLITE_UPDATE and first in _SCHEMA_TABLES)


def _verdict(allowed: bool) -> int:
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _connect_spatial(connection: sqlite3.Connection) -> None:
    """R-Tree tables prepare their own writes when they are first used, so they are used once before the lock."""
    with contextlib.suppress(sqlite3.Error):
        spatial = connection.execute(
            "SELECT name FROM sqlite_master WHERE lower(sql) GLOB 'create virtual table*using rtree*'"
            " OR lower(sql) GLOB 'create virtual table*using geopoly*'"
        ).fetchall()
        for (name,) in spatial:
            quoted = str(name).replace('"', '""')
            with contextlib.suppress(sqlite3.Error):
                connection.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0')
