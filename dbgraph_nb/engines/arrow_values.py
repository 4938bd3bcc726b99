"""Arrow arrays of DuckDB as Python's values, the same as its own ``fetchall`` gives, and right where that one loses.

In: a ``Field`` and its array, which rows. Out: a list of values. Never: a rounded number, an infinite date that became
a finite one, months that became days.

``fetchall`` makes '9999-12-31' of an infinite date, 30 days of a month, and cuts nanoseconds; here such values, and
dates outside of Python's years 1 to 9999, are the text that DuckDB shows (``duckdb_texts``), and nanoseconds a
``pandas.Timestamp``. It is long because every layout of Arrow that DuckDB writes stands here.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import re
import uuid
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from dbgraph_nb.engines import duckdb_texts as texts
from dbgraph_nb.engines.arrow_c import Field

if TYPE_CHECKING:
    import numpy as np

Values = list[Any]
_Decode = Callable[[Field, Any, int, int], Values]

_NUMBERS: Final = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
                   "f": "f4", "g": "f8"}  # fmt: skip
_TICKS: Final = {"s": 1_000_000_000, "m": 1_000_000, "u": 1_000, "n": 1}  # nanoseconds of a unit
_DECIMAL: Final = re.compile(r"d:\d+,(-?\d+)(?:,128)?")
_EXACT: Final = Context(prec=60)  # more than the 39 digits that 128 bits can have
_KINDS: Final = {"", "arrow.json", "arrow.uuid", "arrow.bool8", "geoarrow.wkb", "hugeint", "uhugeint", "bit", "time_tz",
                 "bignum"}  # fmt: skip


def can_decode(field: Field) -> bool:
    """Whether every layout and type inside is one that is known here."""
    children = (*field.children, *([field.dictionary] if field.dictionary else []))
    return field.kind in _KINDS and _decoder(field) is not None and all(map(can_decode, children))


def decode(field: Field, array: Any, start: int, stop: int) -> Values:
    """The values of the rows ``start`` to ``stop`` of an array; NULL is None.

    Args:
        field: what the array is; ``can_decode`` was asked.
        array: the C structure.
        start, stop: rows, counted from the array's own offset.
    """
    if stop <= start:
        return []
    function = _decoder(field)
    assert function is not None
    found = function(field, array, array.offset + start, array.offset + stop)
    if field.format == "n" or field.format.startswith("+us") or array.null_count == 0 or not array.buffers[0]:
        return found
    valid = _bits(array.buffers[0], array.offset + start, array.offset + stop)
    return [value if there else None for value, there in zip(found, valid, strict=True)]


def _decoder(field: Field) -> _Decode | None:
    if field.dictionary is not None:
        return _enum if field.format in _NUMBERS else None
    if field.kind in _BY_KIND:
        layout, function = _BY_KIND[field.kind]
        return function if field.format == layout else None
    if field.format in _NUMBERS:
        return _numbers
    if field.format.startswith("d:"):
        return _decimals if _DECIMAL.fullmatch(field.format) else None
    return next((function for start, function in _BY_FORMAT if field.format.startswith(start)), None)


# --- flat values ----------------------------------------------------------------------------------------------------


def _at(address: int, dtype: str, start: int, stop: int) -> np.ndarray[Any, np.dtype[Any]]:
    import numpy as np

    size = np.dtype(dtype).itemsize
    memory = (ctypes.c_char * ((stop - start) * size)).from_address(address + start * size)
    values: np.ndarray[Any, np.dtype[Any]] = np.frombuffer(memoryview(memory), dtype)
    return values


def _ticks(array: Any, dtype: str, start: int, stop: int, width: int = 1) -> np.ndarray[Any, np.dtype[Any]]:
    """Numbers, ``width`` a row; those of NULL may be anything in the buffer, here they are 0."""
    found = _at(array.buffers[1], dtype, width * start, width * stop)
    if array.null_count == 0 or not array.buffers[0]:
        return found
    import numpy as np

    valid = np.repeat(np.array(_bits(array.buffers[0], start, stop)), width)
    return np.where(valid, found, np.zeros_like(found))


def _bits(address: int, start: int, stop: int) -> list[bool]:
    import numpy as np

    first = start // 8
    packed = _at(address, "u1", first, (stop + 7) // 8)
    found = np.unpackbits(packed, bitorder="little")
    bits: list[bool] = found[start - first * 8 : stop - first * 8].astype(bool).tolist()
    return bits


def _nothing(field: Field, array: Any, start: int, stop: int) -> Values:
    return [None] * (stop - start)


def _numbers(field: Field, array: Any, start: int, stop: int) -> Values:
    values: Values = _at(array.buffers[1], _NUMBERS[field.format], start, stop).tolist()
    return values


def _booleans(field: Field, array: Any, start: int, stop: int) -> Values:
    return [value != 0 for value in _numbers(field, array, start, stop)]


def _packed_booleans(field: Field, array: Any, start: int, stop: int) -> Values:
    return list(_bits(array.buffers[1], start, stop))


def _decimals(field: Field, array: Any, start: int, stop: int) -> Values:
    found = _DECIMAL.fullmatch(field.format)
    assert found is not None
    multiply, unit = _EXACT.multiply, Decimal(f"1E{-int(found[1])}")
    return [multiply(number, unit) for number in _wide(array, start, stop)]


def _wide(array: Any, start: int, stop: int) -> list[int]:
    """Integers of 128 bits with a sign; they mostly fit into 64."""
    halves = _at(array.buffers[1], "<i8", 2 * start, 2 * stop)
    low, high = halves[0::2], halves[1::2]
    if ((low >> 63) == high).all():
        return low.tolist()  # type: ignore[no-any-return]
    return [(h << 64) | (n & 0xFFFF_FFFF_FFFF_FFFF) for n, h in zip(low.tolist(), high.tolist(), strict=True)]


def _huge(field: Field, array: Any, start: int, stop: int) -> Values:
    return list(_wide(array, start, stop))


def _pieces(array: Any, start: int, stop: int, size: int) -> list[bytes]:
    whole = ctypes.string_at(array.buffers[1] + start * size, (stop - start) * size)
    return [whole[i : i + size] for i in range(0, len(whole), size)]


def _unsigned_huge(field: Field, array: Any, start: int, stop: int) -> Values:
    return [int.from_bytes(piece, "little") for piece in _pieces(array, start, stop, 16)]


def _uuids(field: Field, array: Any, start: int, stop: int) -> Values:
    return [uuid.UUID(bytes=piece) for piece in _pieces(array, start, stop, 16)]


# --- texts and bytes ------------------------------------------------------------------------------------------------


def _spans(array: Any, start: int, stop: int, wide: bool) -> tuple[list[int], bytes]:
    """Where each value begins and ends in the bytes of them all."""
    offsets = _at(array.buffers[1], "i8" if wide else "i4", start, stop + 1)
    first, last = int(offsets[0]), int(offsets[-1])
    data = ctypes.string_at(array.buffers[2] + first, last - first) if last > first else b""
    return (offsets - first).tolist(), data


def _texts(field: Field, array: Any, start: int, stop: int) -> Values:
    offsets, data = _spans(array, start, stop, field.format == "U")
    if data.isascii():
        whole = data.decode("ascii")
        return [whole[a:b] for a, b in pairwise(offsets)]
    return [data[a:b].decode("utf-8") for a, b in pairwise(offsets)]


def _blobs(field: Field, array: Any, start: int, stop: int) -> Values:
    offsets, data = _spans(array, start, stop, field.format == "Z")
    return [data[a:b] for a, b in pairwise(offsets)]


def _bit_texts(field: Field, array: Any, start: int, stop: int) -> Values:
    return [texts.bit(piece) if piece else "" for piece in _blobs(field, array, start, stop)]


def _bignums(field: Field, array: Any, start: int, stop: int) -> Values:
    return [texts.bignum(piece) if piece else "" for piece in _blobs(field, array, start, stop)]


# --- times ----------------------------------------------------------------------------------------------------------


def _dates(field: Field, array: Any, start: int, stop: int) -> Values:
    return [texts.date(days) for days in _ticks(array, "i4", start, stop).tolist()]


def _times(field: Field, array: Any, start: int, stop: int) -> Values:
    unit = field.format[2]
    ticks = _ticks(array, "i4" if unit in "sm" else "i8", start, stop).tolist()
    return [texts.time(tick * _TICKS[unit]) for tick in ticks]


def _zoned_times(field: Field, array: Any, start: int, stop: int) -> Values:
    return [texts.zoned_time(bits) for bits in _ticks(array, "u8", start, stop).tolist()]


def _timestamps(field: Field, array: Any, start: int, stop: int) -> Values:
    unit, _, zone = field.format[2:].partition(":")
    at = _zone(zone) if zone else None
    ticks = _ticks(array, "i8", start, stop).tolist()
    if unit == "n":
        return [texts.nanoseconds(tick, at) for tick in ticks]
    return [texts.timestamp(tick, _TICKS[unit] // 1_000, at) for tick in ticks]


@lru_cache(maxsize=8)
def _zone(name: str) -> dt.tzinfo:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return dt.UTC


def _intervals(field: Field, array: Any, start: int, stop: int) -> Values:
    days, nanoseconds = _ticks(array, "i4", start, stop, 4), _ticks(array, "i8", start, stop, 2)
    parts = zip(days[0::4].tolist(), days[1::4].tolist(), nanoseconds[1::2].tolist(), strict=True)
    return [texts.interval(months, of_days, rest // 1_000) for months, of_days, rest in parts]


# --- nested values --------------------------------------------------------------------------------------------------


def _enum(field: Field, array: Any, start: int, stop: int) -> Values:
    assert field.dictionary is not None
    words = decode(field.dictionary, array.dictionary.contents, 0, array.dictionary.contents.length)
    last = len(words) - 1  # the position of a NULL may be anything
    return [words[min(i, last)] if words else None for i in _numbers(field, array, start, stop)]


def _lists(field: Field, array: Any, start: int, stop: int) -> Values:
    offsets = _at(array.buffers[1], "i8" if field.format == "+L" else "i4", start, stop + 1).tolist()
    inner = decode(field.children[0], array.children[0].contents, offsets[0], offsets[-1])
    base = offsets[0]
    return [inner[a - base : b - base] for a, b in pairwise(offsets)]


def _arrays(field: Field, array: Any, start: int, stop: int) -> Values:
    size = int(field.format[3:])
    inner = decode(field.children[0], array.children[0].contents, start * size, stop * size)
    return [tuple(inner[i : i + size]) for i in range(0, len(inner), size)] if size else [()] * (stop - start)


def _structs(field: Field, array: Any, start: int, stop: int) -> Values:
    columns = _children(field, array, start, stop)
    names = [child.name for child in field.children]
    rows = zip(*columns, strict=True)
    if not any(names):
        return list(rows)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _children(field: Field, array: Any, start: int, stop: int) -> list[Values]:
    return [decode(child, array.children[i].contents, start, stop) for i, child in enumerate(field.children)]


def _maps(field: Field, array: Any, start: int, stop: int) -> Values:
    offsets = _at(array.buffers[1], "i4", start, stop + 1).tolist()
    entries = array.children[0].contents
    keys, values = (
        decode(child, entries.children[i].contents, entries.offset + offsets[0], entries.offset + offsets[-1])
        for i, child in enumerate(field.children[0].children)
    )
    base = offsets[0]
    spans = pairwise(offsets)
    return [_map(keys[a - base : b - base], values[a - base : b - base]) for a, b in spans]


def _map(keys: Sequence[Any], values: Sequence[Any]) -> dict[Any, Any]:
    """Keys that Python cannot hash stand beside their values, as DuckDB's own client does it."""
    try:
        return dict(zip(keys, values, strict=True))
    except TypeError:
        return {"key": list(keys), "value": list(values)}


