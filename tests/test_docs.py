"""The docs are complete: every public name, magic, option, error, code, rule and setting is described, and proved."""

import ast
import dataclasses
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import dbgraph_nb
from dbgraph_nb import errors

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_the_reference_pages_say_what_the_code_says() -> None:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = generate  # dataclasses look their module up
    spec.loader.exec_module(generate)
    for page, make in generate.PAGES.items():
        assert text(page) == make(), f"docs/{page} is old: run `make docs`"


def test_every_public_function_says_types_and_errors() -> None:
    for name in dbgraph_nb.__all__:
        value = getattr(dbgraph_nb, name)
        assert len(inspect.getdoc(value) or "") > 30, name
        if inspect.isfunction(value):
            hints = inspect.signature(value)
            assert hints.return_annotation is not inspect.Signature.empty, name
            for parameter in hints.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, f"{name}({parameter.name})"


def test_every_error_class_is_described() -> None:
    page = text("errors.md")
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, errors.DbgraphError):
            assert f"`{name}`" in page, name


def codes() -> set[str]:
    """Every code that the package can raise: the literals given as ``code=``, and the default of a class that is made
    without one somewhere."""
    classes = {name: v for name, v in vars(errors).items() if inspect.isclass(v) and hasattr(v, "default_code")}
    found = set()
    for path in (ROOT / "dbgraph_nb").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            given = [k.value for k in node.keywords if k.arg == "code"]
            found |= {str(value.value) for value in given if isinstance(value, ast.Constant)}
            if isinstance(node.func, ast.Name) and node.func.id in classes and not given:
                found.add(classes[node.func.id].default_code)
    return found - {errors.GateRefused.default_code, "None"}  # its code is made of the rule: docs/gate.md


def test_every_error_code_is_described_and_proved() -> None:
    page = text("errors.md")
    described = {code for code in codes() if f"`{code}`" in page}
    assert codes() - described == set(), "describe them in docs/errors.md"
    tests = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "tests").rglob("*.py") if p != Path(__file__))
    unproved = {code for code in codes() if not re.search(rf"[\"']{re.escape(code)}[\"']", tests)}
    assert unproved == set(), "no test names these codes"


def test_every_code_in_the_docs_exists() -> None:
    listed = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text("errors.md"), re.M))
    assert listed - codes() == set(), "docs/errors.md describes codes that nothing raises"


def test_every_setting_is_described() -> None:
    from dbgraph_nb.settings import Settings

    page = text("connections.md")
    for field in dataclasses.fields(Settings):
        assert f"`{field.name}`" in page, field.name


def test_every_magic_option_has_help() -> None:
    from dbgraph_nb.notebook.magics.commands import COMMANDS

    for command in COMMANDS.values():
        assert len(command.summary) > 10, command.name
        for action in command.parser._actions:
            assert action.help, f"{command.name} {action.dest}"


def test_the_links_between_pages_lead_somewhere() -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
