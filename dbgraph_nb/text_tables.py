"""What the tokenizer knows about single characters: its class, its folded form, its simplified form.

In: one code point at a time. Out: memo tables for ``str.translate`` that both twins are built on. Never: a rule
that looks at a character's neighbours (those are in ``text_reference`` and in ``kernels/segment.py``).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

# One letter per class, so that a text's classes are themselves a string that a regular expression can read.
SEPARATOR = " "
APOSTROPHE = "'"
LOWER = "l"
LOWER_S = "s"  # the letters s and S apart: plural acronyms (IDs) and the English 's
UPPER = "U"
UPPER_S = "S"
OTHER = "a"  # letters without case
DIGIT = "d"
CJK = "c"
MARK = "m"
DROPPED = "x"

_CJK_RANGES = (
    (0x1100, 0x11FF),  # Hangul jamo
    (0x2E80, 0x2EFF),  # radicals
    (0x3005, 0x3007),  # 々 〆 〇
    (0x3021, 0x3029),
    (0x3031, 0x3035),  # kana repeat marks
    (0x3038, 0x303B),
    (0x3041, 0x3096),  # hiragana
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),  # katakana; U+30FB, the middle dot, separates
    (0x30FC, 0x30FF),  # ー and repeat marks
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han, whole blocks: newer characters count on an older Python too
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7A3),  # Hangul syllables
    (0xD7B0, 0xD7FF),
    (0xF900, 0xFAFF),  # the few compatibility ideographs that NFKC keeps
    (0x1AFF0, 0x1AFFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x2FFFD),  # Han, planes 2 and 3
    (0x30000, 0x3FFFD),
)
# Where every code point is CJK and its own normal and folded form.
PLAIN_CJK_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x20000, 0x2F7FF), (0x30000, 0x3FFFD))
_DROPPED_RANGES = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers: letters by category, but invisible
    (0x180B, 0x180F),  # Mongolian variation selectors
    (0xFE00, 0xFE0F),
    (0xE0000, 0xE0FFF),  # tags, ideographic variation selectors
)
_BY_CATEGORY = {"Lu": UPPER, "Lt": UPPER, "Ll": LOWER, "Cf": DROPPED}
_BY_MAJOR = {"L": OTHER, "N": DIGIT, "M": MARK}
_BY_CHARACTER = {"s": LOWER_S, "S": UPPER_S, "'": APOSTROPHE, "’": APOSTROPHE}


def char_class(char: str) -> str:
    """The class of one character of NFKC text, as one of the letters above.

    >>> "".join(map(char_class, "iOS's №1 会员"))
    "lUS's  d cc"
    """
    if char in _BY_CHARACTER:
        return _BY_CHARACTER[char]
    code = ord(char)
    if any(first <= code <= last for first, last in _DROPPED_RANGES):
        return DROPPED
    if any(first <= code <= last for first, last in _CJK_RANGES):
        return CJK
    category = unicodedata.category(char)
    return _BY_CATEGORY.get(category) or _BY_MAJOR.get(category[0], SEPARATOR)


def is_latin(char: str) -> bool:
    """Whether the character is a letter of the Latin script."""
    return unicodedata.name(char, "").startswith("LATIN ")


def fold(char: str) -> str:
    """The caseless form of one character, Latin letters without their diacritics; may be longer than one.

    >>> [fold(c) for c in "ÉßİЙё用"]
    ['e', 'ss', 'i', 'й', 'ё', '用']
    """
    folded = char.casefold()
    bare = unicodedata.normalize("NFD", folded)
    if bare != folded or len(bare) > 1:
        if not is_latin(bare[0]):
            return folded
        return "".join(c for c in bare if not unicodedata.category(c).startswith("M"))
    return folded


class ClassTable(dict[int, str]):
    """Code point → class letter, for ``str.translate``; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = result = char_class(chr(code))
        return result


class FoldTable(dict[int, str]):
    """Code point → folded form, for ``str.translate``; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = result = fold(chr(code))
        return result


CLASSES = ClassTable()
FOLDS = FoldTable()


@cache
def simplified() -> dict[int, str]:
    """Code point of a traditional character → its simplified form, for ``str.translate``; read on first use."""
    path = Path(__file__).with_name("traditional_to_simplified.txt")
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (pair for line in lines if not line.startswith("#") for pair in line.split(" "))
    return {ord(pair[0]): pair[1] for pair in pairs}


@cache
def traditional() -> frozenset[str]:
    """The traditional characters that have a simplified form."""
    return frozenset(map(chr, simplified()))
