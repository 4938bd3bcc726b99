"""Which outputs of a statement are hidden, by what the index and the policy say of its columns.

In: what the gate let pass, knowledge, a policy. Out: a ``RedactionPlan``, remembered for the next time. Never: a plan
that was made with another index or policy.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dbgraph_nb import redact
from dbgraph_nb.errors import RedactionRefused
from dbgraph_nb.explore import literals
from dbgraph_nb.explore.knowledge import Knowledge
from dbgraph_nb.model import AllowedQuery, RedactionPlan, SensitivePolicy, Sensitivity

_plans: OrderedDict[tuple[int, int, SensitivePolicy], tuple[AllowedQuery, Knowledge, RedactionPlan]] = OrderedDict()
_MOST_PLANS = 64


def planned(allowed: AllowedQuery, knowledge: Knowledge, policy: SensitivePolicy, name: str) -> RedactionPlan:
    """As ``traced``, at once for a statement that was traced before with the same index and policy.

    The gate gives the same object for the same text, and a rebuilt index is another object; both are kept here, so
    that their identities stay theirs.
    """
    key = (id(allowed), id(knowledge), policy)
    known = _plans.get(key)
    if known is not None:
        return known[2]
    plan = traced(allowed, knowledge, policy, name)
    _plans[key] = (allowed, knowledge, plan)
    while len(_plans) > _MOST_PLANS:
        with suppress(KeyError):
            _plans.popitem(last=False)
    return plan


def traced(allowed: AllowedQuery, knowledge: Knowledge, policy: SensitivePolicy, name: str) -> RedactionPlan:
    """Which outputs to hide.

    Raises:
        RedactionRefused: that cannot be proven, so the statement must not run.
    """
    sensitive = knowledge.sensitive(policy)
    known: dict[str, Any] = {
        "dialect": allowed.dialect,
        "schema": knowledge.schema,
        "sensitive": sensitive | (literals.columns(allowed.dialect) if sensitive or not knowledge.indexed else {}),
        "views": knowledge.views,
        "by_name": by_name(policy),
    }
    plan = redact.plan_tree(allowed.tree, sql=allowed.sql, **known)
    if not plan.refused:
        tables = {table for table, _ in sensitive} if knowledge.indexed else None
        return literals.hidden_in_forms(plan, allowed, tables, knowledge.views)
    hint = "Leave that column out, or show sensitive values for one statement with --show-sensitive."
    opaque = [view for relation in allowed.relations for view in knowledge.opaque if view.casefold() == relation[-1]]
    if opaque:
        reason = f"the SQL of the view {opaque[0]} is not in the index, so where its columns come from is not known"
        hint = f"Read it with %dbgraph index {name} (the user needs the right to see it), or use --show-sensitive."
        raise RedactionRefused(f"Not run: {reason}.", code="view-not-known", hint=hint)
    if plan.unknown is not None:
        near = knowledge.nearest_columns(plan.unknown, allowed.relations)
        guess = f"Did you mean {' or '.join(near)}? " if near else ""
        hint = f"{guess}If the column is new, refresh the index with %dbgraph index {name}."
        raise RedactionRefused(
            f"Not run: the index of {name} knows no column {plan.unknown} in what this statement reads.",
            code="column-not-known",
            hint=hint,
            token=plan.unknown,
        )
    raise RedactionRefused(f"Not run: {plan.refused.rstrip('.')}.", hint=hint)


def by_name(policy: SensitivePolicy | None) -> Callable[[str], Sensitivity | None]:
    """What a policy hides by a column's name alone, where its table is not in the index."""

    def judge(column: str) -> Sensitivity | None:
        found = redact.classify(column)
        return found if found is not None and policy is not None and policy.hides(found.tier) else None

    return judge
