"""Comments as people wrote them: repaired where that is certain, dropped where nothing is left of them.

In: a comment from a catalog. Out: the text, or None, and whether it was lost. Never: a repair that is a guess.
"""

from __future__ import annotations

import re

LONGEST = 2_048  # characters; MySQL's own bound for the comment of a table

_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_LOST = re.compile(r"[\W_]*\?{2,}[\W_]*")


def clean(comment: str | None) -> tuple[str | None, bool]:
    """The comment without outer blanks, and whether its words are lost.

    A comment whose letters were all replaced by ``?`` when it was written cannot be recovered and becomes None.

    >>> clean(" 用户 "), clean(""), clean("????"), clean("why??")
    (('用户', False), (None, False), (None, True), ('why??', False))
    """
    text = (comment or "").strip()
    if not text:
        return None, False
    if "??" in text and _LOST.fullmatch(text):
        return None, True
    return repaired(text)[:LONGEST], False


def repaired(text: str) -> str:
    r"""Undoes UTF-8 that was once read as Windows-1252 (MySQL's ``latin1``), if the result is valid and Chinese,
    Japanese or Korean; up to twice, since dumps are loaded twice.

    >>> repaired("ç”¨æˆ·"), repaired("café"), repaired("用户")
    ('用户', 'café', '用户')
    """
    if text.isascii() or _CJK.search(text):
        return text
    better = text
    for _ in range(2):
        try:
            better = b"".join(map(_byte, better)).decode("utf-8")
        except UnicodeError:
            return text
        if _CJK.search(better):
            return better
    return text


def _byte(character: str) -> bytes:
    """The byte of a character in MySQL's latin1: Windows-1252, with the five undefined bytes as C1 controls."""
    if character in "\x81\x8d\x8f\x90\x9d":
        return bytes((ord(character),))
    return character.encode("cp1252")
