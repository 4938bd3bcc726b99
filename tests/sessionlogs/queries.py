"""Made queries for the exam of the search: from the corpus and at random, hits and misses, every odd character.

What it is: a seeded generator of queries by class. In: the rows of the oracle, how many. Out: queries with their class,
each class about equally often, no query twice. Never: an empty query, or a query that UTF-8 cannot spell.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sessionlogs.oracle import Row

COUNT = 5_000
EMOJI = ("😀", "👩‍💻", "🇨🇳", "❤️", "👍🏽", "🧪", "✅", "\u200d", "\ufe0f", "𝒜", "𠮷")
COMBINING = ("e\u0301", "\u0301", "a\u0308o", "n\u0303", "कि", "ि", "각", "\u1100\u1161", "é", "É", "Å", "\u212b")
QUOTES = ("'", '"', "''", '""', "`", "“", "”", "'; --", '" OR "', "\\", "\\'", "[", "]", "don't", '"--x"')
_SHORT_OPERATORS = "AND OR NOT NEAR ^the the* * *** body: -x + ( ) { } : ask-codex -- /* ; ?1 $1 ::"
OPERATORS = (
    *_SHORT_OPERATORS.split(),
    *("NEAR(a b)", "a AND b", "TODO: fix", "a OR b NOT c", "text : data", "\t", "\n", "  ", " "),
)
WILD = ("%", "_", "%%", "__", "100%", "a%", "%a", "a_b", "_x_", "%_%", "\\%", "\\_", "％", "＿", "e%e", "t_e")
NUL = ("\0", "a\0", "\0a", "a\0b", "_done\0next", "done\0", "\0\0", "done\0nexts", "e\0", "\ufffe", "a\ufffe", "\uffff")
CASED = (
    *("STRASSE", "straße", "STRAẞE", "ΣΑΣ", "σας", "ς", "İ", "i̇", "ı", "ſ", "ﬁ", "FI", "\u212a", "ß", "ss", "ǅ"),
    *("Ωmega", "\u2126MEGA", "ＦＵＬＬ", "NAÏVE"),
)


@dataclass(frozen=True, slots=True)
class Query:
    """A text to look for, and the class by which times are counted."""

    text: str
    kind: str


def is_han(char: str) -> bool:
    """Whether ``char`` is one of the Chinese characters queries are cut from."""
    return "\u4e00" <= char <= "\u9fff"


class _Maker:
    def __init__(self, rows: Sequence[Row], draw: random.Random) -> None:
        self.draw = draw
        self.with_odd: dict[tuple[str, ...], tuple[set[str], list[str]]] = {}
        self.texts = [row.text for row in rows]
        self.han = [text for text in self.texts if sum(map(is_han, text[:40])) > 10] or ["数据查询用户文件测试错误"]

    def piece(self, length: int) -> str:
        """``length`` characters from somewhere in the corpus."""
        text = self.draw.choice(self.texts)
        at = self.draw.randrange(max(1, len(text) - length + 1))
        return text[at : at + length]

    def run(self, texts: Sequence[str], length: int, wanted: Callable[[str], bool]) -> str:
        """The like, of wanted characters only; made up of single ones after many tries."""
        for _ in range(60):
            text = self.draw.choice(texts)
            at = self.draw.randrange(len(text))
            found = text[at : at + length]
            if len(found) == length and all(map(wanted, found)):
                return found
        return "".join(self.draw.choice("数据查询用户eaotin") for _ in range(length))

    def letters(self, length: int) -> str:
        found = self.run(self.texts, length, str.isalpha)
        made = self._random("abcdefghiklmnoprstuvwz", length)
        return self.draw.choice((found, found, found.upper(), found.swapcase(), made))

    def chinese(self, length: int) -> str:
        found = self.run(self.han, length, is_han)
        return self.draw.choice((found, found, self._rare(length)))

    def words(self) -> str:
        """A phrase, a path or a line as somebody would paste it."""
        return self.piece(self.draw.randint(12, 80))

    def changed(self) -> str:
        """A piece of the corpus with one character changed: nearly always a miss that shares most trigrams."""
        found = list(self.piece(self.draw.randint(4, 20)))
        found[self.draw.randrange(len(found))] = self.draw.choice("xqzj0%_用\u0301'")
        return "".join(found)

    def odd(self, pool: Sequence[str]) -> str:
        """One of the odd texts alone, or glued to a piece of the corpus or to another odd one."""
        one = self.draw.choice(pool)
        shape = self.draw.randrange(6)
        if shape < 2:
            return one
        if shape < 5:
            piece = self.piece(self.draw.randint(1, 5))
            return one + piece if shape < 4 else piece + one
        return one + self.draw.choice((*EMOJI, *QUOTES, *WILD, *NUL))

    def around(self, pool: tuple[str, ...]) -> str:
        """A piece of the corpus that holds such an odd character, if there is one."""
        if pool not in self.with_odd:
            chars = set("".join(pool)) - set(string.ascii_letters + " ")
            self.with_odd[pool] = chars, [text for text in self.texts if not chars.isdisjoint(text)]
        chars, texts = self.with_odd[pool]
        if not texts:
            return self.odd(pool)
        text = self.draw.choice(texts)
        at = self.draw.choice([place for place, char in enumerate(text) if char in chars])
        return text[max(0, at - self.draw.randrange(4)) : at + self.draw.randint(1, 5)]

    def _random(self, alphabet: str, length: int) -> str:
        return "".join(self.draw.choices(alphabet, k=length))

    def _rare(self, length: int) -> str:
        return "".join(chr(self.draw.randrange(0x4E00, 0x9FA6)) for _ in range(length))


def _makers(maker: _Maker) -> dict[str, Callable[[], str]]:
    draw = maker.draw
    made: dict[str, Callable[[], str]] = {
        "letters 1": lambda: maker.piece(1),
        "letters 2": lambda: maker.letters(2),
        "letters 3+": lambda: maker.letters(draw.randint(3, 9)),
        "words": maker.words,
        "changed": maker.changed,
    }
    for length in range(1, 7):
        made[f"cjk {length}"] = lambda length=length: maker.chinese(length)  # type: ignore[misc]
    pools = {"emoji": EMOJI, "combining": COMBINING, "quotes": QUOTES, "operators": OPERATORS, "wild": WILD, "nul": NUL}
    for name, pool in {**pools, "cased": CASED}.items():
        made[name] = lambda pool=pool: draw.choice((maker.odd, maker.around))(pool)  # type: ignore[misc]
    return made


def queries(rows: Sequence[Row], count: int = COUNT, *, seed: int = 5) -> list[Query]:
    """``count`` different queries, the classes in turn; a class with no new query left is passed over."""
    return list(_queries(_makers(_Maker(rows, random.Random(seed))), count))


def _queries(makers: dict[str, Callable[[], str]], count: int) -> Iterator[Query]:
    seen: set[str] = set()
    while len(seen) < count:
        before = len(seen)
        for kind, make in makers.items():
            text = next((made for made in (make() for _ in range(20)) if made and made not in seen), "")
            if text and len(seen) < count:
                seen.add(text)
                yield Query(text, kind)
        if len(seen) == before:
            return
