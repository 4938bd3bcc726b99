"""DuckDB's own numbers for times, intervals, bits and big integers as Python's values, or as the text that it shows.

In: the numbers that it stores. Out: a value of Python's where that holds it exactly, else DuckDB's text. Never: a value
that is nearly right.

A date counts days, a timestamp its unit, both from 1970-01-01; the largest number and its negative are the infinities.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

_EPOCH: Final = dt.datetime(1970, 1, 1)
_FIRST, _LAST = -719_162, 2_932_896  # days of 0001-01-01 and 9999-12-31
_UNIX_DAY: Final = 719_163  # the ordinal of 1970-01-01
_DAY: Final = 86_400_000_000  # microseconds
_MOST_OFFSET: Final = 16 * 3600 - 1  # seconds; a TIMETZ stores this minus its offset in the low 24 bits
_LARGEST: Final = {4: 2**31 - 1, 8: 2**63 - 1}


def date(days: int) -> dt.date | str:
    """A date.

    >>> date(0), date(2**31 - 1), date(-735_160)
    (datetime.date(1970, 1, 1), 'infinity', '0044-03-15 (BC)')
    """
    if _FIRST <= days <= _LAST:
        return dt.date.fromordinal(days + _UNIX_DAY)
    return _infinity(days, 4) or _shown(*_civil(days))


def timestamp(ticks: int, microseconds: int, zone: dt.tzinfo | None) -> dt.datetime | str:
    """A timestamp of ``ticks`` units of so many microseconds; with a zone it is a moment, shown there.

    >>> timestamp(1, 1_000_000, None), timestamp(2**63 - 1, 1, None)
    (datetime.datetime(1970, 1, 1, 0, 0, 1), 'infinity')
    """
    if text := _infinity(ticks, 8):
        return text
    return _moment(ticks * microseconds, zone)


def nanoseconds(ticks: int, zone: dt.tzinfo | None) -> Any:
    """A timestamp in nanoseconds: a ``pandas.Timestamp`` where a datetime would lose some."""
    if text := _infinity(ticks, 8):
        return text
    whole, rest = divmod(ticks, 1_000)
    if not rest:
        return _moment(whole, zone)
    import pandas as pd

    found = pd.Timestamp(ticks, unit="ns", tz="UTC" if zone else None)
    return found.tz_convert(zone) if zone else found


def _moment(microseconds: int, zone: dt.tzinfo | None) -> dt.datetime | str:
    days, rest = divmod(microseconds, _DAY)
    if _FIRST <= days <= _LAST:
        found = _EPOCH + dt.timedelta(microseconds=microseconds)
        try:
            return found.replace(tzinfo=dt.UTC).astimezone(zone) if zone else found
        except OverflowError:  # the zone's own clock is outside of Python's years
            pass
    year, month, day = _civil(days)
    before, of, _ = _shown(year, month, day).partition(" (BC)")
    return f"{before}{of} {_clock(rest)}{'+00' if zone else ''}"


def _infinity(number: int, size: int) -> str:
    return {_LARGEST[size]: "infinity", -_LARGEST[size]: "-infinity"}.get(number, "")


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of days since 1970 in the proleptic Gregorian calendar, for any year.

    The calendar repeats every 400 years, which are 146,097 days; inside of them Python's own dates know it.
    """
    cycles, rest = divmod(days, 146_097)
    found = dt.date.fromordinal(rest + _UNIX_DAY)  # from 1970 to 2370
    return found.year + 400 * cycles, found.month, found.day


def _shown(year: int, month: int, day: int) -> str:
    era = "" if year > 0 else " (BC)"
    return f"{year if year > 0 else 1 - year:04d}-{month:02d}-{day:02d}{era}"


def time(ns: int) -> dt.time | str:
    """A time of day in nanoseconds; text where it has more than microseconds, or is 24:00:00.

    >>> time(1_000), time(86_400_000_000_000), time(1_001)
    (datetime.time(0, 0, 0, 1), '24:00:00', '00:00:00.000001001')
    """
    microseconds, rest = divmod(ns, 1_000)
    if rest:
        seconds, below = divmod(ns, 1_000_000_000)
        return f"{_clock(seconds * 1_000_000)}.{below:09d}".rstrip("0")
    if microseconds >= _DAY:
        return _clock(microseconds)
    return (_EPOCH + dt.timedelta(microseconds=microseconds)).time()


def zoned_time(bits: int) -> dt.time | str:
    """A time of day with its offset from UTC.

    >>> zoned_time((36_000_000_000 << 24) | (57_599 - 28_800))
    datetime.time(10, 0, tzinfo=datetime.timezone(datetime.timedelta(seconds=28800)))
    """
    microseconds, offset = bits >> 24, _MOST_OFFSET - (bits & 0xFF_FFFF)
    if microseconds >= _DAY:
        return _clock(microseconds) + _offset(offset)
    found = (_EPOCH + dt.timedelta(microseconds=microseconds)).time()
    return found.replace(tzinfo=dt.timezone(dt.timedelta(seconds=offset)))


def _offset(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
    shown = [f"{hours:02d}", *([f"{minutes:02d}"] if minutes or rest else []), *([f"{rest:02d}"] if rest else [])]
    return sign + ":".join(shown)


def interval(months: int, days: int, microseconds: int) -> dt.timedelta | str:
    """An interval; one with months has no length in days, so it is text.

    >>> interval(0, 1, 5), interval(14, 3, 3_600_000_000)
    (datetime.timedelta(days=1, microseconds=5), '1 year 2 months 3 days 01:00:00')
    """
    if not months:
        try:
            return dt.timedelta(days=days, microseconds=microseconds)
        except OverflowError:
            pass
    years = int(months / 12)  # towards zero
    parts = [(years, "year"), (months - 12 * years, "month"), (days, "day")]
    words = [f"{number} {unit}{'' if number in (1, -1) else 's'}" for number, unit in parts if number]
    if microseconds or not words:
        words.append(("-" if microseconds < 0 else "") + _clock(abs(microseconds)))
    return " ".join(words)


def _clock(microseconds: int) -> str:
    seconds, below = divmod(microseconds, 1_000_000)
    fraction = f".{below:06d}".rstrip("0") if below else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def bit(stored: bytes) -> str:
    """Zeros and ones; the first byte says how many bits of the second one are none.

    >>> bit(b"\\x04\\xf5")
    '0101'
    """
    return "".join(f"{byte:08b}" for byte in stored[1:])[stored[0] :]


def bignum(stored: bytes) -> str:
    """An integer of any length: three bytes of sign and size, then the number, all inverted when it is negative.

    >>> bignum(b"\\x80\\x00\\x01\\xff"), bignum(b"\\x7f\\xff\\xfe\\xfe")
    ('255', '-1')
    """
    negative = not stored[0] & 0x80
    digits = bytes(byte ^ 0xFF for byte in stored[3:]) if negative else stored[3:]
    number = int.from_bytes(digits, "big")
    return str(-number if negative else number)
