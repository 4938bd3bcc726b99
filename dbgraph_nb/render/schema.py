"""What is in a file, as HTML and as text.

In: a ``FileSchema``. Out: strings. Never: a value that redaction has not passed.
"""

from __future__ import annotations

import html

from dbgraph_nb.render.frame import table, text_table
from dbgraph_nb.render.style import line, page
from dbgraph_nb.result import FileSchema


def schema_text(schema: FileSchema) -> str:
    """What it is in one line, what was guessed, the columns, the sample."""
    parts = [schema.headline(), *(f"- {said}" for said in schema.findings), text_table(schema.columns)]
    if schema.sample is not None and len(schema.sample):
        parts += ["", text_table(schema.sample)]
    return "\n".join(parts)


def schema_html(schema: FileSchema) -> str:
    """The same as HTML."""
    said = "".join(f"<li>{html.escape(text)}</li>" for text in schema.findings)
    parts = [line(schema.headline()), f"<ul>{said}</ul>" if said else "", table(schema.columns)]
    if schema.sample is not None and len(schema.sample):
        parts += [line("first rows"), table(schema.sample)]
    return page("".join(parts))
