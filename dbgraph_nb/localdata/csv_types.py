"""The types of a CSV's columns, as all looked-at values allow them.

In: the text of the columns through DuckDB, the forms that fit the first values. Out: ``Column`` for each. Never: a type
that changes a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from dbgraph_nb import redact
from dbgraph_nb.localdata.csv_forms import CONVENTIONS, GROUPS, NULL_WORDS, PLAIN, Form, surviving, whole_only
from dbgraph_nb.localdata.formats import quoted_name, quoted_text
from dbgraph_nb.localdata.options import CsvOptions

Ask = Callable[[str], list[tuple[Any, ...]]]
_BLOCK: Final = 100  # columns of one query
_QUICK: Final = frozenset({"BOOLEAN", "BIGINT", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ"})
_MOST: Final = 15  # digits that every number of DOUBLE keeps
_DIGITS: Final = re.compile(
    r"(?:^|_|\b)(?:zip|zip_?code|post_?code|postal(?:_?code)?|plz|cap|cep|pin_?code|phone|telephone|mobile|msisdn|fax|tel|isbn|ean|barcode|iban)"
    r"(?:$|_|\b|no\b|_?(?:number|no|nr|code)\b)|邮编|邮政编码|郵遞區號|電話|电话|手机|手機|传真|条形码|身份证",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column as it is read.

    Attributes:
        form: None for a text.
        words: NULL is written as a word in it.
        empty: no value of it was seen.
        long: a whole number of it has more digits than every DOUBLE keeps.
        doubt: why it is a text though it looks like something else: ``digits``, ``named``, ``point``, ``day``.
    """

    name: str
    form: Form | None = None
    words: bool = False
    empty: bool = False
    long: bool = False
    doubt: str = ""

    @property
    def kind(self) -> str:
        return self.form.kind if self.form else "VARCHAR"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of a column, and what the answer is."""

    place: int
    name: str
    forms: tuple[Form, ...]
    words: bool
    told: Mapping[str, Any] = field(default_factory=dict)

    def fitting(self) -> list[Form]:
        return [form for i, form in enumerate(self.forms) if self.told[f"fits{i}"]] if self.told["filled"] else []

    def is_exact(self, form: Form) -> bool:
        return bool(self.told[f"exact{self.forms.index(form)}"])

    def has(self, sign: str) -> bool:
        return any(bool(self.told.get(f"sign{i}")) for i, one in enumerate(_signs(self.forms)) if one == sign)


def is_digits(name: str) -> bool:
    """Whether a name says that its numbers are only digits: postcodes, phones, cards, passwords."""
    return _DIGITS.search(name) is not None or redact.classify(name) is not None


def columns(
    ask: Ask, source: str, names: Sequence[str], rows: Sequence[Sequence[str]], wanted: CsvOptions
) -> list[Column]:
    """Decides about all columns.

    Args:
        source: a relation in SQL with the text of all columns.
        rows: the first records.
    """
    found: list[Column] = [Column(name, empty=True) for name in names]
    first, second = [], []
    for place, name in enumerate(names):
        if "*" in wanted.text or name in wanted.text:
            found[place] = Column(name)
            continue
        values = [row[place] for row in rows if place < len(row)]
        digits, has_words = is_digits(name), any(value.strip() in NULL_WORDS for value in values)
        forms = _candidates(values, digits)
        if digits and any(form.kind in ("BIGINT", "HUGEINT") for form in surviving(values)):
            found[place] = Column(name, doubt="named")
        elif forms and not has_words:
            quick = forms[:1] if forms[0].kind in _QUICK and not forms[0].format else forms
            first.append(_Asked(place, name, quick, False))
        elif not digits and (forms or not any(value.strip() and value.strip() not in NULL_WORDS for value in values)):
            second.append(_Asked(place, name, forms or _late(), True))
        else:
            found[place] = Column(name)
    for asked in _answered(ask, source, first):
        column = _resolved(asked, wanted)
        if column.form is None and not column.doubt and not is_digits(asked.name):
            forms = _candidates([row[asked.place] for row in rows if asked.place < len(row)], False)
            second.append(_Asked(asked.place, asked.name, forms, True))
        found[asked.place] = column
    for asked in _answered(ask, source, second):
        found[asked.place] = _resolved(asked, wanted)
    if not first and not second:  # lines that cannot be read are found here all the same
        ask(f"SELECT count({quoted_name(names[0])}) FROM {source}")
    return [_by_others(column, found, wanted) for column in found]


def _late() -> tuple[Form, ...]:
    """The forms that are tried where the first values are all missing."""
    return tuple(form for form in PLAIN if not form.format)


def _candidates(values: Sequence[str], digits: bool) -> tuple[Form, ...]:
    found = surviving(values, PLAIN)
    if digits:
        return tuple(found)
    text = "".join(values)
    tried = [c for c in CONVENTIONS if (c.group in text if c.group else c.point in text)]
    return (*found, *surviving(values, tried))


def _signs(forms: Sequence[Form]) -> list[str]:
    used = {sign for form in forms for sign in (form.group, form.point) if sign}
    return [sign for sign in GROUPS if sign in used]


def _answered(ask: Ask, source: str, asked: Sequence[_Asked]) -> Iterator[_Asked]:
    for at in range(0, len(asked), _BLOCK):
        block = asked[at : at + _BLOCK]
        inner = ", ".join(
            f"{_text(one)} AS v{i}, nullif({quoted_name(one.name)}, '') AS c{i}" for i, one in enumerate(block)
        )
        (row,) = ask(
            f"SELECT {', '.join(_question(one, i) for i, one in enumerate(block))} FROM (SELECT {inner} FROM {source})"
        )
        yield from (replace(one, told=told) for one, told in zip(block, row, strict=True))


def _text(asked: _Asked) -> str:
    text = f"trim({quoted_name(asked.name)})"
    if asked.words:
        return f"CASE {text} {null_words()} ELSE {text} END"
    return f"trim(nullif({quoted_name(asked.name)}, ''))"


def null_words() -> str:
    # Not IN: DuckDB makes a join of a long list, and a join does not keep the rows in the order of the file.
    return " ".join(f"WHEN {quoted_text(word)} THEN NULL" for word in ("", *NULL_WORDS))


def _question(asked: _Asked, place: int) -> str:
    """What is asked of a column: which forms fit all values, are numbers exact, are there words for NULL?"""
    text = f"v{place}"
    fields = [f"filled: count({text}) > 0", f"words: count(c{place}) > count({text})"]
    for i, form in enumerate(asked.forms):
        fields.append(f"fits{i}: coalesce(bool_and({form.check(text)}), false)")
        if form.kind == "DOUBLE":
            fields.append(f"exact{i}: coalesce(bool_and({form.exact(text)}), true)")
    if any(form.kind == "BIGINT" for form in asked.forms):
        fields.append(f"longest: coalesce(max(length({text})), 0)")
    for i, sign in enumerate(_signs(asked.forms)):
        fields.append(f"sign{i}: coalesce(bool_or(contains({text}, {quoted_text(sign)})), false)")
    return f"{{{', '.join(fields)}}}"


def _resolved(asked: _Asked, wanted: CsvOptions) -> Column:
    column = Column(asked.name, words=asked.words and asked.told["words"], empty=not asked.told["filled"])
    fitting = asked.fitting()
    plain = [form for form in fitting if not form.group and not form.point]
    if wanted.decimal == "," and asked.has("."):
        plain = [form for form in plain if form.kind != "DOUBLE"]
    if not plain:
        return _by_convention(asked, column, fitting, wanted)
    form = plain[0]
    if form.format and any(other.kind == form.kind and other.format for other in plain[1:]):
        return replace(column, doubt="day")
    if form.kind == "DOUBLE" and not asked.is_exact(form):
        return replace(column, doubt="digits")
    # All points stand before three digits: whether they are between thousands, other columns tell.
    threes = next((other for other in fitting if (other.group, other.point) == (".", ",")), None)
    doubt = "threes" if form.kind == "DOUBLE" and threes and asked.has(".") else ""
    return replace(column, form=form, long=int(asked.told.get("longest") or 0) > _MOST, doubt=doubt)


def _by_convention(asked: _Asked, column: Column, fitting: list[Form], wanted: CsvOptions) -> Column:
    """The one convention that fits all numbers of a column."""
    meant: dict[tuple[str, str], Form] = {}
    for form in fitting:
        if (form.group or form.point) and wanted.decimal in (None, form.point):
            used = (form.group if asked.has(form.group) else "", form.point if asked.has(form.point) else "")
            meant.setdefault(used, form)
    if len(meant) > 1:
        return replace(column, doubt="point")
    for (group, point), form in meant.items():
        if not asked.is_exact(form):
            return replace(column, doubt="digits")
        if point:
            return replace(column, form=form)
        if group and not group.isspace():  # phones have spaces too
            return replace(column, form=whole_only(form))
    return column


def _by_others(column: Column, found: Sequence[Column], wanted: CsvOptions) -> Column:
    """What other columns tell of a number whose point may stand between thousands."""
    if column.doubt != "threes":
        return column
    commas = any(other.form is not None and other.form.point == "," for other in found)
    return replace(column, form=None, doubt="point") if commas and wanted.decimal is None else replace(column, doubt="")
