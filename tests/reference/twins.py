"""Compares the numba twin of ``dbgraph_nb.text`` with the pure-Python one on a list of texts.

``python twins.py COUNT SEED`` (with ``tests`` on the path) compares generated texts and exits with 1 at a difference;
so the comparison also runs in a process of its own, where numba's compiler is switched off.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Literal

from dbgraph_nb import text_reference
from dbgraph_nb.text_reference import TermBatch

MODES: tuple[Literal["index", "query"], ...] = ("index", "query")


def rows(batch: TermBatch) -> list[tuple[str, int, int, int]]:
    """The entries of a batch in its own order: term, doc, kind, count."""
    columns = (batch.term, batch.doc, batch.kind, batch.count)
    return [(batch.vocabulary[t], int(d), int(k), int(c)) for t, d, k, c in zip(*columns, strict=True)]


def first_difference(texts: Sequence[str]) -> str | None:
    """What differs first between the twins, in one line; None if nothing does."""
    from dbgraph_nb import text_kernels

    for mode in MODES:
        index = mode == "index"
        ours, theirs = text_kernels.streams(texts, index), text_reference.streams(texts, mode)
        if len(ours) != len(theirs):
            return f"streams {mode}: {len(ours)} for {len(theirs)}"
        for given, one, other in zip(texts, ours, theirs, strict=True):
            if one != other:
                return f"streams {mode} {given!a}: {one!a} for {other!a}"
        for given in texts:
            if (one_tokens := text_kernels.tokenize(given, index)) != (tokens := text_reference.tokenize(given, mode)):
                return f"tokenize {mode} {given!a}: {one_tokens!a} for {tokens!a}"
    for given, one, other in zip(texts, text_kernels.keys(texts), text_reference.keys(texts), strict=True):
        if one != other:
            return f"keys {given!a}: {one!a} for {other!a}"
    named = [len(given) % 2 == 0 for given in texts]
    for key_docs in (None, named):
        batch, reference = text_kernels.term_batch(texts, key_docs), text_reference.term_batch(texts, key_docs)
        if batch.vocabulary != reference.vocabulary:
            return "term_batch: the vocabularies differ"
        if rows(batch) != rows(reference):
            return "term_batch: the entries differ"
    return None


def main() -> None:
    """Compare ``COUNT`` generated texts of ``SEED``."""
    from reference import text_samples

    count, seed = map(int, sys.argv[1:])
    if difference := first_difference(text_samples.texts(count, seed)):
        raise SystemExit(difference)


if __name__ == "__main__":
    main()
