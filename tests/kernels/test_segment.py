"""The borders of ``kernels/segment.py`` and of the pure-Python twin, against the rules written down one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from soak import FULL

from dbgraph_nb import text_kernels, text_reference
from dbgraph_nb.kernels import segment

# Small letters, capitals (s and S apart), a letter without case, a digit.
ALPHABET = "asAS\u0e011"


def has_border(run: str, k: int) -> bool:
    before, here, rest = run[k - 1], run[k], run[k + 1 :]
    if before.isdigit() != here.isdigit():
        return True
    if before.islower() and here.isupper():
        return True
    if before.isupper() and here.isupper() and rest[:1].islower():
        plural = rest[0] == "s" and not rest[1:2].islower()
        return not plural
    return False


def pieces(run: str) -> list[str]:
    borders = [0, *(k for k in range(1, len(run)) if has_border(run, k)), len(run)]
    return [run[first:last].lower() for first, last in pairwise(borders)]


@pytest.mark.parametrize("length", range(1, 8 if FULL else 6))
def test_borders_of_every_short_run(length: int) -> None:
    runs = ["".join(letters) for letters in product(ALPHABET, repeat=length)]
    wanted = []
    for run in runs:
        parts = pieces(run)
        wanted.append(" ".join([*parts, *([run.lower()] if len(parts) > 1 else [])]))
    assert text_kernels.streams(runs, False) == wanted
    assert text_reference.streams(runs, "query") == wanted


def test_classify_names_the_first_unknown_character() -> None:
    info = np.zeros(128, np.int32)
    info[97] = segment.LOWER << segment.CLASS_SHIFT | 97
    codes, starts = np.array([97, 98, 99], np.int32), np.array([0, 3], np.int32)
    entries, entry_starts, marked = np.zeros(5, np.int32), np.zeros(2, np.int32), np.zeros(1, np.uint8)
    assert segment.classify(codes, starts, 1, info, entries, entry_starts, marked) == 98
    info[98], info[99] = segment.DROPPED << segment.CLASS_SHIFT, info[97] | segment.COMPLEX
    assert segment.classify(codes, starts, 1, info, entries, entry_starts, marked) == -1
    end = segment.SEPARATOR << segment.CLASS_SHIFT
    assert entries[:4].tolist() == [info[97], info[99], end, end]
    assert entry_starts.tolist() == [0, 4]
    assert marked.tolist() == [1]


def test_write_streams_separates_spans_and_texts() -> None:
    chars = np.array([ord(char) for char in "abc"], np.int32)
    start, end = np.array([0, 1, 0], np.int32), np.array([1, 3, 3], np.int32)
    doc_spans, stream = np.array([0, 2, 2, 3], np.int32), np.zeros(20, np.int32)
    length = segment.write_streams(chars, start, end, doc_spans, 3, stream)
    assert "".join(map(chr, stream[:length])) == "a bc\n\nabc"
