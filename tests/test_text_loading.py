"""When numba is imported, where its cache goes, and what happens without either; each in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dbgraph_nb
from dbgraph_nb import text

ROOT = Path(dbgraph_nb.__file__).parents[1]
TOKENIZE = "from dbgraph_nb import text; print(text.backend(), text.tokenize('userID').joined)"
COUNT_WARNINGS = """
    import warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from dbgraph_nb import text
        for _ in range(3):
            print(text.backend(), text.tokenize("userID").joined[0], text.streams(["用户"])[0])
    print(len(caught), *{str(warning.message) for warning in caught})
"""


def run(code: str, *, before: str = "", **environment: str) -> str:
    """What a new Python prints that runs ``code``; it must end well and write nothing to stderr."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "DBGRAPH_NB_"))}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(before) + "\n" + textwrap.dedent(code)],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_import_loads_neither_numba_nor_numpy() -> None:
    code = "import sys; from dbgraph_nb import text; print([m for m in ('numba', 'numpy') if m in sys.modules])"
    assert run(code) == "[]\n"


def test_first_call_loads_numba() -> None:
    code = "import sys; from dbgraph_nb import text; text.tokenize('x'); print('numba' in sys.modules, text.backend())"
    assert run(code) == "True numba\n"


def test_python_can_be_forced() -> None:
    code = f"{TOKENIZE}; import sys; print('numba' in sys.modules, 'numpy' in sys.modules)"
    assert run(code, DBGRAPH_NB_NUMBA="0") == "python ('userid',)\nFalse False\n"


@pytest.mark.parametrize(
    "broken",
    [
        "import sys; sys.modules['numba'] = None",
        "import sys; sys.modules['llvmlite'] = None",
        "import sys; sys.modules['numpy'] = None",
    ],
)
def test_a_numba_that_cannot_be_imported_gives_one_warning(broken: str) -> None:
    lines = run(COUNT_WARNINGS, before=broken).splitlines()
    assert lines[:3] == ["python userid 用户 用 户"] * 3
    assert lines[3].startswith("1 numba cannot be used (")
    assert "DBGRAPH_NB_NUMBA=0" in lines[3]


def test_no_warning_where_python_is_forced() -> None:
    lines = run(COUNT_WARNINGS, before="import sys; sys.modules['numba'] = None", DBGRAPH_NB_NUMBA="0").splitlines()
    assert lines[3] == "0"


def test_cache_goes_where_it_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "cache"
    code = f"""
        from pathlib import Path
        from dbgraph_nb import text
        text.use_numba_cache(Path({str(folder)!r}))
        print(text.backend(), text.streams(["id"]))
        text.use_numba_cache(None)
        text.use_numba_cache(Path({str(tmp_path)!r}))  # too late, and harmless
        print(text.streams(["id"]))
    """
    assert run(code) == "numba ['id']\n['id']\n"
    assert list(folder.rglob("*.nbi"))
    assert not list(tmp_path.glob("*.nbi"))


def test_a_cache_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code = f"""
        import os
        from pathlib import Path
        from dbgraph_nb import text
        text.use_numba_cache(Path({str(tmp_path / "file" / "cache")!r}))
        print(os.environ.get("NUMBA_CACHE_DIR"), text.backend())
    """
    assert run(code) == "None numba\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the package where nothing can be written beside the kernels, as far as numba can tell."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "dbgraph_nb", site / "dbgraph_nb", ignore=shutil.ignore_patterns("__pycache__"))
    kernels = site / "dbgraph_nb" / "kernels"
    shutil.copytree(ROOT / "kernels", kernels, ignore=shutil.ignore_patterns("__pycache__"))
    (kernels / "__pycache__").touch()  # a file, so that no folder of that name can be made, not even by root
    (tmp_path / "home").touch()
    return site


def test_without_a_writable_cache_it_works_with_one_warning(installed: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "home")
    before = f"import sys; sys.path.insert(0, {str(installed)!r})"
    lines = run(
        COUNT_WARNINGS,
        before=before,
        NUMBA_CACHE_DIR=f"{nowhere}/numba",
        HOME=nowhere,
        XDG_CACHE_HOME=nowhere,
        IPYTHONDIR=nowhere,
    ).splitlines()
    assert lines[:3] == ["numba userid 用户 用 户"] * 3
    assert lines[3].startswith("1 numba's cache of compiled code cannot be used (RuntimeError: cannot cache function")
    assert "NUMBA_CACHE_DIR" in lines[3]


def test_a_damaged_cache_is_no_error(tmp_path: Path) -> None:
    assert run(TOKENIZE, NUMBA_CACHE_DIR=str(tmp_path)).startswith("numba")
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(b"not a cache file")
    lines = run(COUNT_WARNINGS, NUMBA_CACHE_DIR=str(tmp_path)).splitlines()
    assert lines[:3] == ["numba userid 用户 用 户"] * 3
    assert lines[3].startswith("1 numba's cache of compiled code cannot be used (")


def test_setting_it_again_takes_effect_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBGRAPH_NB_NUMBA", "0")
    assert text.backend() == "python"
    monkeypatch.setenv("DBGRAPH_NB_NUMBA", "1")
    assert text.backend() == "numba"
