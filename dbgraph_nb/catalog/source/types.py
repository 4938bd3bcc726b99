"""Declared types to type classes, per dialect.

In: a type as the catalog has it. Out: number, text, time, bool, binary, json, enum or other. Never: an error; an
unknown type is ``other``.
"""

from __future__ import annotations

import re

from dbgraph_nb.model import TypeClass

_MYSQL_NAMES: dict[TypeClass, str] = {
    "number": "tinyint smallint mediumint int integer bigint decimal numeric float double real",
    "text": "char varchar tinytext text mediumtext longtext uuid inet4 inet6",
    "time": "date datetime timestamp time year",
    "binary": "binary varbinary tinyblob blob mediumblob longblob bit",
    "bool": "boolean bool",
    "json": "json",
    "enum": "enum set",
}
_MYSQL = {name: type_class for type_class, names in _MYSQL_NAMES.items() for name in names.split()}

# SQLite takes any words as a type. Those with a meaning of their own come before its affinity rules.
_SQLITE_FIRST: tuple[tuple[re.Pattern[str], TypeClass], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), type_class)  # type: ignore[misc]
    for pattern, type_class in (
        (r"\b(bool|boolean|bit)\b", "bool"),
        (r"\bjsonb?\b", "json"),
        (r"\b(date|time)\w*|\b(interval|year)\b", "time"),
        (r"\benum\b", "enum"),
        (r"\b(string|uuid|guid|nvarchar2|varchar2|citext|inet)\b", "text"),
        (r"\b(var)?binary\b|\bbytea\b|\bimage\b|\braw\b", "binary"),
        (r"^\s*(multi)?(point|linestring|polygon|geometry|geography|geometrycollection)\b", "other"),
        (r"\b(numeric|decimal|dec|number|money)\b", "number"),
    )
)

# https://www.sqlite.org/datatype3.html, "Determination Of Column Affinity": the first that is contained decides.
_AFFINITY: tuple[tuple[str, TypeClass], ...] = (
    ("INT", "number"),
    ("CHAR", "text"),
    ("CLOB", "text"),
    ("TEXT", "text"),
    ("BLOB", "binary"),
    ("REAL", "number"),
    ("FLOA", "number"),
    ("DOUB", "number"),
)

_INTEGER = re.compile(r"\s*(unsigned\s+)?(tiny|small|medium|big)?\s*int(eger|\d+)?\b", re.IGNORECASE)


def mysql_class(data_type: str, column_type: str, *, is_json: bool = False) -> TypeClass:
    """The class of a MySQL or MariaDB column. ``is_json``: a text column that must hold valid JSON.

    ``tinyint(1)`` and ``bit(1)`` are what these servers make of BOOLEAN; longer ``bit`` is binary.

    >>> mysql_class("tinyint", "tinyint(1)"), mysql_class("tinyint", "tinyint(4)"), mysql_class("point", "point")
    ('bool', 'number', 'other')
    """
    if is_json:
        return "json"
    if column_type.lower() in ("tinyint(1)", "bit(1)"):
        return "bool"
    return _MYSQL.get(data_type.lower(), "other")


def sqlite_class(declared: str) -> TypeClass:
    """The class of a SQLite column by the words of its declared type, then by the affinity they give.

    >>> sqlite_class("FLOATING POINT"), sqlite_class("DATETIME"), sqlite_class("NVARCHAR(10)"), sqlite_class("")
    ('number', 'time', 'text', 'other')
    """
    for pattern, type_class in _SQLITE_FIRST:
        if pattern.search(declared):
            return type_class
    upper = declared.upper()
    for part, type_class in _AFFINITY:
        if part in upper:
            return type_class
    return "other"


_DUCKDB_NAMES: dict[TypeClass, str] = {
    "number": "tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint uhugeint float double "
    "decimal bignum",
    "text": "varchar uuid",
    "time": "date time timestamp timestamp_s timestamp_ms timestamp_ns interval",
    "binary": "blob bit",
    "bool": "boolean",
    "json": "json",
    "enum": "enum",
}
_DUCKDB = {name: type_class for type_class, names in _DUCKDB_NAMES.items() for name in names.split()}


def duckdb_class(declared: str) -> TypeClass:
    """The class of a DuckDB column; lists, structs, maps and unions are ``other``.

    >>> duckdb_class("DECIMAL(10,2)"), duckdb_class("TIMESTAMP WITH TIME ZONE"), duckdb_class("VARCHAR[]")
    ('number', 'time', 'other')
    """
    if declared.endswith("]"):
        return "other"
    return _DUCKDB.get(re.split(r"[ (]", declared, maxsplit=1)[0].lower(), "other")


_POSTGRES_NAMES: dict[TypeClass, str] = {
    "number": "smallint,integer,bigint,numeric,real,double precision,money,oid",
    "text": "text,character,character varying,name,uuid,citext,inet,cidr,macaddr,macaddr8,xml,tsvector",
    "time": "date,timestamp without time zone,timestamp with time zone,time without time zone,time with time zone,"
    "interval",
    "binary": "bytea,bit,bit varying",
    "bool": "boolean",
    "json": "json,jsonb",
}
_POSTGRES = {name: type_class for type_class, names in _POSTGRES_NAMES.items() for name in names.split(",")}
_POSTGRES_CATEGORIES: dict[str, TypeClass] = {"N": "number", "S": "text", "D": "time", "B": "bool", "V": "binary"}


def postgres_class(declared: str, category: str) -> TypeClass:
    """The class of a PostgreSQL column; of a domain or an extension's type by the category of ``pg_type``.

    >>> postgres_class("timestamp(3) with time zone", "D"), postgres_class("text[]", "A"), postgres_class("email", "S")
    ('time', 'other', 'text')
    """
    plain = re.sub(r"\(.*?\)", "", declared)
    return _POSTGRES.get(plain) or _POSTGRES_CATEGORIES.get(category, "other")


def is_integer(declared: str) -> bool:
    """Whether a type of either dialect holds whole numbers.

    >>> is_integer("bigint(20) unsigned"), is_integer("INTEGER"), is_integer("FLOATING POINT"), is_integer("decimal")
    (True, True, False, False)
    """
    return (
        re.match(r"\s*(unsigned\s+)?(tiny|small|medium|big)?\s*int(eger|\d+)?\b", declared, re.IGNORECASE) is not None
    )
