"""Batches of rows through the Arrow C stream interface, without a package that knows Arrow.

In: the capsule of an ``__arrow_c_stream__``. Out: its columns as a tree of ``Field``, and one ``Batch`` after another.
Never: a value of Python's (see ``arrow_values``), a copy of a buffer, or a batch that is read after its release.

The structures are those of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. A call
into the stream releases the GIL, so another thread can stop the query behind it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_NAME = b"ARROW:extension:name"
_METADATA = b"ARROW:extension:metadata"


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]
_POINTER: Final = ctypes.pythonapi.PyCapsule_GetPointer
_POINTER.restype = ctypes.c_void_p
_POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]


class StreamFailed(Exception):
    """The engine's own message, for ``translate``; never leaves this package."""


@dataclass(frozen=True, slots=True)
class Field:
    """A column or a part of one.

    Attributes:
        name: its name, "" where it has none.
        format: its layout, as the C data interface spells it (``l``, ``d:18,2``, ``+s`` …).
        kind: the name of its extension type, for those of DuckDB the type (``hugeint``, ``bit``), else "".
        children: of a list, a structure, a map, a union.
        dictionary: the values of an enum, whose own layout is that of its positions.
    """

    name: str
    format: str
    kind: str
    children: tuple[Field, ...]
    dictionary: Field | None


class Batch:
    """Some rows; the buffers live until ``release``."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.length: int = array.length

    def columns(self) -> list[Any]:
        """The array of each column."""
        return [self.array.children[i].contents for i in range(self.array.n_children)]

    def release(self) -> None:
        """Gives the buffers back; a second call has no effect."""
        if self.array.release:
            self.array.release(ctypes.byref(self.array))


class ArrowStream:
    """The rows of one statement, which runs while they are asked for."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule  # its end is the end of the query
        self._stream: Any = ctypes.cast(_POINTER(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))

    def fields(self) -> tuple[Field, ...]:
        """The columns.

        Raises:
            StreamFailed: the engine says why.
        """
        schema = _Schema()
        self._check(self._stream.contents.get_schema(self._stream, ctypes.byref(schema)))
        try:
            return _field(schema).children
        finally:
            schema.release(ctypes.byref(schema))

    def batches(self) -> Iterator[Batch]:
        """Each batch is released when the next one is asked for.

        Raises:
            StreamFailed: the engine says why.
        """
        while True:
            array = _Array()
            self._check(self._stream.contents.get_next(self._stream, ctypes.byref(array)))
            if not array.release:
                return
            batch = Batch(array)
            try:
                yield batch
            finally:
                batch.release()

    def close(self) -> None:
        """Ends the query; a second call has no effect."""
        if self._stream is not None and self._stream.contents.release:
            self._stream.contents.release(self._stream)
        self._stream = self._capsule = None

    def _check(self, code: int) -> None:
        if code:
            message = self._stream.contents.get_last_error(self._stream)
            raise StreamFailed(message.decode("utf-8", "replace") if message else "")


def _field(schema: Any) -> Field:
    metadata = _pairs(schema.metadata) if schema.metadata else {}
    return Field(
        name=(schema.name or b"").decode("utf-8", "replace"),
        format=schema.format.decode("ascii", "replace"),
        kind=_kind(metadata),
        children=tuple(_field(schema.children[i].contents) for i in range(schema.n_children)),
        dictionary=_field(schema.dictionary.contents) if schema.dictionary else None,
    )


def _kind(metadata: dict[bytes, bytes]) -> str:
    name = metadata.get(_NAME, b"").decode("ascii", "replace")
    if name != "arrow.opaque":
        return name
    import json

    try:
        return str(json.loads(metadata.get(_METADATA, b"{}")).get("type_name", name))
    except ValueError:
        return name


def _pairs(address: int) -> dict[bytes, bytes]:
    """Metadata is a count, then for each key and value their length and bytes, in the machine's byte order."""

    def number() -> int:
        nonlocal address
        value = ctypes.c_int32.from_address(address).value
        address += 4
        return value

    def text() -> bytes:
        nonlocal address
        size = number()
        value = ctypes.string_at(address, size)
        address += size
        return value

    pairs: dict[bytes, bytes] = {}
    for _ in range(number()):
        key = text()
        pairs[key] = text()
    return pairs
