"""The look of everything that is shown in a notebook: one small style sheet that follows the theme.

In: an HTML fragment. Out: the fragment with its style. Never: a script, a picture or anything from outside.
"""

from __future__ import annotations

import html

# JupyterLab's variables, then those of VS Code, then what any page has.
TEXT = "var(--jp-ui-font-color1,var(--vscode-editor-foreground,inherit))"
SOFT = "var(--jp-ui-font-color2,var(--vscode-descriptionForeground,GrayText))"
GROUND = "var(--jp-layout-color1,var(--vscode-editor-background,Canvas))"
RAISED = "var(--jp-layout-color2,var(--vscode-editorWidget-background,#8883))"
RULE = "var(--jp-border-color2,var(--vscode-editorWidget-border,#8886))"
CODE = "var(--jp-code-font-family,var(--vscode-editor-font-family,monospace))"

# Two classes and a doubled one: JupyterLab aligns every cell to the right by a rule of two classes.
CELL = ".dbgraph.dbgraph .dbgraph-table"

CSS = f"""
.dbgraph{{font-size:13px;line-height:1.45;color:{TEXT}}}
.dbgraph .dbgraph-table{{max-height:520px;overflow:auto;width:fit-content;max-width:100%;border:1px solid {RULE};
border-radius:4px}}
{CELL} table{{border-collapse:separate;border-spacing:0;margin:0;width:max-content;font-size:13px;table-layout:auto}}
{CELL} tr{{background:{GROUND}}}
{CELL} th,{CELL} td{{padding:4px 12px;text-align:left;vertical-align:top;line-height:1.45;white-space:pre-wrap;
max-width:36em;border:0;border-bottom:1px solid {RULE}}}
{CELL} tbody tr:last-child td{{border-bottom:0}}
{CELL} th{{position:sticky;top:0;background:{RAISED};font-weight:600}}
{CELL} .dbgraph-number{{text-align:right;font-variant-numeric:tabular-nums;white-space:pre}}
{CELL} .dbgraph-null{{color:{SOFT};font-style:italic}}
{CELL} .dbgraph-hidden span{{padding:1px 6px;border-radius:4px;background:{RAISED};color:{TEXT};
font-family:{CODE};font-size:12px;white-space:pre}}
.dbgraph p.dbgraph-line{{margin:6px 0 0;color:{SOFT}}}
.dbgraph p.dbgraph-status{{margin:0 0 6px}}
.dbgraph ul{{margin:6px 0;padding-left:1.4em;color:{SOFT}}}
.dbgraph pre.dbgraph-sql{{margin:6px 0;padding:6px 10px;width:fit-content;border-radius:4px;background:{RAISED};
color:{TEXT};font-family:{CODE};font-size:12px;white-space:pre-wrap;word-break:normal;
overflow-wrap:anywhere}}
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
