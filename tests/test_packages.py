"""The explicit package list in pyproject.toml is what is on disk, so that a wheel holds everything."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_package_list_is_complete() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    on_disk = {"dbgraph_nb.kernels"}
    for init in (ROOT / "dbgraph_nb").rglob("__init__.py"):
        on_disk.add(".".join(init.parent.relative_to(ROOT).parts))
    assert sorted(setup["packages"]) == sorted(on_disk)
    assert setup["package-dir"] == {"dbgraph_nb.kernels": "kernels"}


def test_every_data_file_is_packaged() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = setup["package-data"]["*"]
    found = [
        p for p in (ROOT / "dbgraph_nb").rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".nbi", ".nbc")
    ]
    assert found
    packages = {p.replace(".", "/") for p in setup["packages"]}
    for path in found:
        folder = next(f for f in path.parents if str(f.relative_to(ROOT)) in packages)
        inside = path.relative_to(folder)
        matched = any(inside.match(pattern) and len(inside.parts) == len(Path(pattern).parts) for pattern in patterns)
        assert matched, f"{path} is no package data"


def test_kernels_refuse_to_be_a_top_level_package() -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", "import kernels"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "dbgraph_nb.kernels" in done.stderr
