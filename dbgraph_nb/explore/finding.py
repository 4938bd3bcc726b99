"""``find``: words in, one parameterized SELECT out, and its answer with the reasons.

In: a connection's name, words for a table, its columns and predicates. Out: a ``FindAnswer``. Never: a statement when
the words are ambiguous, and never more than one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dbgraph_nb.catalog.plan_find import plan_find
from dbgraph_nb.errors import BadArgument
from dbgraph_nb.explore import context
from dbgraph_nb.explore.knowledge import dialect_of, read_knowledge
from dbgraph_nb.explore.querying import allow, execute, rows_wanted
from dbgraph_nb.explore.structure import open_named, read_aliases

if TYPE_CHECKING:
    from dbgraph_nb.result import FindAnswer


def find(
    name: str,
    entity: str,
    fields: Sequence[str] = (),
    where: Mapping[str, Any] | None = None,
    *,
    limit: int | None = None,
) -> FindAnswer:
    """Answers words with one query.

    Args:
        name: a connection that has an index.
        entity: words for a table, Chinese or English: ``"用户"``, ``"user"``, ``"usr"``.
        fields: words for its columns, or for columns of a table that one foreign key joins to it; none: all columns.
        where: words for columns → a value (=), a list (IN), ``(operator, value)`` with one of ``= != < <= > >= ~``
            (~: contains), or None (IS NULL). No ``where`` at all: nothing is executed and the status is
            ``missing_predicate``; an empty one asks for the first rows.
        limit: rows, 1 to 1,000 (default 200).

    Returns:
        The answer: ``status`` ok, ambiguous, missing_predicate or not_found; ``frame`` with the rows if ok; ``sql`` and
        ``params``; ``used``: which table, column and join stand for which word, and why; ``candidates``, ranked.

    Raises:
        BadArgument: words, an operator, a value or a limit that cannot be; nothing was opened.
        UnknownName: there is no such connection.
        IndexUnavailable: it has no index yet.
        RedactionRefused: a predicate on a credential, which would be a way to guess it.
        ConnectionFailed, CredentialMissing, QueryFailed, QueryTimeout: from the database.
    """
    from dbgraph_nb import result

    at = context.settings()
    rows = rows_wanted(at, limit, full=False, what="limit")
    if not isinstance(fields, Iterable):
        raise BadArgument("fields must be words.", code="find-words", hint='As ["密码", "邮箱"]; () means all columns.')
    stored = context.connection(name, at)
    with open_named(at, name) as index:
        plan = plan_find(index, entity, fields, where, limit=rows, aliases=read_aliases(at, name))
        dialect = dialect_of(index)
    frame = None
    if plan.status == "ok":
        assert plan.sql is not None
        knowledge = read_knowledge(at, stored)
        allowed = allow(plan.sql, dialect, knowledge, name)
        frame = execute(at, stored, knowledge, allowed, plan.params, fetch=rows, timeout=at.timeout, bounded=True)
    return result.FindAnswer(plan.status, frame, plan.sql, plan.params, plan.used, plan.candidates, plan.message)


def find_words(name: str, words: Sequence[str], *, everything: bool = False, limit: int | None = None) -> FindAnswer:
    """The same for one line of words: entity, fields, ``where``, predicates.

    Args:
        words: as ``["用户", "密码", "where", "姓名=张三"]``.
        everything: no predicate is meant: the first rows.

    Raises:
        BadArgument: no words, or a predicate without an operator.
    """
    from dbgraph_nb.catalog.find_words import parse_find_args

    args = parse_find_args(words)
    where = {} if everything and args.where is None else args.where
    return find(name, args.entity, args.fields, where, limit=limit)
