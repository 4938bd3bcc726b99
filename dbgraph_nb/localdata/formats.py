"""The formats of local files, and the SQL by which DuckDB reads one.

In: an ending, the paths that an engine opens. Out: a SELECT. Never: an ending of the engine's own guess, since it gets
descriptors that have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# ending → the function, and its options; compressed texts are named, as a descriptor has no ending to guess it from
_CSV = "read_csv"
_LINES = "format = 'newline_delimited'"
FORMATS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    ".csv": (_CSV, ()),
    ".csv.gz": (_CSV, ("compression = 'gzip'",)),
    ".csv.zst": (_CSV, ("compression = 'zstd'",)),
    ".tsv": (_CSV, ("delim = '\t'",)),
    ".tsv.gz": (_CSV, ("delim = '\t'", "compression = 'gzip'")),
    ".parquet": ("read_parquet", ()),
    ".json": ("read_json", ()),
    ".jsonl": ("read_json", (_LINES,)),
    ".ndjson": ("read_json", (_LINES,)),
}
SUFFIXES = frozenset(FORMATS)


def is_text_table(suffix: str) -> bool:
    """Whether the values are written as text, so that digits may be no number."""
    return FORMATS[suffix][0] == _CSV


def reader(suffix: str, paths: Sequence[str], options: Sequence[str] = ()) -> str:
    """The call that reads files of one format.

    >>> reader(".jsonl", ["/a", "/b'c"])
    "read_json(['/a', '/b''c'], format = 'newline_delimited')"
    """
    function, own = FORMATS[suffix]
    listed = ", ".join(quoted_text(path) for path in paths)
    return f"{function}({', '.join([f'[{listed}]', *own, *options])})"


def quoted_text(value: str) -> str:
    """A SQL literal."""
    return "'" + value.replace("'", "''") + "'"
