"""JSON text made shorter while it streams by: what stays is valid JSON with the same keys and fewer characters.

In: pieces of a JSON text. Out: the text with its long strings cut and its blobs emptied, and how much is gone. Never:
more than a bound in memory, a cut inside of an escape or a character.
"""

from __future__ import annotations

import re
from typing import Final

from dbgraph_nb.sessionlogs.reading import Limits

_BODY: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL)  # of a string, up to its quote
_WHOLE: Final = re.compile(rb'[^"\\]*(?:\\(?:u[0-9A-Fa-f]{4}|[^u])[^"\\]*)*', re.DOTALL)  # up to a half escape
_HALF_PAIR: Final = re.compile(rb"\\u[dD][89abAB][0-9A-Fa-f]{2}\Z")
_BLOB: Final = re.compile(rb"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/=_-]*(?:\\[nr/][A-Za-z0-9+/=_-]*)*")
_KEPT_WHEN_FULL: Final = 256  # bytes of a string once the record is full: keys, names and numbers stay


class Squeezer:
    """Takes pieces, gives the shortened text.

    Attributes:
        cut: bytes of text that are gone.
        blobs, blob_bytes: strings that were no text, and their size.
        overflow: even the shortened text is too long; then it is not to be used.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._out: list[bytes] = []
        self._size = 0
        self._inside = False
        self._string: list[bytes] = []
        self._held = self._length = 0
        self._blob = True
        self._carry = b""
        self.cut = self.blobs = self.blob_bytes = 0
        self.overflow = False

    def feed(self, piece: bytes) -> None:
        """The next bytes of the text."""
        data, at = self._carry + piece, 0
        self._carry = b""
        while at < len(data):
            if not self._inside:
                quote = data.find(b'"', at)
                end = len(data) if quote < 0 else quote + 1
                self._keep(data[at:end])
                self._inside, at = quote >= 0, end
                continue
            match = _BODY.match(data, at)
            end = match.end() if match else at
            self._add(data[at:end])
            at = end
            if data[at : at + 1] == b'"':
                self._close()
                at += 1
            elif at < len(data):  # a backslash whose other half comes with the next piece
                self._carry, at = data[at:], len(data)

    def result(self) -> bytes:
        """The shortened text."""
        if self._inside:
            self._close()
        return b"".join(self._out)

    def _keep(self, data: bytes) -> None:
        if self._size + len(data) > self._limits.line + (1 << 20):
            self.overflow = True
            self._out.clear()
        if not self.overflow:
            self._size += len(data)
            self._out.append(data)

    def _add(self, data: bytes) -> None:
        self._length += len(data)
        room = self._limits.text - self._held
        if self._blob and data and not _BLOB.fullmatch(data):
            self._blob = False
        if room > 0:
            kept = data[:room]
            self._string.append(kept)
            self._held += len(kept)

    def _close(self) -> None:
        text = b"".join(self._string)
        blob = self._blob and self._length > self._limits.blob
        room = min(self._limits.text, max(self._limits.line - self._size, _KEPT_WHEN_FULL))
        if blob:
            self.blobs += 1
            self.blob_bytes += self._length
            text = b""
        elif self._length > room:
            text = _whole(text[:room])
            self.cut += self._length - len(text)
        self._keep(text)
        self._keep(b'"')
        self._string, self._held, self._length = [], 0, 0
        self._inside, self._blob = False, True


def _whole(text: bytes) -> bytes:
    r"""``text`` without a half escape or a half character at its end.

    >>> _whole(rb"ab\u00"), _whole(rb"a\\"), _whole(rb"a\\\\"[:4]), _whole("aé".encode()[:2])
    (b'ab', b'a\\\\', b'a\\\\', b'a')
    """
    found = _WHOLE.match(text)
    text = _HALF_PAIR.sub(b"", text[: found.end()] if found else b"")
    for back in range(1, min(4, len(text)) + 1):
        if text[-back] & 0xC0 != 0x80:  # the first byte of the last character says how many it has
            needed = 1 + (text[-back] >= 0xC0) + (text[-back] >= 0xE0) + (text[-back] >= 0xF0)
            return text[:-back] if needed > back else text
    return text
