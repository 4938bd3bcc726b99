"""One line of words → the arguments of ``find``: entity, fields, predicates.

In: the words of ``%dbgraph find 用户 密码 邮箱 where 姓名=张三 金额>100``, already split as a shell does. Out:
``FindArgs``. Never: a look at the index, or a word that is dropped.

The first word is the entity; the others up to ``where`` (also 其中, 条件) are fields, and may stand in one word with
commas. Then come predicates: a word, one of = != < <= > >= ~ (also ＝ ≠ ＜ ≤ ＞ ≥ ～), a value, with or without spaces.
A comma in the value of = or != makes a list (``状态=paid,shipped``); a comma that is meant is written ``\\,``. A value
that reads as a number and is written as one is a number; NULL, in capitals, is no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from dbgraph_nb.catalog.find_values import Operator
from dbgraph_nb.errors import BadArgument

WHERE = frozenset(("where", "其中", "条件"))
AND = frozenset(("and", "且", "并且", "和"))
_OPERATOR = re.compile(r"<=|>=|!=|<>|==|[=<>~＝＜＞≤≥≠～]|！＝")
_PLAIN: dict[str, Operator] = {
    "<>": "!=", "==": "=", "＝": "=", "＜": "<", "＞": ">", "≤": "<=", "≥": ">=", "≠": "!=", "～": "~", "！＝": "!=",
}  # fmt: skip
_COMMA = re.compile(r"(?<!\\)[,，]")


class FindArgs(NamedTuple):
    """The arguments of ``find``; ``where`` is None if the line has no predicate."""

    entity: str
    fields: tuple[str, ...]
    where: dict[str, Any] | None


def parse_find_args(tokens: Sequence[str]) -> FindArgs:
    """Reads the words of one line.

    Raises:
        BadArgument: no entity (code ``find-no-entity``), nothing after ``where`` (``find-no-predicate``), or a
            predicate without a word, an operator or a value (``find-predicate``).

    >>> parse_find_args(["用户", "密码", "where", "姓名=张三", "金额>100", "状态=paid,shipped"])
    FindArgs(entity='用户', fields=('密码',), where={'姓名': '张三', '金额': ('>', 100), '状态': ['paid', 'shipped']})
    """
    words = [token.strip() for token in tokens]
    start = next((i for i, word in enumerate(words) if word.casefold() in WHERE), None)
    if start is None:  # the predicates may begin without where
        start = next((i for i, word in enumerate(words) if i and _OPERATOR.search(word)), len(words))
        start -= 1 if start < len(words) and _OPERATOR.match(words[start]) else 0  # its word is the one before
        predicates = words[start:]
    else:
        predicates = words[start + 1 :]
        if not predicates:
            raise BadArgument(
                f"Nothing comes after {words[start]}.",
                code="find-no-predicate",
                hint="Write a predicate as 姓名=张三; leave where out and add --all for the first rows.",
            )
    names = [part for word in words[:start] for part in re.split("[,，、]", word) if part]
    if not names:
        raise BadArgument(
            "There is no word for what to find.",
            code="find-no-entity",
            hint="Begin with it: 用户 密码 where 姓名=张三.",
        )
    return FindArgs(names[0], tuple(names[1:]), _where(predicates) if predicates else None)


def _where(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    rest = list(words)
    while rest:
        if rest[0].casefold() in AND and len(rest) > 1:
            rest.pop(0)
            continue
        word, operator, value = _predicate(rest)
        found.setdefault(word, []).append(_condition(operator, value))
    return {word: items[0] if len(items) == 1 else [_pair(item) for item in items] for word, items in found.items()}


def _predicate(rest: list[str]) -> tuple[str, Operator, str]:
    """Takes one predicate from the front of ``rest``."""
    name: list[str] = []
    while rest:
        token = rest.pop(0)
        match = _OPERATOR.search(token)
        if match is None:
            name.append(token)
            continue
        before, value = token[: match.start()].strip(), token[match.end() :].strip()
        word = " ".join([*name, *([before] if before else [])])
        if not word:
            raise BadArgument(f"The predicate {token} has no word before {match[0]}.", code="find-predicate")
        if not value:
            if not rest or _begins_predicate(rest):
                raise BadArgument(
                    f"The predicate {word} {match[0]} has no value.",
                    code="find-predicate",
                    hint=f'Write it as 姓名=张三; for an empty text {word} = "", for no value at all {word}=NULL.',
                )
            value = rest.pop(0)
        return word, _PLAIN.get(match[0], cast(Operator, match[0])), value
    raise BadArgument(
        f"The predicate {' '.join(name)} has no operator.",
        code="find-predicate",
        hint="Write it as 姓名=张三, with one of = != < <= > >= ~.",
    )


def _begins_predicate(rest: Sequence[str]) -> bool:
    """Whether the next words are a predicate of their own, so that the one before them has no value."""
    return (
        rest[0].casefold() in AND
        or (len(rest) > 1 and bool(_OPERATOR.match(rest[1])))
        or (_OPERATOR.search(rest[0]) is not None and not _OPERATOR.match(rest[0]))
    )


def _condition(operator: Operator, value: str) -> Any:
    parts = [part.strip() for part in _COMMA.split(value)]
    several = [part for part in parts if part]
    if operator in ("=", "!=") and len(parts) > 1 and several:
        values: Any = [_typed(part) for part in several]
    else:
        values = _typed(value)
    return values if operator == "=" else (operator, values)


def _pair(item: Any) -> tuple[str, Any]:
    return item if isinstance(item, tuple) else ("=", item)


def _typed(text: str) -> Any:
    r"""A number if the text is exactly how that number is written, None for NULL, else the text.

    >>> [_typed(text) for text in ("100", "007", "1.5", "1.50", "1e3", "NULL", r"Smith\, John")]
    [100, '007', 1.5, '1.50', '1e3', None, 'Smith, John']
    """
    if text == "NULL":
        return None
    if re.fullmatch(r"-?[0-9.]+", text):
        for convert in (int, float):
            with suppress(ValueError):  # more digits than int takes, or no number after all
                if repr(convert(text)) == text:
                    return convert(text)
    return text.replace("\\,", ",").replace("\\，", "，")
