"""How a CSV is to be read where the user knows better than what was found.

In: ``key=value`` pairs, or a mapping. Out: ``CsvOptions``. Never: an unknown key, or a value that is silently ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from dbgraph_nb.errors import BadArgument

Ragged = Literal["pad", "skip"]


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """None, or empty: found out from the file.

    Attributes:
        encoding: a name such as ``gbk``, ``utf-16``, ``latin-1``; for JSON too.
        delim: one to four characters between values; ``tab`` is a tabulator.
        quote: the character around values, ``none`` for none.
        header: whether the first line names the columns.
        skip: lines before the header.
        decimal: ``.`` or ``,``.
        ragged: what becomes of a line that has too few or too many values: ``pad`` (the missing are NULL, further ones
            make further columns) or ``skip`` (it is left out).
        text: columns that stay text; ``*`` is all.
    """

    encoding: str | None = None
    delim: str | None = None
    quote: str | None = None
    header: bool | None = None
    skip: int | None = None
    decimal: str | None = None
    ragged: Ragged | None = None
    text: tuple[str, ...] = ()


_YES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
KEYS: Final = tuple(CsvOptions.__dataclass_fields__)


def csv_options(given: Mapping[str, Any] | None) -> CsvOptions:
    """The options of one call.

    Raises:
        BadArgument: an unknown key, or a value that cannot be (code ``bad-csv-option``).

    >>> csv_options({"delim": "tab", "header": "no", "text": "zip,phone"}).text
    ('zip', 'phone')
    """
    if given is None:
        return CsvOptions()
    if not isinstance(given, Mapping):
        raise _wrong("csv must be a mapping of options to values.", 'Write csv={"encoding": "gbk"}.')
    unknown = [str(key) for key in given if key not in KEYS]
    if unknown:
        raise _wrong(f"There is no CSV option {unknown[0][:40]}.", f"There are {', '.join(KEYS)}.")
    return CsvOptions(**{key: _CHECKS[key](key, value) for key, value in given.items() if value is not None})


def pairs(given: Sequence[str]) -> dict[str, str]:
    """``key=value`` texts as a mapping.

    Raises:
        BadArgument: one has no ``=`` (code ``bad-csv-option``).
    """
    found: dict[str, str] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise _wrong(f"{text[:40]} is no CSV option.", "Write key=value, such as encoding=gbk.")
        found[key] = value
    return found


def _wrong(message: str, hint: str) -> BadArgument:
    return BadArgument(message, code="bad-csv-option", hint=hint)


def _word(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise _wrong(f"The CSV option {key} must be a text.", f"There are {', '.join(KEYS)}.")
    return value


def _delim(key: str, value: Any) -> str:
    text = {"tab": "\t", "\\t": "\t", "space": " "}.get(_word(key, value), value)
    if len(text.encode("utf-8", "replace")) > 4 or "\n" in text or "\r" in text:
        raise _wrong("The CSV option delim must be one to four characters.", "For a tabulator write delim=tab.")
    return str(text)


def _quote(key: str, value: Any) -> str:
    text = "" if value in ("none", "") else _word(key, value)
    if len(text.encode("utf-8", "replace")) > 1:
        raise _wrong("The CSV option quote must be one ASCII character, or none.", "Write quote=none for none.")
    return text


def _flag(key: str, value: Any) -> bool:
    found = value if isinstance(value, bool) else _YES.get(str(value).lower())
    if found is None:
        raise _wrong(f"The CSV option {key} must be yes or no.", f"Write {key}=yes.")
    return found


def _count(key: str, value: Any) -> int:
    number = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= 1_000_000:
        raise _wrong(f"The CSV option {key} must be a number of lines.", f"Write {key}=2.")
    return number


def _one_of(*words: str) -> Any:
    def check(key: str, value: Any) -> str:
        if value not in words:
            raise _wrong(f"The CSV option {key} must be {' or '.join(words)}.", f"Write {key}={words[0]}.")
        return str(value)

    return check


def _names(key: str, value: Any) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        raise _wrong(f"The CSV option {key} must name columns.", f"Write {key}=zip,phone, or {key}=* for all.")
    return tuple(names)


_CHECKS: Final[Mapping[str, Any]] = {
    "encoding": _word,
    "delim": _delim,
    "quote": _quote,
    "header": _flag,
    "skip": _count,
    "decimal": _one_of(".", ","),
    "ragged": _one_of("pad", "skip"),
    "text": _names,
}
