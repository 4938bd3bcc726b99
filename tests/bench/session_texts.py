"""Made texts with the word frequencies of real ones, the same for the same random generator.

What it is: Zipf's law over made vocabularies (English words, Chinese words over the common characters, names in code,
paths) behind a few lines a kind: prose, Chinese, code, hits of grep, JSON, log lines, hashes. In: a seeded
``random.Random``. Out: texts of a wanted size in UTF-8 bytes. Never: a text of another corpus.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable


def _words(text: str) -> list[str]:
    return text.split()


FUNCTION_WORDS = _words("""
    the of and to a in is that for it with as on be this are by from not or an at we if can which will but you have
    all was when one file has use then so more value no there only test error data code set type new line now should
    each get returns used run first two other also any before after name same list add been does into still because
    what its time need where how them check make result read query table user index between case
""")
COMMON_HAN = (
    "的一是不了在有人这中大来上个国和也子时道说用要就出会可以对生能而下过得着自之年前后面如心都开部事里"
    "成方多经么去法学定行问题数据表查询用户文件测试错误修改代码运行结果检查字段索引记录删除更新"
)
KEYWORDS = _words("def return if else for in import from class self None True False const let await async function new")
STARTS = _words("b c d f g h l m n p r s t v w st tr pl ch sh qu gr br cl pr sp con de re in ex un")
VOWELS = _words("a e i o u a e i o ea ou io ee")
ENDS = _words("n r t s l m d ck ng st nt x p ve ss ct") + [""] * 6
TAILS = ["", "", "", *_words("s ing ed er ion ly able ment")]
ODD = (
    "100%_done\0next",
    'it\'s "a" OR "b" NEAR(c)',
    "\U0001f469\u200d\U0001f4bb ok \U0001f1e8\U0001f1f3",
    "e\u0301te\u0301 Éte\u0301",
    "İstanbul STRASSE Straße ﬁn",
    "ｆｕｌｌ ＷＩＤＴＨ％",
    "한국어 テスト कि",
    "-- ; DROP TABLE x",
    "C:\\temp\\*.log",
    "a\0b",
    "a\ufffeb \uffff",  # what a store may be tempted to put for NUL
    "naïve Ωmega ΣΑΣ ς",
    "x\u200dy\ufe0f",
    "𠮷野家 𝒜",
)


def _zipf(count: int) -> list[float]:
    return list(itertools.accumulate(1 / (rank + 2.7) for rank in range(1, count + 1)))


class Texts:
    """Texts of a given size of six kinds; the vocabularies are made once."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        made = {self._word() for _ in range(42_000)}
        ranked = sorted(made)
        draw.shuffle(ranked)
        self.english = list(dict.fromkeys(FUNCTION_WORDS + sorted(ranked, key=lambda w: len(w) * draw.random())))
        rare = [bytes((high, low)).decode("gb2312") for high in range(0xB0, 0xD7) for low in range(0xA1, 0xFF)]
        draw.shuffle(rare)
        han = list(dict.fromkeys(COMMON_HAN + "".join(rare)))
        lengths = draw.choices((1, 2, 3, 4), (25, 60, 10, 5), k=20_000)
        letters = iter(draw.choices(han, cum_weights=_zipf(len(han)), k=sum(lengths)))
        self.chinese = list(dict.fromkeys("".join(itertools.islice(letters, n)) for n in lengths))
        parts = iter(draw.choices(self.english[60:9000], cum_weights=_zipf(8940), k=30_000))
        shapes = draw.choices((1, 2, 3), (2, 5, 2), k=10_000)
        self.names = list(dict.fromkeys("_".join(itertools.islice(parts, n)) for n in shapes))
        self.names += [name.title().replace("_", "") for name in self.names[::5]]
        self.files = [
            "/".join(self.pick("names", 3)) + draw.choice((".py", ".ts", ".md", ".json")) for _ in range(3000)
        ]
        self.weights = {k: _zipf(len(getattr(self, k))) for k in ("english", "chinese", "names", "files")}

    def _word(self) -> str:
        draw = self.draw
        count = draw.choice((1, 2, 2, 3))
        return "".join(draw.choice(part) for part in (STARTS, VOWELS, ENDS) * count) + draw.choice(TAILS)

    def pick(self, vocabulary: str, count: int) -> list[str]:
        words: list[str] = getattr(self, vocabulary)
        return self.draw.choices(words, cum_weights=getattr(self, "weights", {}).get(vocabulary), k=count)

    def filled(self, size: int, line: Callable[[], str]) -> str:
        """Lines until ``size`` bytes are reached, the last one cut, as tools cut their output."""
        lines: list[str] = []
        while size > 0:
            made = line()
            cost = len(made) if made.isascii() else len(made.encode())
            if cost > size:
                made = made.encode()[: max(size, 1)].decode(errors="ignore") or "."
            lines.append(made)
            size -= cost + 1
        return "\n".join(lines)

    def prose(self) -> str:
        words = self.pick("english", self.draw.randint(8, 60))
        words[0] = self.draw.choice(("", "", "- ", "## ")) + words[0].title()
        for place in range(self.draw.randint(6, 16), len(words), 13):
            words[place] += self.draw.choice((",", ".", ";", ":", " `" + self.pick("names", 1)[0] + "`"))
        return " ".join(words) + "."

    def han(self) -> str:
        words = self.pick("chinese", self.draw.randint(8, 50))
        for place in range(self.draw.randint(3, 9), len(words), 9):
            words[place] += self.draw.choice(("，", "，", "。", "：", "、", " " + self.pick("names", 1)[0] + " "))
        return "".join(words) + "。"

    def code(self) -> str:
        a, b, c, d = self.pick("names", 4)
        word, number = self.draw.choice(KEYWORDS), self.draw.randint(0, 300)
        line = (
            f"{a} = {b}.{c}({d}, {number})",
            f"{word} {a}({b}: {c}) -> {d}:",
            f"if {a} == '{b}' and {c}:",
            f"# {' '.join(self.pick('english', 8))}",
            f"{word} {a}",
            f"{a}[{b!r}] += {number} * {c}",
        )[self.draw.randrange(6)]
        return " " * self.draw.choice((0, 4, 4, 8, 8, 12)) + line

    def grep(self) -> str:
        return f"{self.pick('files', 1)[0]}:{self.draw.randint(1, 900)}:{self.code()}"

    def log(self) -> str:
        draw, name, words = self.draw, self.pick("names", 1)[0], " ".join(self.pick("english", 7))
        day = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        stamp = f"{day}T12:{draw.randint(0, 59):02}:{draw.random() * 60:06.3f}Z"
        return (
            f"{stamp} {draw.choice(('INFO', 'INFO', 'WARN', 'ERROR'))} [{name}] {words} id={draw.getrandbits(32):08x}"
        )

    def json(self) -> str:
        a, b, c = self.pick("names", 3)
        count = self.draw.randint(0, 99_999)
        return json.dumps(
            {a: count, b: self.pick("files", 1)[0], c: " ".join(self.pick("english", 5)), "ok": count % 3 > 0}
        )

    def hashes(self) -> str:
        return f"{self.draw.getrandbits(256):064x}  {self.pick('files', 1)[0]}"
