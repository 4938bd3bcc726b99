"""Words that may stand before ``(`` without being a function, and words that may not become plain names.

In: a dialect. Out: sets of folded words. Never: the last word on a function; ``call_rules.known_tree_functions``
asks the tree again.
"""

from __future__ import annotations

from typing import Final

from dbgraph_nb.model import Dialect


def words(text: str) -> frozenset[str]:
    """The words of a text as a set, so that long lists stay readable.

    >>> sorted(words("b a"))
    ['a', 'b']
    """
    return frozenset(text.split())


_COMMON: Final = words("""
    all and any array as asc between by case collate cross cube desc distinct else end escape except exists fetch
    filter first following from group grouping having in inner interval intersect is join key lateral left like
    limit materialized minus natural next not nulls of offset on only or order outer over partition preceding range
    recursive right rollup row rows select set sets some table then to union using values when where window with
    within
    """)
_EXTRA: Final[dict[Dialect, str]] = {
    "sqlite": "current glob indexed isnull match notnull regexp",
    "mysql": """
        against binary charset columns default div dual for force ignore index keys match member mod nested path regexp
        rlike separator sounds straight_join use xor
        """,
    "postgres": """
        bernoulli both character columns cycle default for from ilike isnull leading notnull operator ordinality
        overlaps passing placing precision repeatable search similar symmetric system tablesample trailing variadic
        varying xmlattributes xmlnamespaces zone
        """,
    "duckdb": """
        anti asof at bernoulli columns default describe escape exclude filter for glob ilike include isnull lambda map
        name notnull percent pivot positional qualify rename repeatable replace reservoir sample semi show similar
        struct summarize system tablesample unpivot value
        """,
}
BEFORE_PAREN: Final[dict[Dialect, frozenset[str]]] = {
    dialect: _COMMON | frozenset(_EXTRA["mysql" if dialect == "mariadb" else dialect].split())
    for dialect in ("sqlite", "mysql", "mariadb", "postgres", "duckdb")
}
# Only with writes=True: column lists and constraints of DDL and DML.
BEFORE_PAREN_WRITES: Final = words("""
    check conflict into key primary references unique update insert matched
    """)
# Calls that belong to writing: a column's default from a sequence.
WRITING_CALLS: Final = frozenset({"nextval"})

# Words that structure a query in every dialect; they are never read as a name, whatever stands beside them.
STRUCTURE: Final = words("""
    select from where group by having order limit offset fetch union intersect except with recursive as on using
    join inner left right full cross natural outer and or not in is null like between case when then else end
    distinct all any some exists cast over partition window into values for set true false lateral default
    """)
