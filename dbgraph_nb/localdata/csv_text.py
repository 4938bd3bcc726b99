"""The first lines of a CSV as records: what is between values, and what is around them.

In: the first bytes of a text in UTF-8, what the user knows. Out: ``Dialect``. Never: a decision about columns or types.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

from dbgraph_nb.localdata.options import CsvOptions

DELIMITERS: Final = (",", ";", "\t", "|")
_LOOKED_AT: Final = 128 * 1024 - 1  # bytes; no field of them is longer than Python's reader takes
_RECORDS: Final = 300
_STAND_IN: Final = "\x1f"  # for a delimiter of several characters, and for one that is in no text
_SEP: Final = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"')
_ENDS: Final = re.compile(r"\r\n|\r|\n")
_ODD: Final = re.compile(r"[^\w\s.,;|'\"()+-]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How values are written.

    Attributes:
        escape: what stands before a quote inside quotes; "" where there are no quotes.
        records: the first ones; a blank line is an empty one.
        sep: whether the first line is Excel's ``sep=;``.
        broken: quotes are not as they should be.
        mixed: lines end in more than one way.
        tabs: whether the ending says tabulators.
        lonely: a sign that every line of an only column holds equally often, "" for none.
    """

    delim: str
    quote: str
    escape: str
    records: tuple[tuple[str, ...], ...]
    sep: bool = False
    broken: bool = False
    mixed: bool = False
    tabs: bool = False
    lonely: str = ""


def dialect(head: bytes, *, whole: bool, tabs: bool, wanted: CsvOptions) -> Dialect:
    """Finds it out.

    Args:
        whole: whether the head is the whole text; else its last record is cut.
        tabs: whether the ending says tabulators.
    """
    whole = whole and len(head) <= _LOOKED_AT
    text = head[:_LOOKED_AT].decode("utf-8-sig", "replace")
    if not whole:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    sep = _SEP.match(text) if wanted.delim is None and wanted.skip is None else None
    if sep:
        wanted = replace(wanted, delim=sep[1])
        text = text[sep.end() :]
    tried = ("\t",) if tabs and "\t" in text else DELIMITERS
    found = [_read(text, delim, wanted, whole) for delim in ((wanted.delim,) if wanted.delim else tried)]
    best = max(found, key=_rank)
    if wanted.delim is None and _width(best) == 1:
        best = _one_column(text, found, wanted, whole)
    return replace(best, sep=bool(sep), mixed=mixed_ends(text), tabs=tabs, lonely=_lonely(best))


def _read(text: str, delim: str, wanted: CsvOptions, whole: bool) -> Dialect:
    """The text with that delimiter, and the quotes that fit it best."""
    if len(delim) > 1:
        return replace(_read(text.replace(delim, _STAND_IN), _STAND_IN, wanted, whole), delim=delim)
    if wanted.quote is not None:
        return Dialect(delim, wanted.quote, wanted.quote, _parsed(text, delim, wanted.quote, "", whole) or ())
    if _single_quoted(text, delim):
        return Dialect(delim, "'", "'", _parsed(text, delim, "'", "", whole) or ())
    records = _parsed(text, delim, '"', "", whole, strict=True)
    if '\\"' in text and (records is None or len({len(record) for record in records if record}) > 1):
        other = _parsed(text, delim, '"', "\\", whole, strict=True)
        if other is not None:
            return Dialect(delim, '"', "\\", other)
    if records is None:
        return Dialect(delim, '"', '"', _parsed(text, delim, '"', "", whole) or (), broken=True)
    return Dialect(delim, '"', '"', records)


def _parsed(
    text: str, delim: str, quote: str, escape: str, whole: bool, *, strict: bool = False
) -> tuple[tuple[str, ...], ...] | None:
    """The records; None where quotes are not as they should be."""
    reader = _reader(io.StringIO(text, newline=""), delim, quote, escape, strict=strict)
    records: list[tuple[str, ...]] = []
    try:
        for record in reader:
            records.append(tuple(record))
            if len(records) > _RECORDS:
                break
    except csv.Error as error:
        if strict and (whole or "unexpected end" not in str(error)):
            return None
    else:
        if not whole and len(records) > 1:  # a quoted value may be cut
            records.pop()
    return tuple(records)


def widths(records: Sequence[Sequence[str]]) -> Counter[int]:
    """How many records have how many values; blank lines have none."""
    return Counter(len(record) for record in records if record)


def usual(records: Sequence[Sequence[str]]) -> int:
    """The number of values of most records, of two the larger; 0 where there are none."""
    counted = widths(records)
    return max(counted, key=lambda width: (counted[width], width)) if counted else 0


def _width(found: Dialect) -> int:
    return usual(found.records)


def _rank(found: Dialect) -> tuple[bool, float, int]:
    width = _width(found)
    counted = widths(found.records)
    return width > 1, counted[width] / max(1, counted.total()), width


def _one_column(text: str, found: Sequence[Dialect], wanted: CsvOptions, whole: bool) -> Dialect:
    """A delimiter that the header has and most lines lack, else one that no line has."""
    wide = [one for one in found if one.records and len(next(filter(None, one.records), ())) > 1]
    if wide:
        return max(wide, key=lambda one: len(next(filter(None, one.records))))
    for one in found:
        if max(widths(one.records), default=1) == 1:
            return one
    return _read(text, _STAND_IN, wanted, whole)


def _single_quoted(text: str, delim: str) -> bool:
    """Whether all apostrophes stand around values."""
    if '"' in text or text.count("'") < 4:
        return False
    around = re.escape(delim)
    left = re.sub(rf"(?:(?<={around})|(?<=[\r\n])|\A)'(?:[^'\r\n]|'')*'(?={around}|[\r\n]|\Z)", "", text)
    return "'" not in left


def mixed_ends(text: str) -> bool:
    """Whether lines end in more than one way, quoted values apart."""
    return len(set(_ENDS.findall(_QUOTED.sub("", text)))) > 1


def _lonely(found: Dialect) -> str:
    lines = [record[0] for record in found.records if record]
    if _width(found) != 1 or len(lines) < 2:
        return ""
    signs = set(_ODD.findall(lines[0]))
    return next((sign for sign in sorted(signs) if len({line.count(sign) for line in lines}) == 1), "")


@dataclass(frozen=True, slots=True)
class Scan:
    """All records of a text: the values of the longest, whether they differ in length, whether all could be read."""

    width: int
    differs: bool
    complete: bool


def scanned(source: BinaryIO, found: Dialect, most: int, skip: int) -> Scan:
    """Measures the records in the first bytes of a text.

    Args:
        skip: records at the start that are not looked at.
    """
    text = io.StringIO(source.read(most).decode("utf-8-sig", "replace"), newline="")
    lines: Iterable[str] = text
    delim = found.delim
    if len(delim) > 1:
        lines, delim = (line.replace(found.delim, _STAND_IN) for line in text), _STAND_IN
    seen: Counter[int] = Counter()
    complete = True
    try:
        reader = _reader(lines, delim, found.quote, found.escape, strict=True)
        seen.update(map(len, itertools.islice(reader, skip, None)))
    except csv.Error:  # a quote that does not end, or a value that is longer than Python's reader takes
        complete = False
    del seen[0]
    return Scan(max(seen, default=0), len(seen) > 1, complete)


def _reader(lines: Iterable[str], delim: str, quote: str, escape: str, *, strict: bool) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=delim,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        escapechar="\\" if escape == "\\" else None,
        doublequote=escape != "\\",
        skipinitialspace=delim != " ",
        strict=strict,
    )
