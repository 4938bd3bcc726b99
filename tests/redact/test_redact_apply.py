"""Hiding: which values are replaced, and that a result other than the traced one is not shown."""

import pickle
from typing import Any

import pytest

from dbgraph_nb import redact
from dbgraph_nb.errors import BadArgument, RedactionRefused
from dbgraph_nb.model import RawRows, RedactedColumn, RedactionPlan, Sensitivity

RAW = RawRows(("id", "password"), [(1, "S3CR3T"), (2, None), (3, b"S3CR3T"), (4, 1234)])
WHY = Sensitivity("credential", "users.password (name: password)")


def test_values_are_replaced_and_null_stays() -> None:
    clean = redact.apply(RAW, RedactionPlan((1,), reasons={1: WHY}, nulls=(1,)))
    assert clean.rows == [(1, redact.REDACTED), (2, None), (3, redact.REDACTED), (4, redact.REDACTED)]
    assert clean.redacted == (RedactedColumn(1, "password", "credential", WHY.rule),)
    assert RAW.rows[0] == (1, "S3CR3T")  # the raw rows are what they were
    assert "S3CR3T" not in repr(clean)


def test_nothing_to_hide_keeps_the_rows() -> None:
    clean = redact.apply(RAW, RedactionPlan(outputs=("id", "password")))
    assert clean.rows is RAW.rows
    assert clean.redacted == ()


def test_two_columns_of_one_name_are_told_apart() -> None:
    raw = RawRows(("p", "p"), [("a", "S3CR3T")])
    clean = redact.apply(raw, RedactionPlan((1,), reasons={1: WHY}, outputs=("p", "p")))
    assert clean.rows == [("a", redact.REDACTED)]


@pytest.mark.parametrize(
    "plan",
    [
        RedactionPlan((1,), outputs=("id", "password", "x")),
        RedactionPlan((1,), outputs=("id",)),
        RedactionPlan((2,)),
        RedactionPlan((-1,)),
        RedactionPlan((0,), outputs=("password", "id")),
        RedactionPlan((), outputs=("id", "name")),
    ],
)
def test_another_result_than_the_traced_one_is_refused(plan: RedactionPlan) -> None:
    with pytest.raises(RedactionRefused) as caught:
        redact.apply(RAW, plan)
    assert caught.value.code == "redaction-mismatch"
    assert "S3CR3T" not in str(caught.value)


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(RedactionRefused):
        redact.apply(RawRows(("id", "p"), [(1, 2), (1, 2, "S3CR3T")]), RedactionPlan((1,)))


def test_a_refused_plan_shows_nothing() -> None:
    with pytest.raises(RedactionRefused) as caught:
        redact.apply(RAW, RedactionPlan(refused="no"))
    assert caught.value.code == "redaction-refused"


def test_headers_may_differ_in_case_and_number() -> None:
    raw = RawRows(("ID", "password:1", "name_1"), [(1, "S3CR3T", "x")])
    clean = redact.apply(raw, RedactionPlan((1,), outputs=("id", "password", None), reasons={1: WHY}))
    assert clean.rows == [(1, redact.REDACTED, "x")]


def test_headers_of_unknown_tables_decide() -> None:
    raw = RawRows(("id", "user_pwd", "id_card", "phone", "note"), [(1, "S3CR3T", "S3CR3T", "138", "S3CR3T")])
    names = {"note": Sensitivity("identity", "policy: users.note")}
    clean = redact.apply(raw, RedactionPlan(by_name=True, names=names))
    assert clean.rows == [(1, redact.REDACTED, redact.REDACTED, "138", redact.REDACTED)]
    assert [(c.index, c.tier) for c in clean.redacted] == [(1, "credential"), (2, "identity"), (4, "identity")]
    shown = redact.apply(raw, RedactionPlan(by_name=True), by_name=lambda header: None)
    assert shown.redacted == ()


def test_a_star_over_an_unknown_table_is_hidden_by_header() -> None:
    plan = redact.plan("SELECT * FROM users", dialect="sqlite", schema={}, sensitive=[("users", "note")])
    assert plan.by_name
    raw = RawRows(("id", "password", "note"), [(1, "S3CR3T", "S3CR3T")])
    assert redact.apply(raw, plan).rows == [(1, redact.REDACTED, redact.REDACTED)]


def test_a_plan_can_be_pickled() -> None:
    plan = redact.plan("SELECT password FROM users", dialect="sqlite", schema={}, sensitive=[])
    again: Any = pickle.loads(pickle.dumps(plan))
    assert again == plan


@pytest.mark.parametrize(
    "call",
    [
        lambda: redact.apply([(1, "S3CR3T")], RedactionPlan()),
        lambda: redact.apply(RAW, None),
        lambda: redact.apply(RAW, {"columns": (1,)}),
        lambda: redact.apply(RAW, RedactionPlan(), by_name="password"),
    ],
)
def test_apply_takes_only_what_it_is_for(call: Any) -> None:
    with pytest.raises(BadArgument) as caught:
        call()
    assert caught.value.code == "redaction-argument"
    assert "S3CR3T" not in str(caught.value)
