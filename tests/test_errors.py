"""Errors are one line, say where, and stay readable whatever was given."""

import pytest

from dbgraph_nb import errors, gate
from dbgraph_nb.errors import BadArgument, DbgraphError, GateRefused


def test_an_error_is_one_line_with_its_place_and_what_to_do() -> None:
    error = GateRefused("No\nsuch  thing.", rule="relation", line=2, column=7, token="x", hint="Do\nthat.")
    assert str(error) == "No such thing (line 2, column 7). Do that."
    assert (error.code, error.rule, error.token) == ("gate-relation", "relation", "x")
    assert error._render_traceback_() == ["GateRefused: No such thing (line 2, column 7). Do that."]


def test_a_huge_argument_does_not_make_a_huge_error() -> None:
    error = DbgraphError(f"level is {'x' * 1_000_000!r}.", hint="y" * 1_000_000)
    assert len(str(error)) < 2_100


@pytest.mark.parametrize(
    "name", [n for n, v in vars(errors).items() if isinstance(v, type) and v.__module__ == errors.__name__]
)
def test_every_error_is_caught_as_one_of_ours(name: str) -> None:
    made = getattr(errors, name)("What.", **({"rule": "r"} if name == "GateRefused" else {}))
    assert isinstance(made, DbgraphError)
    assert made.code
    with pytest.raises(DbgraphError):
        raise made


@pytest.mark.parametrize("wrong", [{"relations": 5}, {"functions": None}])
def test_arguments_of_the_gate_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(BadArgument) as caught:
        gate.check("SELECT 1", dialect="sqlite", **wrong)  # type: ignore[arg-type]
    assert caught.value.code == "gate-argument"
