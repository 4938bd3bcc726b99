"""The surface of a conversation: what models see of it, in order, while messages are added, replaced, taken back.

In: nodes as they come. Out: the nodes that are left, in order. Never: a run of numbers where a run of nodes is meant; a
step whose cost grows with the numbers in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dbgraph_nb.sessionlogs.events import Span


@dataclass(frozen=True, slots=True)
class Node:
    """A message or a result: the number of its event, its part, and its place in the order of reading."""

    seq: int
    part: int
    label: int


class Surface:
    """A list of nodes, linked both ways, that is changed as the log goes on.

    A node that takes the place of others gets the label of the last of them, so that labels always rise along the
    surface. Who keeps the nodes can make the surface anew from them.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._next: dict[Node, Node | None] = {}
        self._before: dict[Node, Node | None] = {}
        self._by_seq: dict[int, Node] = {}
        self._first: Node | None = None
        self._last: Node | None = None
        self._labels = 0
        for node in sorted(nodes, key=lambda node: node.label):
            self._insert(node, self._last)

    def __iter__(self) -> Iterator[Node]:
        node = self._first
        while node is not None:
            yield node
            node = self._next[node]

    def __reversed__(self) -> Iterator[Node]:
        node = self._last
        while node is not None:
            yield node
            node = self._before[node]

    def append(self, seq: int, part: int = 0) -> Node:
        """Puts a node at the end."""
        node = Node(seq, part, self._labels)
        self._insert(node, self._last)
        return node

    def replace(self, span: Span, seq: int, part: int = 0) -> tuple[Node, tuple[Node, ...] | None]:
        """Puts a node in the place of a run.

        Returns:
            The node, and those it replaced; None if the ends of the run are no nodes of now, or in the wrong order.
            Then the node is at the end, and nothing is gone.
        """
        start = self._first if span.start is None else self._by_seq.get(span.start)
        end = self._last if span.end is None else self._by_seq.get(span.end)
        if start is None or end is None or start.label > end.label:
            both_open = span.start is None and span.end is None
            return self.append(seq, part), () if both_open else None
        before = self._before[start]
        gone = self._remove(start, end)
        node = Node(seq, part, end.label)
        self._insert(node, before)
        return node, gone

    def take_back(self, start: Node) -> tuple[Node, ...]:
        """Takes away ``start`` and all that is behind it."""
        return self._remove(start, self._last) if self._last else ()

    def _remove(self, start: Node, end: Node) -> tuple[Node, ...]:
        before, behind = self._before[start], self._next[end]
        gone: list[Node] = []
        node: Node | None = start
        while node is not None and node is not behind:
            gone.append(node)
            node = self._next.pop(node)
        for one in gone:
            del self._before[one]
            if self._by_seq.get(one.seq) is one:
                del self._by_seq[one.seq]
        self._link(before, behind)
        return tuple(gone)

    def _insert(self, node: Node, before: Node | None) -> None:
        behind = self._first if before is None else self._next[before]
        self._next[node] = self._before[node] = None
        self._link(before, node)
        self._link(node, behind)
        self._by_seq[node.seq] = node
        self._labels = max(self._labels, node.label + 1)

    def _link(self, left: Node | None, right: Node | None) -> None:
        if left is None:
            self._first = right
        else:
            self._next[left] = right
        if right is None:
            self._last = left
        else:
            self._before[right] = left
