"""Text → tokens in pure Python: the consistency reference of the kernels, and the fallback without them.

In: any ``str`` (lone surrogates and NULs too). Out: tokens, streams for a full-text index, whole-name keys, term
batches. Never: numba or numpy, and never a guess about the language: only the rules below.

The rules. NFKC first; format characters and variation selectors vanish; every other character that is no letter,
digit or mark separates, and an English 's goes with the separator. What is left are runs. A CJK run (Han, kana,
Hangul) gives overlapping pairs, or its one character; index mode adds each character of a longer run. An alphabetic
run is split before a capital that follows a small letter, before the last capital of a row that a small letter
follows (but IDs, URLs stay whole), and between letters and digits; if it was split, its joined form is kept too.
All is casefolded, Latin letters lose their diacritics. A token in traditional characters has a simplified variant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import add
from typing import Literal, NamedTuple

from dbgraph_nb import text_tables as tables
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.model import Tokens

Mode = Literal["index", "query"]

# What a term of a TermBatch is.
TOKEN, JOINED, VARIANT, UNIGRAM, KEY = range(5)

# A row of characters without a separator or a change to or from CJK: its folded text, and the folded pieces it was
# split into (none for a CJK run).
Run = tuple[str, list[str]]


class Patterns(NamedTuple):
    """The rules as regular expressions over one alphabet of character classes."""

    run: re.Pattern[str]
    piece: re.Pattern[str]
    possessive: re.Pattern[str]


def _patterns(lower: str, upper: str, caseless: str, digit: str, cjk: str) -> Patterns:
    """The patterns for these sets of characters, each the inside of ``[]``; s and S stand for themselves."""
    small, capital = f"[s{lower}]", f"[S{upper}]"
    # Cased letters without a border inside: a plural acronym, an acronym, a word. Letters without case make no
    # border with their neighbours.
    word = f"(?:{capital}{{2,}}s(?!{small})|{capital}+(?!{small})|{capital}?{small}+)"
    alphabetic = f"sS{lower}{upper}{caseless}{digit}"
    return Patterns(
        run=re.compile(f"[{alphabetic}]+|[{cjk}]+"),
        piece=re.compile(f"[{digit}]+|{word}(?:[{caseless}]+{word}?)*|(?:[{caseless}]+{word}?)+"),
        possessive=re.compile(f"(?<=[{alphabetic}{cjk}])'[sS](?![{alphabetic}])"),
    )


_BY_CLASS = _patterns("l", "U", "a", "d", "c")
# Most names and comments need no class per character: they are their own classes. NFKC and folding change nothing
# in them but the case and these punctuation marks, which separate before and after. U+0000 is no caseless letter,
# but an empty set is no pattern; so it is no plain character either.
_PLAIN = _patterns("a-rt-z", "A-RT-Z", "\0", "0-9", "\u4e00-\u9fff")
_PLAIN_TEXT = re.compile("[\x01-\x7f\u4e00-\u9fff、。，：；！？（）《》【】“”]*")


@dataclass(frozen=True, slots=True)
class TermBatch:
    """The terms of a batch of texts, one entry per distinct (term, doc, kind), ordered by these three.

    Attributes:
        vocabulary: the distinct terms in code point order.
        term: positions in ``vocabulary``. doc: positions in the texts given. count: how often, at least 1.
        kind: 0 token, 1 joined form, 2 simplified variant, 3 single character that index mode added,
            4 whole-name key.
    """

    vocabulary: list[str]
    doc: Sequence[int]
    term: Sequence[int]
    kind: Sequence[int]
    count: Sequence[int]


def tokenize(text: str, mode: Mode = "index") -> Tokens:
    """The tokens of ``text`` in reading order, the joined forms of split runs, the simplified variants.

    Raises:
        BadArgument: ``text`` is no str, or ``mode`` is neither "index" nor "query".

    >>> tokenize("userID会员表", "query")
    Tokens(tokens=('user', 'id', '会员', '员表'), joined=('userid',), variants=())
    >>> tokenize("廣告").variants
    ('广告', '广')
    """
    check_texts([text])
    runs = split_runs(text)
    tokens = _tokens(runs, check_mode(mode))
    return Tokens(tuple(tokens), tuple(_joined(runs)), tuple(_variants(tokens)))


def streams(texts: Sequence[str], mode: Mode = "index") -> list[str]:
    """Per text its tokens, joined forms and variants, separated by one space: what a full-text index stores.

    >>> streams(["md5sum", "用户"])
    ['md 5 sum md5sum', '用户 用 户']
    """
    index = check_mode(mode)
    result = []
    for text in check_texts(texts):
        runs = split_runs(text)
        tokens = _tokens(runs, index)
        result.append(" ".join([*tokens, *_joined(runs), *_variants(tokens)]))
    return result


def keys(texts: Sequence[str]) -> list[str]:
    """Per text its whole-name key: the folded letters and digits without any separator.

    >>> keys(["user_name", "userName", "User Name", "用户ID"])
    ['username', 'username', 'username', '用户id']
    """
    return ["".join(folded for folded, _ in split_runs(text)) for text in check_texts(texts)]


def term_batch(texts: Sequence[str], key_docs: Sequence[bool] | None = None) -> TermBatch:
    """The terms of all texts in index mode, counted per text.

    Args:
        key_docs: for each text whether it is a name, whose whole-name key becomes a term too; None: none is.

    Raises:
        BadArgument: ``key_docs`` has another length than ``texts``.

    >>> batch = term_batch(["id", "user_id"], key_docs=[False, True])
    >>> [(batch.vocabulary[t], d, k) for t, d, k in zip(batch.term, batch.doc, batch.kind)]
    [('id', 0, 0), ('id', 1, 0), ('user', 1, 0), ('userid', 1, 4)]
    """
    named = check_key_docs(texts, key_docs)
    entries: list[tuple[str, int, int]] = []
    for doc, text in enumerate(check_texts(texts)):
        runs = split_runs(text)
        entries += [(term, doc, TOKEN) for term in _tokens(runs, False)]
        entries += [(term, doc, JOINED) for term in _joined(runs)]
        entries += [(term, doc, VARIANT) for term in _variants(_tokens(runs, True))]
        entries += [(char, doc, UNIGRAM) for folded, pieces in runs if not pieces for char in _unigrams(folded)]
        if runs and named is not None and named[doc]:
            entries.append(("".join(folded for folded, _ in runs), doc, KEY))
    vocabulary = sorted({term for term, _, _ in entries})
    rank = {term: position for position, term in enumerate(vocabulary)}
    ranked = sorted([(rank[term], doc, kind) for term, doc, kind in entries])
    counted = [(*entry, len(list(same))) for entry, same in groupby(ranked)]
    term_ids, docs, kinds, counts = map(list, zip(*counted, strict=True)) if counted else ([], [], [], [])
    return TermBatch(vocabulary, docs, term_ids, kinds, counts)


def prepared(text: str) -> tuple[str, str]:
    """``text`` in NFKC without what is dropped, and its classes, one letter per character.

    A mark counts as part of the letter before it: on a Latin letter, a digit or a CJK character it is dropped, on
    another letter it stays and has that letter's class. A mark without a letter is dropped.
    """
    text = unicodedata.normalize("NFKC", text)
    classes = text.translate(tables.CLASSES)
    if tables.DROPPED in classes:
        text = "".join(char for char, kind in zip(text, classes, strict=True) if kind != tables.DROPPED)
        text = unicodedata.normalize("NFKC", text)  # what was apart may compose now
        classes = text.translate(tables.CLASSES)
    if tables.MARK in classes:
        return _without_marks(text, classes)
    return text, classes


def _without_marks(text: str, classes: str) -> tuple[str, str]:
    chars: list[str] = []
    kinds: list[str] = []
    carrier = ""  # the class that a mark here would have, "" where it is dropped
    for char, kind in zip(text, classes, strict=True):
        if kind != tables.MARK:
            letter = kind in (tables.LOWER, tables.UPPER, tables.OTHER)
            carrier = kind if letter and not tables.is_latin(tables.FOLDS[ord(char)][0]) else ""
        elif carrier:
            kind = carrier
        else:
            continue
        chars.append(char)
        kinds.append(kind)
    return "".join(chars), "".join(kinds)


def split_runs(text: str) -> list[Run]:
    """The runs of ``text`` in reading order.

    >>> split_runs("userID会员")
    [('userid', ['user', 'id']), ('会员', [])]
    """
    if not _PLAIN_TEXT.fullmatch(text):
        return _split_by_class(text)
    if "'" in text:
        text = _PLAIN.possessive.sub(" ", text)
    runs: list[Run] = []
    for run in _PLAIN.run.findall(text):
        cjk = run[0] > "\x7f"
        runs.append((run, []) if cjk else (run.lower(), [piece.lower() for piece in _PLAIN.piece.findall(run)]))
    return runs


def _split_by_class(text: str) -> list[Run]:
    text, classes = prepared(text)
    if tables.APOSTROPHE in classes:
        classes = _BY_CLASS.possessive.sub("  ", classes)
    runs: list[Run] = []
    for match in _BY_CLASS.run.finditer(classes):
        start, end = match.span()
        if classes[start] == tables.CJK:
            runs.append((text[start:end], []))
            continue
        spans = [piece.span() for piece in _BY_CLASS.piece.finditer(classes, start, end)]
        pieces = [text[first:last].translate(tables.FOLDS) for first, last in spans]
        runs.append(("".join(pieces), pieces))
    return runs


def _tokens(runs: list[Run], index: bool) -> list[str]:
    """The tokens of the runs in reading order."""
    tokens: list[str] = []
    for folded, pieces in runs:
        if pieces:
            tokens += pieces
        elif len(folded) == 1:
            tokens.append(folded)
        else:
            tokens += map(add, folded, folded[1:])
            if index:
                tokens += folded
    return tokens


def _unigrams(run: str) -> str:
    """The characters that index mode adds for a CJK run."""
    return run if len(run) > 1 else ""


def _joined(runs: list[Run]) -> list[str]:
    return [folded for folded, pieces in runs if len(pieces) > 1]


def _variants(tokens: list[str]) -> list[str]:
    traditional = tables.traditional()
    if traditional.isdisjoint("".join(tokens)):
        return []
    return [token.translate(tables.simplified()) for token in tokens if not traditional.isdisjoint(token)]


def check_mode(mode: str) -> bool:
    """Whether ``mode`` is "index"; raises BadArgument if it is neither that nor "query"."""
    if mode not in ("index", "query"):
        raise BadArgument(f"The mode {mode!r} is unknown.", code="text-mode", hint='Use "index" or "query".')
    return mode == "index"


def check_texts(texts: object) -> Sequence[str]:
    """``texts`` itself; raises BadArgument if it is one str or no sequence, or if a member is no str."""
    if isinstance(texts, str):
        raise BadArgument("One text was given where a list of texts is needed.", code="text-type")
    if not isinstance(texts, Sequence):
        given = type(texts).__name__
        raise BadArgument(f"A list of texts is needed, not {given}.", code="text-type")
    for text in texts:
        if not isinstance(text, str):
            raise BadArgument(f"A text must be a str, not {type(text).__name__}.", code="text-type")
    return texts


def check_key_docs(texts: Sequence[str], key_docs: Sequence[bool] | None) -> Sequence[bool] | None:
    """``key_docs`` itself; raises BadArgument if it has another length than ``texts``."""
    if key_docs is not None and len(key_docs) != len(texts):
        message = f"key_docs has {len(key_docs)} members for {len(texts)} texts."
        raise BadArgument(message, code="text-key-docs", hint="Give one truth value per text.")
    return key_docs