def _unions(field: Field, array: Any, start: int, stop: int) -> Values:
    members = {int(number): i for i, number in enumerate(field.format[4:].split(","))}
    tags = _at(array.buffers[0], "i1", start, stop).tolist()
    columns = _children(field, array, start, stop)
    return [columns[members[tag]][row] if tag in members else None for row, tag in enumerate(tags)]


_BY_KIND: Final[dict[str, tuple[str, _Decode]]] = {
    "arrow.bool8": ("c", _booleans),
    "arrow.uuid": ("w:16", _uuids),
    "hugeint": ("w:16", _huge),
    "uhugeint": ("w:16", _unsigned_huge),
    "time_tz": ("w:8", _zoned_times),
    "bit": ("z", _bit_texts),
    "bignum": ("z", _bignums),
}
_BY_FORMAT: Final[tuple[tuple[str, _Decode], ...]] = (
    ("n", _nothing), ("b", _packed_booleans), ("u", _texts), ("U", _texts), ("z", _blobs), ("Z", _blobs),
    ("tdD", _dates), ("tts", _times), ("ttm", _times), ("ttu", _times), ("ttn", _times),
    ("tss:", _timestamps), ("tsm:", _timestamps), ("tsu:", _timestamps), ("tsn:", _timestamps), ("tin", _intervals),
    ("+l", _lists), ("+L", _lists), ("+w:", _arrays), ("+s", _structs), ("+m", _maps), ("+us:", _unions),
)  # fmt: skip
