"""Answers of ``find``, ranked hits and reports as HTML and as text.

In: a ``FindAnswer``, ``Hits``, an ``IndexReport``, a ``Connection``. Out: strings. Never: a time, an id or an absolute
path, which would make a saved notebook differ from run to run.
"""

from __future__ import annotations

import html
from typing import Any

from dbgraph_nb.model import CatalogHit, Connection, Hits, IndexReport
from dbgraph_nb.render.frame import footer, plain, table, to_text
from dbgraph_nb.render.style import line, page
from dbgraph_nb.result import FindAnswer, describe_hit


def answer_text(answer: FindAnswer) -> str:
    """Rows (or the status and why there are none), then what was used and why."""
    parts = [to_text(answer.frame)] if answer.frame is not None else [headline(answer)]
    parts += reasons(answer)
    if answer.explain:
        parts += statement_lines(answer)
    if answer.frame is None or answer.explain:
        parts += [f"  {i}. {describe_hit(hit)}" for i, hit in enumerate(answer.candidates, 1)]
    return "\n".join(parts)


def headline(answer: FindAnswer) -> str:
    """The status and its sentence, of an answer without rows."""
    return f"{answer.status}: {answer.message}" if answer.message else answer.status


def reasons(answer: FindAnswer) -> list[str]:
    """What was used and why; a column that was asked for and compared is said once, and so is the message."""
    lines = dict.fromkeys(answer.explanation())
    if answer.frame is None:
        lines.pop(answer.message, None)
    return list(lines)


def statement_lines(answer: FindAnswer) -> list[str]:
    """The SQL and the bound values; values that stand for a sensitive column are the user's own words."""
    if answer.sql is None:
        return []
    bound = ", ".join(f":{name} = {_literal(value)}" for name, value in answer.params.items())
    return [f"SQL: {answer.sql}", *([f"with {bound}"] if bound else [])]


def answer_html(answer: FindAnswer) -> str:
    """The same as HTML."""
    parts = []
    if answer.frame is not None:
        parts.append(table(answer.frame) + line(footer(answer.frame)))
    else:
        sentence = html.escape(f" {answer.message}" if answer.message else "")
        parts.append(f"<p class='dbgraph-status'><b>{html.escape(answer.status)}</b>{sentence}</p>")
    parts.append(_list(reasons(answer)))
    if answer.explain and answer.sql is not None:
        parts.append(f"<pre class='dbgraph-sql'>{html.escape(chr(10).join(statement_lines(answer)))}</pre>")
    if answer.frame is None or answer.explain:
        parts.append(_hit_table(answer.candidates))
    return page("".join(parts))


def hits_text(hits: Hits[Any]) -> str:
    """Ranked hits, a line each."""
    lines = [f"{i}. {describe_hit(hit) if isinstance(hit, CatalogHit) else hit}" for i, hit in enumerate(hits, 1)]
    return "\n".join([*lines, _count_line(hits)])


def hits_html(hits: Hits[Any]) -> str:
    """Ranked hits as a small table."""
    return page(_hit_table(hits) + line(_count_line(hits)))


def report_text(report: IndexReport) -> str:
    """What an index run did, without times and paths."""
    level = "l1 (without keys and samples)" if report.level == "l1" else "full"
    counts = (
        f"{report.name}: {report.objects:,} tables and views, {report.columns:,} columns, {report.edges:,} edges, "
        f"{report.terms:,} terms · level {level} · {report.writer} writer"
    )
    notes = [f"warning: {note}" for note in report.warnings]
    dangling = [f"dangling: {edge}" for edge in report.dangling]
    return "\n".join([counts, *notes, *dangling])


def connection_text(connection: Connection) -> str:
    """A connection in one line: its name, engine and policy; never its credential."""
    policy = {"redact": "redacted", "show": "shown"}.get(str(connection.sensitive), "by a policy of their own")
    scheme, _, rest = connection.url.partition(":")
    engine = f"URL in the variable {rest}" if scheme == "env" else scheme
    return f"connection {connection.name} ({engine}), sensitive columns: {policy}"


def _literal(value: Any) -> str:
    return repr(value) if isinstance(value, str) else plain(value)


def _count_line(hits: Hits[Any]) -> str:
    many = (
        f"{len(hits)} of {hits.total:,} hits" if hits.truncated else f"{len(hits)} hit{'' if len(hits) == 1 else 's'}"
    )
    return " · ".join([many, *hits.warnings])


def _list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(text)}</li>' for text in lines)}</ul>" if lines else ""


def _hit_table(hits: Hits[Any]) -> str:
    rows = []
    for i, hit in enumerate(hits, 1):
        name = f"{hit.table}.{hit.column}" if hit.column else hit.table
        cells = (f"<td class='dbgraph-number'>{i}</td>", f"<td>{html.escape(name)}</td>")
        score = f"<td class='dbgraph-number'>{f'{hit.score:.2f}' if hit.score else ''}</td>"
        rows.append(f"<tr>{''.join(cells)}{score}<td>{html.escape('; '.join(hit.reasons))}</td></tr>")
    if not rows:
        return ""
    head = "<tr><th></th><th>table or column</th><th>score</th><th>why</th></tr>"
    return f"<div class='dbgraph-table'><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"
