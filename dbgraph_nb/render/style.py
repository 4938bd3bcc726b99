"""The look of everything that is shown in a notebook: one small style sheet that follows the theme.

In: an HTML fragment. Out: the fragment with its style. Never: a script, a picture or anything from outside.
"""

from __future__ import annotations

import html

CSS = """
.dbgraph{font-size:13px;line-height:1.4;color:var(--jp-ui-font-color1,inherit)}
.dbgraph-table{max-height:480px;overflow:auto}
.dbgraph table{border-collapse:collapse;margin:0}
.dbgraph th,.dbgraph td{padding:3px 10px;text-align:left;border-bottom:1px solid var(--jp-border-color2,#8884);
white-space:pre-wrap;max-width:36em;vertical-align:top}
.dbgraph th{position:sticky;top:0;background:var(--jp-layout-color1,Canvas);font-weight:600}
.dbgraph td.dbgraph-number,.dbgraph th.dbgraph-number{text-align:right;font-variant-numeric:tabular-nums}
.dbgraph td.dbgraph-null{color:var(--jp-ui-font-color3,#888);font-style:italic}
.dbgraph td.dbgraph-hidden{color:var(--jp-warn-color0,#b26a00);font-family:var(--jp-code-font-family,monospace)}
.dbgraph p.dbgraph-line{margin:4px 0 0;color:var(--jp-ui-font-color2,#666)}
.dbgraph ul{margin:4px 0 0;padding-left:1.4em}
.dbgraph code{font-size:12px;white-space:pre-wrap}
""".replace("\n", "")


def page(fragment: str) -> str:
    """The fragment in a container with the style sheet.

    >>> page("<b>x</b>").endswith("<div class='dbgraph'><b>x</b></div>")
    True
    """
    return f"<style>{CSS}</style><div class='dbgraph'>{fragment}</div>"


def line(text: str) -> str:
    """The one line below a table, escaped.

    >>> line("1 row · a<b")
    "<p class='dbgraph-line'>1 row · a&lt;b</p>"
    """
    return f"<p class='dbgraph-line'>{html.escape(text)}</p>"
