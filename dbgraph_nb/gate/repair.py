"""Forms that the engines accept and sqlglot does not parse, put into a form that it does.

In: the parser's tokens, already proven to be cut like the scanner's. Out: the tokens to parse. Never: a change that
hides a statement, a relation or a function; the rules look at the scanner's tokens as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import Token

from dbgraph_nb.gate import repair_forms
from dbgraph_nb.gate.repair_names import plain_names, whole_numbers
from dbgraph_nb.gate.statement import Statement

_Repair = Callable[[list[Token], Statement], list[Token]]

_ALL: Final[tuple[_Repair, ...]] = (whole_numbers, plain_names)
_MYSQL: Final = (repair_forms.json_table_fallbacks, repair_forms.values_rows, repair_forms.braced_dates)
_BY_DIALECT: Final[dict[str, tuple[_Repair, ...]]] = {
    "sqlite": (repair_forms.numbered_parameters,),
    "mysql": _MYSQL,
    "mariadb": (*_MYSQL, repair_forms.rows_examined),
    "postgres": (repair_forms.prefix_signs,),
    "duckdb": (
        repair_forms.colon_parameters,
        repair_forms.nested_show,
        repair_forms.apply,
        repair_forms.ordered_pivot,
        repair_forms.numbered_parameters,
        repair_forms.factorial,
    ),
}


def repair(tokens: list[Token], statement: Statement) -> list[Token]:
    """``tokens`` after all repairs of the statement's dialect."""
    for step in _ALL + _BY_DIALECT.get(statement.dialect, ()):
        tokens = step(tokens, statement)
    return tokens
