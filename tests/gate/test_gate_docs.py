"""docs/gate.md names every rule, and each example is refused by the rule beside it."""

import ast
import re
from pathlib import Path

from gate.gate_cases import refusal

from dbgraph_nb.gate.refusal import RULE_NAMES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z-]+)` \| .+? \| (.*) \|$", re.M)
EXAMPLE = re.compile(r"(sqlite|mysql|mariadb|postgres|duckdb): (`{1,2})(.+?)\2")


def test_every_rule_is_described_once() -> None:
    rows = [rule for rule, _ in ROW.findall(PAGE)]
    assert sorted(rows) == sorted(RULE_NAMES)


def test_every_example_is_refused_by_its_rule() -> None:
    checked = 0
    for rule, cell in ROW.findall(PAGE):
        found = EXAMPLE.search(cell)
        if not found:
            assert rule in ("nul-character", "too-long", "too-deep"), rule
            continue
        relations = ["f0"] if "relations=" in cell else None
        refused = refusal(found[3], found[1], relations=relations)
        assert refused is not None, (rule, cell)
        assert refused.rule == rule, (rule, cell, str(refused))
        checked += 1
    assert checked > 25


def test_the_code_uses_only_named_rules() -> None:
    """The first argument of every refusal is a name of the table."""
    used = set()
    for path in (ROOT / "dbgraph_nb" / "gate").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            if node.func.id not in ("Refusal", "at_token", "_refused"):
                continue
            first = node.args[0]
            if isinstance(first, ast.Constant):
                used.add(first.value)
            else:  # pragma and show refuse under the name of their form
                used |= {"pragma", "show"} if path.name == "forms.py" else set()
    assert used == set(RULE_NAMES)
