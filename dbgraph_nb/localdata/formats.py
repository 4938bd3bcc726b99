"""The formats of local files, and the SQL by which DuckDB reads one.

In: an ending, the paths that an engine opens. Out: a SELECT. Never: an ending of the engine's own guess, since it gets
descriptors that have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["csv", "json", "parquet", "database", "sheet"]


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one ending are read.

    Attributes:
        kind: the way of reading.
        compression: as DuckDB names it, "" for none; a descriptor has no ending to guess it from.
        options: of the reading function, as SQL.
    """

    kind: Kind
    compression: str = ""
    options: tuple[str, ...] = ()


_TEXTS: Final[Mapping[str, tuple[Kind, tuple[str, ...]]]] = {
    ".csv": ("csv", ()),
    ".tsv": ("csv", ("delim = '\t'",)),
    ".json": ("json", ()),
    ".jsonl": ("json", ("format = 'newline_delimited'",)),
    ".ndjson": ("json", ("format = 'newline_delimited'",)),
}
_COMPRESSED: Final = {"": "", ".gz": "gzip", ".zst": "zstd"}
FORMATS: Final[Mapping[str, Format]] = {
    **{
        ending + packed: Format(kind, compression, options)
        for ending, (kind, options) in _TEXTS.items()
        for packed, compression in _COMPRESSED.items()
    },
    ".parquet": Format("parquet"),
    ".duckdb": Format("database"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), Format("sheet")),
}
SUFFIXES: Final = frozenset(FORMATS)
_FUNCTIONS: Final = {"csv": "read_csv", "json": "read_json", "parquet": "read_parquet"}
# A key that few objects have is a column all the same, and many keys are many columns, not one map.
_JSON: Final = ("map_inference_threshold = -1", "field_appearance_threshold = 0", "union_by_name = true")


def reader(suffix: str, paths: Sequence[str], options: Sequence[str] = ()) -> str:
    """The call that reads text or Parquet files of one format.

    >>> reader(".csv.gz", ["/a", "/b'c"], ["header = true"])
    "read_csv(['/a', '/b''c'], compression = 'gzip', header = true)"
    """
    form = FORMATS[suffix]
    listed = ", ".join(quoted_text(path) for path in paths)
    more = _JSON if form.kind == "json" else ()
    return f"{_FUNCTIONS[form.kind]}({', '.join([f'[{listed}]', *_own(form, options), *more, *options])})"


def sniffer(suffix: str, path: str, options: Sequence[str] = ()) -> str:
    """The call that looks at the first lines of a CSV.

    >>> sniffer(".csv.gz", "/a", ["skip = 1"])
    "sniff_csv('/a', compression = 'gzip', skip = 1)"
    """
    return f"sniff_csv({', '.join([quoted_text(path), *_own(FORMATS[suffix], options), *options])})"


def _own(form: Format, options: Sequence[str]) -> tuple[str, ...]:
    """What the ending says, unless an option says it."""
    given = {option.partition(" =")[0] for option in options}
    own = (*form.options, *([f"compression = {quoted_text(form.compression)}"] if form.compression else []))
    return tuple(option for option in own if option.partition(" =")[0] not in given)


def quoted_text(value: str) -> str:
    """A SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def quoted_name(name: str) -> str:
    """A SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
