"""What the policy of a connection says of single columns.

In: a policy as a user gave it, a connection, a snapshot. Out: a verdict, names, sensitivities by column. Never: a
policy that hides less than it seems to.
"""

from __future__ import annotations

from dbgraph_nb.errors import BadArgument
from dbgraph_nb.explore import context
from dbgraph_nb.model import Connection, SensitivePolicy, Sensitivity, Snapshot


def check(sensitive: object) -> None:
    """Refuses a policy that could not be stored, or would hide less than it seems to.

    Raises:
        BadArgument: see above (code ``bad-policy``).
    """
    problem = f"sensitive={sensitive!r} is not a policy."
    if isinstance(sensitive, SensitivePolicy):
        tiers = (sensitive.credential, sensitive.identity, sensitive.contact)
        lists = (sensitive.add, sensitive.exempt)
        if not all(isinstance(tier, bool) for tier in tiers):
            problem = "The tiers of a policy are True or False."
        elif not all(isinstance(names, tuple) and all(map(_is_column_name, names)) for names in lists):
            problem = "add and exempt of a policy are tuples of names such as ('users.phone',)."
        else:
            return
    elif isinstance(sensitive, str) and sensitive in ("redact", "show"):
        return
    raise BadArgument(problem, code="bad-policy", hint='Use "redact", "show" or a dg.SensitivePolicy.')


def _is_column_name(name: object) -> bool:
    return isinstance(name, str) and all(name.rpartition("."))


def names(stored: Connection) -> tuple[frozenset[str], frozenset[str]]:
    """The columns that a policy adds, and those it exempts."""
    policy = context.policy(stored) or SensitivePolicy()
    return frozenset(policy.add), frozenset(policy.exempt)


def overrides(stored: Connection) -> dict[tuple[str, str], Sensitivity | None]:
    """What the policy of a connection says of single columns, so that added ones are never sampled either."""
    policy = context.policy(stored)
    if policy is None:
        return {}
    chosen: dict[tuple[str, str], Sensitivity | None] = {pair: None for name in policy.exempt for pair in _pairs(name)}
    for name in policy.add:
        chosen |= dict.fromkeys(_pairs(name), Sensitivity("credential", f"policy: {name}"))
    return chosen


def _pairs(name: str) -> set[tuple[str, str]]:
    """(table, column) of a name that may have a schema before it; a table's own name may hold dots too."""
    table, _, column = name.casefold().rpartition(".")
    return {(table, column), (table.rpartition(".")[2], column)}


def strangers(stored: Connection, snapshot: Snapshot) -> list[str]:
    """A warning for each name of the policy that no column has: it protects nothing, though it seems to."""
    policy = context.policy(stored) or SensitivePolicy()
    known = {(item.name.casefold(), column.name.casefold()) for item in snapshot.objects for column in item.columns}
    found = []
    for name in (*policy.add, *policy.exempt):
        parts = name.split(".")  # what follows the column is a path inside it
        if not any(_pairs(".".join(parts[:end])) & known for end in range(2, len(parts) + 1)):
            found.append(f"The policy of {stored.name} names {name}, and there is no such column.")
    return found
