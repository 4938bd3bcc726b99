"""What the values of a column may look like: integers, numbers, truth values, dates, times, moments.

In: values as text. Out: the forms that fit all of them. Never: a form that changes a value: a leading zero, a plus or
further digits than a number holds make a text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from dbgraph_nb.localdata.formats import quoted_text

NULL_WORDS: Final = ("NA", "N/A", "#N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "\\N", "-")
_WHOLE: Final = r"-?(0|[1-9]\d*)"
_NUMBER: Final = r"([+-]?(0|[1-9]\d*)?\.\d+|[+-]?(0|[1-9]\d*)\.|-?(0|[1-9]\d*))([eE][+-]?\d{1,3})?"
_DAY: Final = r"\d{4}-\d{2}-\d{2}"
_CLOCK: Final = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_ZONE: Final = r"(Z|[+-]\d{2}(:?\d{2})?)"


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write values.

    Attributes:
        kind: the type that DuckDB reads them as.
        pattern: of one value, as a regular expression of Python's and DuckDB's.
        format: of ``strptime``; "" where DuckDB knows it by itself.
        group, point: between thousands and before decimals; of numbers that DuckDB does not know by itself.
    """

    kind: str
    pattern: str
    format: str = ""
    group: str = ""
    point: str = ""

    def fits(self, value: str) -> bool:
        return _compiled(self.pattern).fullmatch(value.strip()) is not None

    def check(self, text: str) -> str:
        """Whether a text in SQL is such a value; NULL is."""
        if self.kind in ("BIGINT", "HUGEINT") and not self.group:
            return f"CAST(TRY_CAST({text} AS {self.kind}) AS VARCHAR) IS NOT DISTINCT FROM {text}"
        if self.kind == "BOOLEAN":
            return f"coalesce(lower({text}) IN ('true', 'false'), true)"
        matched = f"regexp_full_match({text}, {quoted_text(self.pattern)})"
        return f"{text} IS NULL OR ({matched} AND {self._converted(text, careful=True)} IS NOT NULL)"

    def exact(self, text: str) -> str:
        """Whether a number in SQL has no more digits than DOUBLE keeps, or is written as DOUBLE is."""
        plain = self._plain(text)
        digits = f"ltrim(regexp_replace(regexp_replace({plain}, '[eE].*', ''), '[^0-9]', '', 'g'), '0')"
        same = f"CAST(TRY_CAST({plain} AS DOUBLE) AS VARCHAR) = {plain}"
        return f"CASE WHEN length({text}) <= 15 THEN true WHEN length({digits}) <= 15 THEN true ELSE {same} END"

    def value(self, text: str) -> str:
        """The value of a text in SQL; an error where the text is none."""
        matched = f"regexp_full_match({text}, {quoted_text(self.pattern)})"
        return f"CASE WHEN {matched} THEN {self._converted(text)} ELSE CAST({text} || '?' AS {self.kind}) END"

    def _plain(self, text: str) -> str:
        text = f"replace({text}, {quoted_text(self.group)}, '')" if self.group else text
        return f"replace({text}, ',', '.')" if self.point == "," else text

    def _converted(self, text: str, *, careful: bool = False) -> str:
        start = "try_" if careful else ""
        if self.format:
            return f"CAST({start}strptime({text}, {quoted_text(self.format)}) AS {self.kind})"
        return f"{start.upper()}CAST({self._plain(text)} AS {self.kind})"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _written(form: str) -> str:
    """The pattern of a format."""
    parts = {"%d": r"\d{1,2}", "%m": r"\d{1,2}", "%Y": r"\d{4}", "%H": r"\d{1,2}", "%I": r"\d{1,2}", "%M": r"\d{2}"}
    parts |= {"%S": r"\d{2}", "%p": r"[AaPp][Mm]", ".": r"\."}
    return re.sub(r"%.|\.", lambda found: parts[found[0]], form)


_DATES: Final = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_HOURS: Final = (" %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p")
PLAIN: Final = (
    Form("BOOLEAN", "[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]"),
    Form("BIGINT", _WHOLE),
    Form("HUGEINT", _WHOLE),
    Form("DOUBLE", _NUMBER),
    Form("DATE", _DAY),
    *(Form("DATE", _written(form), form) for form in _DATES),
    Form("TIME", r"\d{2}:\d{2}:\d{2}(\.\d{1,6})?"),
    Form("TIMESTAMP", rf"{_DAY}([ T]{_CLOCK})?"),
    Form("TIMESTAMP_NS", rf"{_DAY}([ T]\d{{2}}:\d{{2}}:\d{{2}}(\.\d{{1,9}})?)?"),
    Form("TIMESTAMPTZ", rf"{_DAY}[ T]{_CLOCK} ?{_ZONE}"),
    *(Form("TIMESTAMP", _written(day + hour), day + hour) for day in _DATES for hour in _HOURS),
)
GROUPS: Final = (".", ",", "'", "’", " ", "\u00a0", "\u202f")


def _grouped(group: str) -> str:
    """The pattern of whole numbers with that sign between thousands."""
    sign = re.escape(group) if group == "." else group
    return rf"(0|[1-9]\d*|[1-9]\d{{0,2}}({sign}\d{{3}}){{1,5}})" if group else r"(0|[1-9]\d*)"


def _convention(group: str, point: str) -> Form:
    after = r"\." if point == "." else point
    return Form("DOUBLE", rf"[+-]?({_grouped(group)}({after}\d+)?|{after}\d+)", group=group, point=point)


CONVENTIONS: Final = (
    _convention("", ","),
    *(_convention(group, point) for point in (",", ".") for group in GROUPS if group != point),
)


def whole_only(form: Form) -> Form:
    """A convention as one of whole numbers."""
    return Form("BIGINT", f"[+-]?{_grouped(form.group)}", group=form.group)


def surviving(values: Sequence[str], forms: Sequence[Form] = (*PLAIN, *CONVENTIONS)) -> list[Form]:
    """The forms that fit all of these values, empty ones and words for NULL apart; none where there are no others."""
    told = [value for value in values if value.strip() and value.strip() not in NULL_WORDS]
    return [form for form in forms if all(map(form.fits, told))] if told else []


def is_value(cell: str) -> bool:
    """Whether a text looks like a number, a date or a truth value."""
    return bool(surviving([cell]))
