"""The house stands: a module imports only from lower floors, outside packages live where they belong.

Lazy imports count too; only imports under TYPE_CHECKING do not, for they never run.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# part of dbgraph_nb → its floor; K are the kernels, F0 to F5 as in docs/how-it-works.md
FLOORS = {
    "errors": 0, "model": 0, "text": 0, "text_reference": 0, "text_tables": 0, "text_arrays": 0, "text_kernels": 0,
    "result": 0, "uninterrupted": 0, "url_options": 0, "connection_url": 0,
    "settings": 1, "workspace": 1, "connection_store": 1, "credentials": 1, "progress": 1, "jobs": 1,
    "gate": 1, "engines": 1, "redact": 1, "samples": 1,
    "catalog": 2, "localdata": 2, "sessionlogs": 2, "explore": 3, "render": 4, "notebook": 5, "__init__": 5,
}  # fmt: skip
KERNELS_MAY_BE_USED_BY = {"text_kernels", "text_arrays", "catalog"}
# module of an outside package → parts that may import it
OUTSIDE = {
    "numba": {"kernels"},
    "numpy": {"kernels", "text_arrays", "text_kernels", "text_tables", "catalog", "engines", "sessionlogs"},
    "pandas": {"result", "render", "engines", "localdata"},
    "sqlglot": {"gate", "redact", "catalog"},
    "pymysql": {"engines"},
    "psycopg": {"engines"},
    "keyring": {"credentials"},
    "dotenv": {"credentials"},
    "filelock": {"connection_store", "catalog", "sessionlogs"},
    "platformdirs": {"settings"},
    "IPython": {"notebook"},
    "ipywidgets": {"notebook"},
    "duckdb": {"engines"},
    "pyarrow": {"engines"},
    "polars": {"explore"},
    "python_calamine": {"localdata"},
    "zstandard": {"localdata", "sessionlogs"},
    "pymilvus": set(),
}
MADE_ONLY_IN = {"AllowedQuery": "gate", "RawRows": "engines", "CleanRows": "redact", "ResultFrame": "result"}


def modules() -> Iterator[tuple[str, str, ast.Module]]:
    """(part, path, tree) of every module."""
    for base, prefix in ((ROOT / "dbgraph_nb", None), (ROOT / "kernels", "kernels")):
        for path in sorted(base.rglob("*.py")):
            part = prefix or path.relative_to(base).parts[0].removesuffix(".py")
            yield part, str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, dotted module) of every import that can run; ``from a import b`` counts as a.b too."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the floor"
            for name in node.names:
                yield node.lineno, f"{node.module}.{name.name}"


def part_of(dotted: str) -> str | None:
    parts = dotted.split(".")
    if parts[0] != "dbgraph_nb":
        return None
    return parts[1] if len(parts) > 1 and (parts[1] in FLOORS or parts[1] == "kernels") else "__init__"


def broken_rules() -> list[str]:
    found = []
    for part, path, tree in modules():
        for line, dotted in imports(tree):
            other = part_of(dotted)
            if other is None:
                top = dotted.split(".")[0]
                if top in OUTSIDE and part not in OUTSIDE[top]:
                    found.append(f"{path}:{line}: {top} does not belong here")
            elif other == part or (part == "kernels" and dotted.startswith("dbgraph_nb.kernels")):
                if part == "kernels" and "_jit" not in dotted:
                    found.append(f"{path}:{line}: a kernel file uses only itself and _jit")
            elif other == "kernels":
                if part not in KERNELS_MAY_BE_USED_BY:
                    found.append(f"{path}:{line}: {part} may not use kernels")
            elif part == "kernels":
                found.append(f"{path}:{line}: kernels use nothing of the package")
            elif FLOORS[other] > FLOORS[part] or (FLOORS[other] == FLOORS[part] and FLOORS[part] in (1, 2)):
                found.append(f"{path}:{line}: {part} (F{FLOORS[part]}) imports {dotted} (F{FLOORS[other]})")
    return found


def test_a_module_imports_only_from_lower_floors() -> None:
    assert broken_rules() == []


def test_every_part_has_a_floor() -> None:
    assert {part for part, _, _ in modules()} - {"kernels"} == set(FLOORS)


@pytest.mark.parametrize("name", sorted(MADE_ONLY_IN))
def test_the_types_of_the_flow_are_made_in_one_place(name: str) -> None:
    for part, path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                assert part == MADE_ONLY_IN[name], f"{path}:{node.lineno} makes a {name}"


def test_the_catalog_keeps_its_steps_apart() -> None:
    """``source`` knows neither index nor resolve; ``resolve`` never reads a source."""
    for _, path, tree in modules():
        used = {dotted for _, dotted in imports(tree)}
        used -= {d for d in used if d.startswith("dbgraph_nb.catalog.generated")}  # a rule that both apply
        if path.startswith("dbgraph_nb/catalog/source/"):
            assert not any(d.startswith("dbgraph_nb.catalog.") and ".source" not in d for d in used), path
        elif path.startswith("dbgraph_nb/catalog/"):
            assert not any(d.startswith("dbgraph_nb.catalog.source") for d in used), path


def test_sizes_feel_at_home() -> None:
    """Files up to about 250 lines; a longer one says why in its docstring."""
    for _, path, tree in modules():
        lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
        doc = ast.get_docstring(tree) or ""
        assert lines <= 290 or "long" in doc.lower(), f"{path}: {lines} lines, and its docstring does not say why"


def test_every_module_says_what_it_is() -> None:
    """In, out, never: in the docstring of every module but the empty doors."""
    for _, path, tree in modules():
        doc = ast.get_docstring(tree)
        assert doc, path
        if len(tree.body) > 1 and not path.endswith("__init__.py"):
            missing = [word for word in ("In:", "Out:", "Never:") if word not in doc]
            assert not missing, f"{path}: its docstring misses {missing}"


def test_no_junk_drawers() -> None:
    for _, path, _ in modules():
        assert Path(path).stem not in ("util", "utils", "helpers", "common", "misc"), path
