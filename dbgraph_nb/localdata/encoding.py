"""Text encodings of local files: which one a file is written in, and the same text in UTF-8.

In: bytes, or the name that a user gives. Out: an ``Encoding``, a copy. Never: a text that is read as something else
without a word: what is not proven says so (``sure``), what reads as no language is refused, and so is a copy at the
first byte that is not valid.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.localdata.encoding_scores import EURO, best, best_wide

_PIECE: Final = 1 << 20
_LOOKED_AT: Final = 1 << 16  # bytes that decide about a byte order
_COMMON: Final = "utf-8, utf-16, gbk, big5, shift_jis, euc-kr, latin-1, windows-1250 or windows-1251"
_GIVE: Final = f"Give its encoding with --csv encoding=NAME, such as {_COMMON}."


@dataclass(frozen=True, slots=True)
class Encoding:
    """What a text is written in.

    Attributes:
        codec: as Python names it; ``utf-16`` and ``utf-32`` only where a user asks for them, their byte order is
            looked up in the file.
        bom: bytes of the byte-order mark at the start of the file, 0 for none.
        sure: proven by its mark or by being valid UTF-8, or told by the user; else a guess.
        shown: what a person calls it.
    """

    codec: str
    bom: int
    sure: bool
    shown: str


_SHOWN: Final[Mapping[str, str]] = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "utf-32": "UTF-32",
    "utf-32-le": "UTF-32 LE",
    "utf-32-be": "UTF-32 BE",
    "gb18030": "GBK (GB18030)",
    "cp950": "Big5",
    "big5hkscs": "Big5 (Hong Kong)",
    "cp932": "Shift JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1252": "Windows-1252 (Latin-1)",
    "cp1250": "Windows-1250 (Central European)",
    "iso8859-2": "ISO 8859-2 (Latin-2)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp850": "DOS 850 (Western European)",
    "cp866": "DOS 866 (Cyrillic)",
    "koi8-r": "KOI8-R",
    "mac-roman": "Mac Roman",
}
_MARKS: Final = (  # that of UTF-16 LE is the start of that of UTF-32 LE
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
# Python's codec → the one that has all its characters and more, as programs write them under the same name. Latin-1 is
# read as browsers do: the controls that Windows-1252 has characters for are in no text.
_WIDER: Final[Mapping[str, str]] = {
    "ascii": "utf-8",
    "utf-8-sig": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
}
_OTHER_NAMES: Final[Mapping[str, str]] = {
    "unicode": "utf-16",
    "utf-8-bom": "utf-8",
    "utf8-bom": "utf-8",
    "cp31j": "cp932",
}
# Codecs from text to text or for names of hosts, and those that only one system has.
_NO_FILES: Final = frozenset(
    ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "charmap", "mbcs", "oem", "palmos")
)


def detect(head: bytes, *, whole: bool) -> Encoding:
    """Finds out what a text is written in.

    Valid UTF-8 is always UTF-8. A text that is UTF-8 but for a few bytes is UTF-8 and not ``sure``, so that its reader
    says where it is broken: read as anything else, all its other characters would be wrong.

    Args:
        head: its first bytes; up to 1 MiB is looked at quickly.
        whole: whether that is all of it; else the last character may be cut.

    Raises:
        QueryFailed: it reads as no language in any encoding known here (code ``bad-encoding``).

    >>> detect("姓名,城市\\n张三,北京\\n".encode("gbk"), whole=True).shown
    'GBK (GB18030)'
    """
    for mark, codec in _MARKS:
        if head.startswith(mark):
            shown = _SHOWN[codec] + (" with a byte-order mark" if codec == "utf-8" else "")
            return Encoding(codec, len(mark), True, shown)
    wide = best_wide(head, whole=whole) if b"\0" in head else None
    if wide:
        return Encoding(wide, 0, False, _SHOWN[wide])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        found = best(head, whole=whole)
    else:
        return Encoding("utf-8", 0, True, _SHOWN["utf-8"])
    if found is None:
        raise QueryFailed(
            "The file reads as a text in no known encoding.",
            code="bad-encoding",
            hint=f"Check whether it is a text. {_GIVE}",
        )
    return Encoding(found, 0, False, _SHOWN[found])


def named(name: str) -> Encoding:
    """The encoding that a user asks for.

    Raises:
        BadArgument: there is none of that name, or it is none of text files (code ``unknown-encoding``).

    >>> named("GB2312").codec
    'gb18030'
    """
    wanted = name.strip().lower() if isinstance(name, str) else ""
    if not re.fullmatch(r"[a-z0-9][a-z0-9 _:()-]{0,39}", wanted):
        raise _unknown(name)
    info = _found(wanted)
    if info is None or info.name.replace("_", "-") in _NO_FILES or not getattr(info, "_is_text_encoding", True):
        raise _unknown(name)
    codec = _WIDER.get(info.name, info.name)
    return Encoding(codec, 0, True, _SHOWN.get(codec, codec.upper()))


def _found(wanted: str) -> codecs.CodecInfo | None:
    tidy = re.sub(r"[ _]+", "-", wanted).replace("windows-", "cp")
    for spelling in (_OTHER_NAMES.get(tidy, tidy), tidy.replace("-", "")):
        try:
            return codecs.lookup(spelling)
        except LookupError:
            continue
    return None


def _unknown(name: object) -> BadArgument:
    shown = f"called {name[:40]!r}" if isinstance(name, str) and name.isprintable() and name else "of that name"
    return BadArgument(f"There is no text encoding {shown}.", code="unknown-encoding", hint=f"Give {_COMMON}.")


def to_utf8(source: BinaryIO, target: BinaryIO, encoding: Encoding, stop: Callable[[], bool] = lambda: False) -> bool:
    """Writes the text of ``source`` to ``target`` in UTF-8, without a byte-order mark.

    Args:
        source: the bytes of the file from its start.
        stop: is asked before each MiB.

    Returns:
        Whether all was written; False once ``stop`` says so.

    Raises:
        QueryFailed: the text is not valid in that encoding; says at which byte and in which line (code
            ``bad-encoding``).
    """
    return _copy(source, target, encoding, stop, piece=_PIECE)


def _copy(source: BinaryIO, target: BinaryIO, encoding: Encoding, stop: Callable[[], bool], *, piece: int) -> bool:
    _filled(source, encoding.bom)
    start, codec = b"", encoding.codec
    if codec in ("utf-16", "utf-32"):
        start = _filled(source, _LOOKED_AT)
        codec = _with_byte_order(codec, start)
    decoder = codecs.getincrementaldecoder(codec)(EURO if codec == "gb18030" else "strict")
    at, line, begun, broken = encoding.bom, 1, encoding.bom > 0, None
    while not stop():
        data = start or source.read(piece)
        start = b""
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, final=not data)
            if not begun and text:  # a name does not tell whether there is a mark
                text, begun = text.removeprefix("\ufeff"), True
            target.write(text.encode())
        except UnicodeError as error:
            broken = _broken(encoding, codec, error, at - pending, line)
            break
        if not data:
            return True
        at, line = at + len(data), line + text.count("\n")
    if broken:
        raise broken  # here, so that it holds no bytes of the file as its context
    return False


def _filled(source: BinaryIO, size: int) -> bytes:
    """That many bytes where there are as many: a stream may give less than it is asked for."""
    data = b""
    while len(data) < size and (more := source.read(size - len(data))):
        data += more
    return data


def _with_byte_order(codec: str, head: bytes) -> str:
    """The codec of its mark, or in which the text reads better, or that of most programs: the low byte first."""
    found = next((marked for mark, marked in _MARKS if head.startswith(mark) and marked.startswith(codec)), None)
    found = found or best_wide(head, whole=len(head) < _LOOKED_AT)
    return found if found and found.startswith(codec) else f"{codec}-le"


def _broken(encoding: Encoding, codec: str, error: UnicodeError, at: int, line: int) -> QueryFailed:
    """The error of a text that is not valid. ``at`` and ``line`` are of the start of what was being decoded."""
    if isinstance(error, UnicodeDecodeError):
        at += error.start
        line += error.object[: error.start].decode(codec, "ignore").count("\n")
    return QueryFailed(
        f"The text is not valid in {encoding.shown}: byte {at + 1}, in line {line}.",
        code="bad-encoding",
        hint=_GIVE.replace("its", "another"),
    )
