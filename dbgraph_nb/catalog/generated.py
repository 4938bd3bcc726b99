"""What a generated column has of the columns that it is computed from.

In: the columns of one table, and how sensitive each is by itself. Out: how sensitive each is with what it is computed
from. Never: a generated column that is less sensitive than a column its expression names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbgraph_nb.model import Column, Sensitivity, Tier

_STRENGTH: dict[Tier, int] = {"contact": 1, "identity": 2, "credential": 3}


def inherited(
    columns: Sequence[Column], own: Sequence[Sensitivity | None], decided: Sequence[bool] | None = None
) -> list[Sensitivity | None]:
    """The sensitivity of each column. A generated one takes the strongest of those that its expression names, through
    other generated columns too; if its expression is not known, the strongest of the table.

    ``own`` and ``decided`` are parallel to ``columns``; what is ``decided`` (by a policy) stays as it is in ``own``.

    >>> given = [Column("password", 1, "TEXT", "text"),
    ...          Column("hint", 2, "TEXT", "text", generated=True, expression="substr(Password,1,8)")]
    >>> inherited(given, [Sensitivity("credential", "name"), None])[1]
    Sensitivity(tier='credential', rule='generated from password')
    """
    found = list(own)
    open_ = [at for at, column in enumerate(columns) if column.generated and not (decided and decided[at])]
    if not open_ or not any(found):
        return found
    sources = {at: _sources(columns, at) for at in open_}
    changed = True
    while changed:  # each round only strengthens, so it ends
        changed = False
        for at in open_:
            for source in sources[at]:
                theirs, ours = found[source], found[at]
                if theirs and (ours is None or _STRENGTH[theirs.tier] > _STRENGTH[ours.tier]):
                    how = "from" if columns[at].expression else "by an unknown expression beside"
                    found[at] = Sensitivity(theirs.tier, f"generated {how} {columns[source].name}")
                    changed = True
    return found


def _sources(columns: Sequence[Column], at: int) -> list[int]:
    others = [place for place in range(len(columns)) if place != at]
    expression = columns[at].expression
    return others if not expression else [place for place in others if names(expression, columns[place].name)]


def names(sql: str, column: str) -> bool:
    """Whether ``sql`` has the name of a column in it, in any case. Comments and strings count too: engines differ in
    how they quote, and a name too many only hides more.

    >>> names("concat(`Note`,'x')", "note"), names("footnote + 1", "note"), names('"a""b"', 'a"b')
    (True, False, True)
    """
    text = sql.casefold()
    spellings = {column.casefold().replace(mark, mark * 2) for mark in ('"', "`", "]")} | {column.casefold()}
    return any(
        re.search(rf"(?<![\w$]){re.escape(spelling)}(?![\w$])", text) is not None for spelling in spellings if spelling
    )
