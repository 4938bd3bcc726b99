"""Words that stand for each other, as they are shipped: Chinese ↔ English, and English written in several ways.

In: the files ``words_*.tsv``. Out: key of a word → the words it may stand for, and the words of questions that
name nothing. Never: a word of the user's own (see ``aliases``).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from dbgraph_nb import text_reference, text_tables
from dbgraph_nb.errors import BadArgument

MOST_CHARACTERS = 2_000  # of a question, and of an alias


@lru_cache(maxsize=65536)
def key(word: str) -> str:
    """The key under which a word is looked up: folded letters and digits, no separators, simplified characters.

    >>> key("Order No."), key("訂單 號")
    ('orderno', '订单号')
    """
    return text_reference.keys([word])[0].translate(text_tables.simplified())


@cache
def words_of_kind(kind: str) -> frozenset[str]:
    """Keys of the shipped words that are ``small`` (they name nothing) or ``light`` (they add nothing)."""
    lines = [line.split("\t") for line in _data("words_small.tsv")]
    return frozenset(key(word) for its_kind, words in lines if its_kind == kind for word in words.split(" "))


def check_length(text: str, what: str) -> None:
    """Refuses a text that no person writes as words; its length would decide how long the look-up takes.

    Raises:
        BadArgument: it has more than 2,000 characters (code ``words-too-long``).
    """
    if len(text) > MOST_CHARACTERS:
        raise BadArgument(
            f"{what} has {len(text):,} characters; at most {MOST_CHARACTERS:,}.",
            code="words-too-long",
            hint="Use a few words or one question.",
        )


def _data(name: str) -> list[str]:
    """The lines of a data file that say something."""
    text = (files("dbgraph_nb.catalog") / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def builtin() -> dict[str, tuple[tuple[str, str], ...]]:
    """Key of a word → (origin, other word) for all that the shipped files say it may stand for, in the files' order.

    The origin is ``built-in``, or ``near`` for words that are only close (a line with ~)."""
    found: dict[str, dict[str, str]] = {}
    for name in ("words_zh_en.tsv", "words_en.tsv"):
        for line in _data(name):
            sides = [side.split("|") for side in line.removeprefix("~").split("\t")]
            _link_sides(found, sides, "near" if line.startswith("~") else "built-in")
    return {word: tuple((origin, other) for other, origin in others.items()) for word, others in found.items()}


def _link_sides(found: dict[str, dict[str, str]], sides: list[list[str]], origin: str) -> None:
    """Links the two sides of a line; of a line that is not only near, also the words of its first side."""
    link(found, sides[0], sides[-1], origin)
    link(found, sides[-1], sides[0], origin)
    if origin == "built-in":
        link(found, sides[0], sides[0], origin)


def link(found: dict[str, dict[str, str]], words: Iterable[str], others: Iterable[str], origin: str) -> None:
    """Adds to ``found`` that each of ``words`` stands for each of ``others`` that is another; ``near`` gives way."""
    for word in words:
        known = found.setdefault(key(word), {})
        for other in others:
            if key(other) != key(word) and known.get(other) in (None, "near"):
                known[other] = origin


def singular(word: str) -> str:
    """An English noun without its plural ending; words that only look like a plural stay.

    >>> [singular(w) for w in ("cities", "boxes", "orders", "cases", "status", "address")]
    ['city', 'box', 'order', 'case', 'status', 'address']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural(word: str) -> str:
    """An English noun with the regular plural ending.

    >>> [plural(w) for w in ("city", "box", "order", "day")]
    ['cities', 'boxes', 'orders', 'days']
    """
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def nearest(word: str, names: Iterable[str], count: int = 3) -> list[str]:
    """The names that look most like ``word``, best first.

    >>> nearest("user_nme", ["order_id", "user_name", "Users"])
    ['user_name', 'Users']
    """
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.casefold(), name)
    return [folded[match] for match in difflib.get_close_matches(word.casefold(), list(folded), n=count, cutoff=0.5)]
