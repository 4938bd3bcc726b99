"""`import dbgraph_nb` and `%load_ext dbgraph_nb` load nothing heavy."""

import statistics
import subprocess
import sys

HEAVY = ("numba", "pandas", "duckdb", "sqlglot", "pymilvus", "pymysql", "keyring")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_door_loads_nothing_heavy() -> None:
    loaded = run(f"import sys, dbgraph_nb; print([m for m in {HEAVY!r} if m in sys.modules])")
    assert loaded.strip() == "[]"


def test_the_extension_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\nbefore = set(sys.modules)\n"
        "shell.run_line_magic('load_ext', 'dbgraph_nb')\n"
        f"print([m for m in {HEAVY!r} if m in set(sys.modules) - before])"
    )
    assert run(code).strip().endswith("[]")


def test_the_import_costs_less_than_0_15_s_of_cpu() -> None:
    """CPU time of a process with the import, less that of a bare one; medians of 5, in turn."""
    measure = "import resource; u = resource.getrusage(resource.RUSAGE_SELF); print(u.ru_utime + u.ru_stime)"
    bare, ours = [], []
    for _ in range(5):
        bare.append(float(run(measure)))
        ours.append(float(run(f"import dbgraph_nb\n{measure}")))
    assert statistics.median(ours) - statistics.median(bare) < 0.15


def test_every_public_name_is_there() -> None:
    import dbgraph_nb

    for name in dbgraph_nb.__all__:
        assert getattr(dbgraph_nb, name) is not None
    assert set(dbgraph_nb.__all__) <= set(dir(dbgraph_nb))


def test_no_public_name_is_hidden_by_a_submodule() -> None:
    from pathlib import Path

    import dbgraph_nb

    meant = {"gate", "redact", "samples", "text"}
    modules = {p.stem for p in Path(dbgraph_nb.__file__).parent.iterdir() if not p.name.startswith("_")}
    assert set(dbgraph_nb.__all__) & modules == meant
