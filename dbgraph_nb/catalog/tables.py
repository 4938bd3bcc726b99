"""The tables of an index file: their schema, and how rows enter them.

In: nothing but text and numbers. Out: the schema, one INSERT per table, and text that SQLite can store. Never: a
migration; an index of another schema version is rebuilt.

One id space: objects are targets 1..N, sorted by schema and name; columns follow, by object and ordinal.
"""

from __future__ import annotations

import re
from typing import overload

SCHEMA_VERSION = 1  # another one is rebuilt; raise it with every change of a table or of the tokenizer's rules
APPLICATION_ID = 0x64624E42  # "dbNB": tells an index from any other SQLite file
TOKENIZER = "r1-r8"  # rules of ``text``; FTS5 only splits the stored streams at their spaces

SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE objects (
    id INTEGER PRIMARY KEY, schema TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, comment TEXT,
    row_estimate INTEGER, definition TEXT, note TEXT, column_count INTEGER NOT NULL);
CREATE TABLE columns (
    id INTEGER PRIMARY KEY, object_id INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL,
    type TEXT NOT NULL, type_class TEXT NOT NULL, nullable INTEGER NOT NULL, "default" TEXT, comment TEXT,
    pk INTEGER NOT NULL, "unique" INTEGER NOT NULL, enum_values_json TEXT, generated INTEGER NOT NULL,
    tier TEXT, tier_rule TEXT);
CREATE INDEX columns_by_object ON columns (object_id);
CREATE TABLE edges (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT, position INTEGER NOT NULL, src_object INTEGER NOT NULL,
    src_column INTEGER, dst_object INTEGER, dst_column INTEGER, detail TEXT);
CREATE TABLE terms (
    term TEXT NOT NULL, target INTEGER NOT NULL, field INTEGER NOT NULL, kind INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (term, target, field, kind)) WITHOUT ROWID;
CREATE VIRTUAL TABLE search USING fts5(
    object_id UNINDEXED, column_id UNINDEXED, name, comment, enum_values, tokenize = "ascii");
"""

# Columns of ``search`` that are text, in the order of the field numbers of ``terms``.
FIELDS = ("name", "comment", "enum_values")

INSERT = {
    "meta": "INSERT INTO meta VALUES (?, ?)",
    "objects": "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "columns": "INSERT INTO columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "edges": "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "terms": "INSERT INTO terms VALUES (?, ?, ?, ?, ?)",
    "search": "INSERT INTO search (rowid, object_id, column_id, name, comment, enum_values) VALUES (?, ?, ?, ?, ?, ?)",
}

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@overload
def storable(text: str) -> str: ...
@overload
def storable(text: None) -> None: ...
@overload
def storable(text: str | None) -> str | None: ...
def storable(text: str | None) -> str | None:
    """``text`` as SQLite can store it: a lone surrogate becomes U+FFFD; None stays None.

    >>> storable("caf\\udce9")
    'caf�'
    """
    return text if text is None or text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
