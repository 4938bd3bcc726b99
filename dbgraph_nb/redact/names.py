"""What is sensitive, by name, comment and type alone.

In: a column's name, comment and declared type. Out: ``Sensitivity`` (tier and the rule that matched) or None.
Never: a value of a row, and never a match inside a word: ``compass`` is no ``pass``.

A name is cut into units by the shared tokenizer. A sensitive phrase counts where it is the head of its noun phrase:
``password_hash`` is a password, ``password_changed_at`` is a time, ``token_count`` a number, 密码修改时间 a time and
支付密码 a password. What may follow a phrase without changing what the column holds, and what may stand before it,
is data (``words.tsv``). A comment counts as much as the name; a date, a flag or a number cannot hold every secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from dbgraph_nb.model import Dialect, Sensitivity, Tier
from dbgraph_nb.redact.words import Lexicon, Phrase, Trie, ends, lexicon, units

RANK: dict[Tier, int] = {"credential": 0, "identity": 1, "contact": 2}

_TYPES = (
    ("flag", re.compile(r"bool|bit\b(?!\s*var)(?!\s*\(\s*([2-9]|1\d))|tinyint|int1\b|year\b|enum\b|set\s*\(")),
    ("time", re.compile(r"date|time|interval")),
    (
        "number",
        re.compile(
            r"(u|var|big|small|medium|huge|uhuge|ubig|usmall)?int(eger|\d+)?\b|(big|small)?serial|decimal|numeric|"
            r"number|dec\b|fixed\b|float|double|real\b|money"
        ),
    ),
)
# A comment's clauses; what follows "0: off, 1: on" describes values, not the column.
_VALUES = re.compile(
    r"[（(\[【]?(?<![0-9A-Za-z])(?:\d{1,3}|[YyNn])\s*(?:[:：=＝]|[-－—–→](?=\D)|是|为|表示|\s(?=[\u4e00-\u9fff])).*",
    re.S,
)
_CLAUSES = re.compile(
    r"[,，;；:：。.!！?？、/|\\()（）\[\]【】{}<>《》\n\r\t]+|\s[-–—]+\s|\s(?:and|or|und|oder|et|ou|y|e|&|и|или)\s",
    re.I,
)
_LONGEST_COMMENT = 500  # characters; what comes later no longer says what the column is


def classify(
    name: str,
    *,
    comment: str | None = None,
    type: str | None = None,  # noqa: A002 - the field's own word
    dialect: Dialect | None = None,
) -> Sensitivity | None:
    """Whether a column is sensitive: its tier and the rule that says so, or None.

    Args:
        name: the column's name, in any language and case; a table's name or a dotted path does not help.
        comment: the column's comment, if there is one.
        type: the declared type; without it nothing is excluded by type.
        dialect: the engine, if it is known. SQLite keeps any text in a column of any type, so there a type rules no
            credential out; without a dialect the type is taken at its word.

    >>> classify("passwordHash")
    Sensitivity(tier='credential', rule='name: password')
    >>> classify("f1", comment="登录密码")
    Sensitivity(tier='credential', rule='comment: 登录密码')
    >>> classify("password_changed_at") is None and classify("密码修改时间") is None
    True
    >>> classify("password", type="DATE") is None, classify("password", type="DATE", dialect="sqlite") is None
    (True, False)
    """
    declared = (type or "").strip().lower()
    if dialect == "sqlite":
        found = _classify(name, comment or "", "")
        if found is not None and found.tier == "credential":
            return found
    return _classify(name, comment or "", declared)


def by_name_alone(column: str) -> Sensitivity | None:
    """What a name says where nothing else is known of a column; contact data is shown by default.

    >>> by_name_alone("email"), by_name_alone("user_pwd")
    (None, Sensitivity(tier='credential', rule='name: pwd'))
    """
    found = classify(column)
    return found if found is not None and found.tier != "contact" else None


@lru_cache(maxsize=65536)
def _classify(name: str, comment: str, declared: str) -> Sensitivity | None:
    kind = _kind(declared)
    if kind == "flag":
        return None
    found: list[Sensitivity] = []
    phrase = _sensitive(units(name), kind, prose=False)
    if phrase:
        found.append(Sensitivity(phrase.tier, f"name: {phrase.text}"))
    for clause in _clauses(comment):
        phrase = _sensitive(units(clause), kind, prose=True)
        if phrase:
            found.append(Sensitivity(phrase.tier, f"comment: {_short(clause)}"))
    return min(found, key=lambda s: RANK[s.tier], default=None)


def _kind(declared: str) -> str:
    """flag | time | number | other, from a declared type."""
    return next((kind for kind, pattern in _TYPES if pattern.match(declared)), "other")


def _clauses(comment: str) -> Iterator[str]:
    text = _VALUES.sub("", comment[:_LONGEST_COMMENT])
    for clause in _CLAUSES.split(text):
        if clause.strip():
            yield clause.strip()


def _short(clause: str) -> str:
    return clause if len(clause) <= 40 else clause[:39] + "…"


def _sensitive(sequence: list[str], kind: str, *, prose: bool) -> Phrase | None:
    """The strongest phrase that is a head of ``sequence``."""
    words = lexicon()
    breaks = (words.breaks, words.prose_breaks) if prose else (words.breaks,)
    found = [
        phrase
        for start, end, phrase in _matches(words, sequence)
        if _fits_type(phrase, kind) and _is_head(words, breaks, sequence, (start, end), phrase)
    ]
    return min(found, key=lambda p: RANK[p.tier], default=None)


def _matches(words: Lexicon, sequence: list[str]) -> Iterator[tuple[int, int, Phrase]]:
    """The longest phrases at each place that do not lie inside an earlier, longer one."""
    covered = 0
    for start in range(len(sequence)):
        longest = list(ends(words.phrases, sequence, start))
        if longest and longest[-1][0] > covered:
            covered, phrases = longest[-1]
            for phrase in phrases:
                yield start, covered, phrase


def _fits_type(phrase: Phrase, kind: str) -> bool:
    return kind == "other" or (kind == "number" and phrase.number) or (kind == "time" and phrase.date)


def _is_head(
    words: Lexicon, breaks: tuple[Trie, ...], sequence: list[str], place: tuple[int, int], phrase: Phrase
) -> bool:
    """Whether the phrase at ``place`` is what the whole sequence is about."""
    start, end = place
    stop = next((i for i in range(end, len(sequence)) if _cut(breaks, sequence, i)), len(sequence))
    if not _harmless(words, sequence[end:stop], phrase.counted):
        return False
    begin = 0
    for i in range(start):
        cut = _cut(breaks, sequence, i)
        if cut and cut <= start:
            if not _harmless(words, sequence[begin:i], counted=False):
                return False  # "time of the password change": the head is another noun
            begin = cut
    return _prefix_allows(words, [u for u in sequence[begin:start] if u not in words.articles], phrase)


def _cut(breaks: tuple[Trie, ...], sequence: list[str], position: int) -> int:
    """Where the next noun phrase starts, if a break stands at ``position`` and something follows it; else 0."""
    found = [end for trie in breaks for end, _ in ends(trie, sequence, position)]
    return max((end for end in found if end < len(sequence)), default=0)


def _prefix_allows(words: Lexicon, prefix: list[str], phrase: Phrase) -> bool:
    if not prefix:
        return True
    if any(_ends_with(prefix, before) for before in phrase.not_before):
        return False
    if phrase.before and not any(_ends_with(prefix, before) for before in phrase.before):
        return False
    if phrase.counted and prefix[0] in ("no", "num", "number", "nomor"):
        return True  # no_ktp: the number of the card, not "no card"
    if prefix[0] == "no" or any(ends(words.flags, prefix, 0)):
        return False
    return not (phrase.head_first and any(ends(words.romance_flags, prefix, 0)))


def _ends_with(prefix: list[str], wanted: tuple[str, ...]) -> bool:
    return bool(wanted) and tuple(prefix[-len(wanted) :]) == wanted


def _harmless(words: Lexicon, rest: list[str], counted: bool) -> bool:
    """Whether ``rest`` consists of words that leave what the column holds as it is."""
    rest = [unit for unit in rest if not unit.isdecimal() and unit not in words.articles]
    tries: list[Trie] = [words.tails, words.counted_tails] if counted else [words.tails]
    reached = {0}
    for position in range(len(rest)):
        if position in reached:
            reached.update(end for trie in tries for end, _ in ends(trie, rest, position))
    return len(rest) in reached
