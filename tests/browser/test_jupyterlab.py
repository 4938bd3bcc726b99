"""The first tutorial in a real JupyterLab: what an analyst sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

START = Path(__file__).resolve().parents[2] / "notebooks" / "01_start.ipynb"
LOOK = [
    "%dbgraph schema orders",
    "%dbgraph resolve",
    "%dbgraph find 用户 密码",
    "%dbgraph find 订单 订单号 金额 状态",
    "%dbgraph find 档案",
    "%dbgraph find 用户 血型",
    "%%dbgraph sql -o",
    "%%dbgraph sql\nDELETE",
    "%dbgraph find 用户 手机号 --all",
]


def test_the_tutorial_runs_and_is_readable(open_notebook: Callable[[Path], Any], tmp_path: Path) -> None:
    opened = open_notebook(START)
    opened.run_all()

    answer = opened.output("%dbgraph find 用户 密码")
    assert answer.locator(".dbgraph-hidden").inner_text() == "[REDACTED]"
    assert "1 column redacted" in answer.locator(".dbgraph-line").inner_text()
    assert "密码 → users.password" in answer.inner_text()

    refused = opened.output("%%dbgraph sql\nDELETE")
    assert refused.inner_text().startswith("GateRefused: DELETE")
    assert len(refused.inner_text().strip().splitlines()) == 1  # no traceback

    number, text = (answer_cell(opened, column) for column in ("amount", "order_no"))
    assert (align(number), align(text)) == ("right", "left")  # JupyterLab puts all to the right by itself

    colours = {}
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        opened.theme(theme)
        parts = (".dbgraph-hidden span", ".dbgraph-line", "th", "li >> nth=0")
        colours[theme] = [readable(answer.locator(part)) for part in parts]
        for i, source in enumerate(LOOK):
            output = opened.output(source)
            output.scroll_into_view_if_needed()
            output.screenshot(path=tmp_path / f"{theme.split()[-1].lower()}-{i}.png")
    assert colours["JupyterLab Light"] != colours["JupyterLab Dark"]


def answer_cell(opened: Any, column: str) -> Any:
    """The head of a column of the explained answer."""
    return opened.output("%dbgraph find 订单 订单号 金额 状态").locator(f"th:text-is('{column}')")


def align(locator: Any) -> str:
    return str(locator.evaluate("element => getComputedStyle(element).textAlign"))


def readable(locator: Any) -> tuple[str, str]:
    """The colours of a text and of what is behind it, which must be far apart (the ratio that WCAG calls AA)."""
    text, behind = locator.evaluate(
        """element => {
          const seen = e => getComputedStyle(e).backgroundColor;
          let e = element;
          while (e.parentElement && /rgba\\(.*, 0\\)|transparent/.test(seen(e))) e = e.parentElement;
          return [getComputedStyle(element).color, seen(e)] }"""
    )
    light, dark = sorted((luminance(text), luminance(behind)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, behind)
    return text, behind


def luminance(colour: str) -> float:
    """Relative luminance of ``rgb(…)``, by WCAG 2."""
    shares = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(weight * s for weight, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
