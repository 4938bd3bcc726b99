"""The CSV doctor: how a CSV is written, found out from its first lines, and how DuckDB is to read it then.

In: one text file in UTF-8, what the user knows of it. Out: ``Shape``: the options of ``read_csv``, and what was found
in words. Never: a column that is a number where its name says digits, a value of the file in a finding.

DuckDB's own sniffer decides about delimiter, quotes, header and types. What it does not see is looked for here: a line
``sep=;`` of Excel's, lines of different length (it then takes the whole line for one column), decimal commas, and
postcodes and phone numbers, whose leading zero may come after the lines that it looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from dbgraph_nb import redact
from dbgraph_nb.errors import QueryFailed
from dbgraph_nb.localdata.formats import quoted_name, quoted_text, reader, sniffer
from dbgraph_nb.localdata.options import CsvOptions

Ask = Callable[[str], list[tuple[Any, ...]]]

_DELIMITERS: Final = (",", ";", "\t", "|")
_NAMES: Final = {",": "comma", ";": "semicolon", "\t": "tabulator", "|": "bar", " ": "space"}
_LOOKED_AT: Final = 10_000  # rows in which decimal commas are looked for
_COMMA_NUMBER: Final = r"\s*[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?\s*"
_COMMA: Final = r",\d+\s*$"
_SEP: Final = re.compile(rb'\A(?:\xef\xbb\xbf)?"?sep=(.)"?\r?\n', re.IGNORECASE)
_DIGITS: Final = re.compile(
    r"(?:^|_|\b)(?:zip|zip_?code|post_?code|postal(?:_?code)?|plz|cap|cep|pin_?code|phone|telephone|mobile|msisdn|fax|tel|isbn|ean|barcode|iban)"
    r"(?:$|_|\b|no\b|_?(?:number|no|nr|code)\b)|邮编|邮政编码|郵遞區號|電話|电话|手机|手機|传真|条形码|身份证",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shape:
    """How to read a CSV.

    Attributes:
        columns: names and types, as they are read.
        options: of ``read_csv``, as SQL.
        commas: the columns whose numbers have a decimal comma.
        findings: what was found, a sentence part each: ``semicolons between values``.
    """

    columns: tuple[tuple[str, str], ...]
    options: tuple[str, ...]
    commas: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    def select(self, suffix: str, paths: Sequence[str]) -> str:
        """The SELECT that reads the files."""
        numbers = ", ".join(f"{_number(name)} AS {quoted_name(name)}" for name in self.commas)
        return f"SELECT *{f' REPLACE ({numbers})' if numbers else ''} FROM {reader(suffix, paths, self.options)}"


def _number(name: str) -> str:
    """A number with a decimal comma, which may have points between its thousands."""
    return f"CAST(replace(replace(trim({quoted_name(name)}), '.', ''), ',', '.') AS DOUBLE)"


def examine(ask: Ask, suffix: str, paths: Sequence[str], head: bytes, wanted: CsvOptions) -> Shape:
    """Looks at the first file.

    Args:
        ask: runs a query of ours.
        paths: the files, in UTF-8.
        head: the first bytes of the first one.
        wanted: what the user knows.

    Raises:
        QueryFailed: it cannot be read as a CSV (code ``file-not-understood``).
    """
    sep = _SEP.match(head)
    if sep and wanted.delim is None and wanted.skip is None:
        wanted = replace(wanted, delim=sep[1].decode("latin-1"), skip=1)
    found = _sniffed(ask, suffix, paths[0], wanted)
    ragged = wanted.ragged
    if ragged is None and (better := _ragged(ask, suffix, paths[0], wanted, found, head)):
        found, ragged = better, "pad"
    columns = [(name, _kept(name, kind, wanted)) for name, kind in found.columns]
    shape = Shape(
        tuple(columns),
        _options(found, columns, replace(wanted, ragged=ragged), many=len(paths) > 1),
        findings=_findings(found, columns, ragged, wanted, bool(sep)),
    )
    return _with_commas(ask, suffix, paths, shape, found, wanted)


@dataclass(frozen=True, slots=True)
class _Sniffed:
    delim: str
    quote: str
    escape: str
    comment: str
    skip: int
    header: bool
    columns: tuple[tuple[str, str], ...]
    date: str | None
    timestamp: str | None


def _sniffed(ask: Ask, suffix: str, path: str, wanted: CsvOptions) -> _Sniffed:
    (row,) = ask(f"FROM {sniffer(suffix, path, _wanted(wanted))}")
    delim, quote, escape, _, comment, skip, header, columns, date, timestamp = row[:10]
    return _Sniffed(
        delim=_said(delim),
        quote=_said(quote),
        escape=_said(escape),
        comment=_said(comment),
        skip=int(skip),
        header=bool(header),
        columns=tuple((column["name"], column["type"]) for column in columns),
        date=date,
        timestamp=timestamp,
    )


def _said(value: str | None) -> str:
    return "" if value in (None, "(empty)") else value.replace("\\t", "\t")


def _wanted(wanted: CsvOptions) -> list[str]:
    """What the user knows, as options of the sniffer and the reader."""
    options: list[str] = []
    if wanted.delim is not None:
        options.append(f"delim = {quoted_text(wanted.delim)}")
    if wanted.quote is not None:
        options.append(f"quote = {quoted_text(wanted.quote)}")
    if wanted.header is not None:
        options.append(f"header = {str(wanted.header).lower()}")
    if wanted.skip is not None:
        options.append(f"skip = {wanted.skip}")
    if wanted.ragged == "pad":
        options.append("null_padding = true")
    if wanted.ragged == "skip":
        options.append("ignore_errors = true")
    return options


def _ragged(ask: Ask, suffix: str, path: str, wanted: CsvOptions, found: _Sniffed, head: bytes) -> _Sniffed | None:
    """The better reading of a file whose lines differ in length.

    DuckDB takes it for one column, or leaves out the lines above the last one that differs, which are data.
    """
    if wanted.skip is None and found.skip and _is_data(head.splitlines()[: found.skip], found):
        return _sniffed(ask, suffix, path, replace(wanted, delim=found.delim, skip=0, ragged="pad"))
    if wanted.delim is not None or len(found.columns) != 1:
        return None
    name = found.columns[0][0]
    inside = [delim for delim in _DELIMITERS if delim in name]
    for delim in sorted(inside, key=name.count, reverse=True):
        other = _sniffed(ask, suffix, path, replace(wanted, delim=delim, ragged="pad"))
        if len(other.columns) > name.count(delim):
            return other
    return None


def _is_data(above: list[bytes], found: _Sniffed) -> bool:
    """Whether lines above a header have about as many values as those below; a title has fewer, or stands alone."""
    width = max(2, len(found.columns) - 1)
    return all(line.strip() for line in above) and above[0].count(found.delim.encode()) + 1 >= width


def _kept(name: str, kind: str, wanted: CsvOptions) -> str:
    """The type that a column is read as."""
    if "*" in wanted.text or name in wanted.text:
        return "VARCHAR"
    is_digits = _DIGITS.search(name) is not None or redact.classify(name, type=kind) is not None
    return "VARCHAR" if kind in ("BIGINT", "HUGEINT", "DOUBLE") and is_digits and _is_integer(kind) else kind


def _is_integer(kind: str) -> bool:
    return kind in ("BIGINT", "HUGEINT")


def _options(found: _Sniffed, columns: Sequence[tuple[str, str]], wanted: CsvOptions, *, many: bool) -> tuple[str, ...]:
    """What the reader is told, so that it does not sniff again; of many files it looks at each itself."""
    if many:
        texts = [f"{quoted_text(name)}: 'VARCHAR'" for name, kind in columns if (name, kind) not in found.columns]
        kept = [f"types = {{{', '.join(texts)}}}"] if texts else []
        every = ["all_varchar = true"] if "*" in wanted.text else kept
        return ("union_by_name = true", *_wanted(wanted), *every)
    quote = found.quote or ('"' if wanted.quote is None else "")  # one may come after the lines that were sniffed
    return (
        "auto_detect = false",
        f"delim = {quoted_text(found.delim)}",
        f"quote = {quoted_text(quote)}",
        f"escape = {quoted_text(found.escape or quote)}",
        f"comment = {quoted_text(found.comment)}",
        f"skip = {found.skip}",
        f"header = {str(found.header).lower()}",
        *([f"dateformat = {quoted_text(found.date)}"] if found.date else []),
        *([f"timestampformat = {quoted_text(found.timestamp)}"] if found.timestamp else []),
        *(["null_padding = true"] if wanted.ragged == "pad" else []),
        *(["ignore_errors = true"] if wanted.ragged == "skip" else []),
        f"columns = {{{', '.join(f'{quoted_text(name)}: {quoted_text(kind)}' for name, kind in columns)}}}",
    )


def _findings(
    found: _Sniffed, columns: Sequence[tuple[str, str]], ragged: str | None, wanted: CsvOptions, sep: bool
) -> tuple[str, ...]:
    said: list[str] = []
    if (found.delim != "," and wanted.delim is None) or sep:
        said.append(f"{_NAMES.get(found.delim, found.delim)} between values")
    if not found.header and wanted.header is None:
        said.append("no header: the columns are column0, column1 …")
    if found.skip and wanted.skip is None:
        said.append(f"{found.skip} line{'s' if found.skip > 1 else ''} above the header left out")
    if ragged == "pad" and wanted.ragged is None:
        said.append("lines of different length: what is missing is NULL (or --csv ragged=skip)")
    if found.quote and found.quote != '"':
        said.append(f"{found.quote} around values")
    own = [name for (name, kind), (_, sniffed) in zip(columns, found.columns, strict=True) if kind != sniffed]
    if own and not wanted.text:
        said.append(f"digits kept as text: {', '.join(own[:5])}")
    for kind, form in (("date", found.date), ("time", found.timestamp)):
        if form and form not in ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S"):
            said.append(f"{kind}s like {form}")
    return tuple(said)


def _with_commas(
    ask: Ask, suffix: str, paths: Sequence[str], shape: Shape, found: _Sniffed, wanted: CsvOptions
) -> Shape:
    """Finds the columns whose texts are all numbers with a decimal comma."""
    texts = [name for name, kind in shape.columns if kind == "VARCHAR" and (name, "VARCHAR") in found.columns]
    if wanted.decimal == "." or "*" in wanted.text or not texts or (found.delim == "," and wanted.decimal is None):
        return shape
    texts = [name for name in texts if name not in wanted.text]
    asked = ", ".join(
        f"coalesce(bool_and(regexp_full_match({name}, {quoted_text(_COMMA_NUMBER)})), false)"
        f" AND coalesce(bool_or(regexp_matches({name}, {quoted_text(_COMMA)})), false)"
        for name in map(quoted_name, texts)
    )
    if not asked:
        return shape
    call = reader(suffix, paths[:1], shape.options)
    (row,) = ask(f"SELECT {asked} FROM (SELECT * FROM {call} LIMIT {_LOOKED_AT})")
    commas = tuple(name for name, is_number in zip(texts, row, strict=True) if is_number)
    if not commas:
        return shape
    said = f"decimal commas: {', '.join(commas[:5])}"
    return replace(shape, commas=commas, findings=(*shape.findings, said))


def types(shape: Shape) -> Mapping[str, str]:
    """The types of the columns as a statement sees them."""
    return {name: "DOUBLE" if name in shape.commas else kind for name, kind in shape.columns}


def not_understood(shown: str) -> QueryFailed:
    """The error of a file that its ending promises something else of."""
    return QueryFailed(
        f"{shown} cannot be read as what its name says it is.",
        code="file-not-understood",
        hint="Open it in an editor, and check its encoding, its delimiter and whether it is complete (see --csv).",
    )
