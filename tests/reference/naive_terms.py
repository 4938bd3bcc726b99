"""What ``kernels/terms.py`` computes, written with dicts and sorting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def intern(spans: Sequence[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], list[int]]:
    """The distinct spans in order of first appearance, and each span's position in them."""
    vocabulary = list(dict.fromkeys(spans))
    position = {span: number for number, span in enumerate(vocabulary)}
    return vocabulary, [position[span] for span in spans]


def count(docs: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, int, int, int]]:
    """Per text (of (id, kind)) the entries (text, kind, id, count), the texts and kinds in order."""
    entries = []
    for doc, spans in enumerate(docs):
        for kind in range(5):
            counted = Counter(term for term, own in spans if own == kind)
            entries += [(doc, kind, term, number) for term, number in counted.items()]
    return entries


def rank(vocabulary: Sequence[tuple[int, ...]]) -> list[int]:
    """The ids in code point order of their terms."""
    return sorted(range(len(vocabulary)), key=lambda number: vocabulary[number])
