"""Secrets planted in twelve tables of a database do not get out of a session that tries to get them.

Each line of tests/fixtures/canary/*.jsonl is one attempt: a statement, or a whole cell. How it has to end stands there
too: refused (nothing ran), failed (the engine or Python raised), redacted, harmless (no value of a secret is in what
it shows) or stopped. All run in one real kernel for each engine; then everything that the session left is searched.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import nbformat
import pytest
import soak
from canary_search import Search, secret
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from planted import ENGINES, plant

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "canary"
TABLES = (
    "users", "members_zh", "settings", "accounts", "devices", "vault", "notes", "members", "orders", "plans", "blobs",
    "people",
)  # fmt: skip
SEED = 20_261_201
TOGETHER = ("variable", "widget", "traceback", "session")  # families whose cells build on each other
SAMPLE = soak.scale(400)  # attempts of the others: 20, and all in a soak run
LONG = 60  # seconds after which a cell gives up; none takes longer than a few
REFUSALS = ("GateRefused", "RedactionRefused", "UnknownName")
PLACES = {
    "sqlite": {"text": "TEXT", "int": "INTEGER", "all": "group_concat"},
    "mariadb": {"text": "CHAR", "int": "SIGNED", "all": "group_concat"},
    "postgres": {"text": "TEXT", "int": "INTEGER", "all": "array_agg"},
    "duckdb": {"text": "VARCHAR", "int": "INTEGER", "all": "list"},
}
BEGIN = """
import logging, os, signal, sys, threading, traceback
logging.basicConfig(filename="everything.log", level=logging.DEBUG, force=True)
import ipywidgets as widgets
import dbgraph_nb as dg

def stop_soon(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()

def last():
    return getattr(sys, "last_exc", None) or sys.last_value

get_ipython().history_manager.db_log_output = True
policy = dg.SensitivePolicy(add=("settings.doc.api_key",))
credential = os.environ.get("PLANTED_CREDENTIAL")
connection = dg.connect("canary", os.environ["PLANTED_URL"], credential=credential, sensitive=SENSITIVE)
dg.index("canary", writer="python")
"""


@dataclass
class Session:
    """What a run of cells left."""

    notebook: nbformat.NotebookNode
    html: str
    files: dict[str, bytes] = field(default_factory=dict)


def attempts(engine: str) -> list[dict[str, Any]]:
    """The attempts against one engine: those of all engines, then its own."""
    lines = [
        json.loads(line)
        for name in ("common", engine)
        for line in (FIXTURES / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    for line in lines:
        line["kind"] = line["kind"] if isinstance(line["kind"], str) else line["kind"].get(engine, line["kind"]["*"])
        line["source"] = source(line, engine)
    return lines


def source(line: dict[str, Any], engine: str) -> str:
    """The cell of an attempt, in the words of the engine."""
    if "cell" in line:
        return str(line["cell"])
    text = re.sub(r"\{(text|int|all)\}", lambda place: PLACES[engine][place[1]], line["sql"])
    if engine == "mariadb":
        text = text.replace('"', "`")
    return f"%%dbgraph sql {line.get('options', '')}\n{text}"


def ended(outputs: list[Any]) -> str:
    """How a cell ended, seen from what it shows."""
    for output in outputs:
        if output["output_type"] == "error":
            name = output["ename"]
            return "stopped" if name == "KeyboardInterrupt" else "refused" if name in REFUSALS else "failed"
    text = shown(outputs)
    return "redacted" if "[REDACTED]" in text or re.search(r"\d columns? redacted", text) else "harmless"


def shown(outputs: list[Any]) -> str:
    """What a cell shows, as plain text."""
    return "".join(
        str(output.get("evalue") or output.get("text") or output.get("data", {}).get("text/plain", ""))
        for output in outputs
    )


def run(folder: Path, sources: list[str], *, sensitive: str = "policy") -> Session:
    """One kernel, one notebook: saved, exported, and all files that it left."""
    begin = BEGIN.replace("SENSITIVE", sensitive)
    cells = [begin, "%load_ext dbgraph_nb\n%dbgraph use canary", *sources]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    work = folder / "work"
    work.mkdir()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        client = NotebookClient(notebook, timeout=LONG, allow_errors=True, ipython_hist_file="")
        client.execute(cwd=str(work), stdout=out, stderr=err)
    nbformat.write(notebook, work / "saved.ipynb")
    html = HTMLExporter(template_name="classic").from_notebook_node(notebook)[0]
    assert not [output for cell in notebook.cells[:2] for output in cell.outputs if output["output_type"] == "error"]
    return Session(notebook, html, {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()})


# --- databases with the secrets in them -------------------------------------------------------------------------------


def script(engine: str, secrets: dict[str, str]) -> list[str]:
    """The statements that plant the secrets."""
    text = Template((FIXTURES / f"tables_{engine}.sql").read_text("utf-8")).substitute(secrets)
    return [part for part in text.split(";\n") if part.strip()]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def secrets() -> dict[str, str]:
    dice = random.Random(SEED)
    return {table: secret(dice) for table in TABLES}


@pytest.fixture
def left(
    engine: str,
    secrets: dict[str, str],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The folder that a session leaves its files in; the database lies elsewhere."""
    place, folder = tmp_path / "database", tmp_path / "left"
    place.mkdir()
    folder.mkdir()
    plant(engine, request, place, script(engine, secrets))
    monkeypatch.setenv("DBGRAPH_NB_HOME", str(folder / "home"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(folder / variable.lower()))
    return folder


def chosen(engine: str) -> list[dict[str, Any]]:
    """All attempts in a soak run, else a seeded part; those that build on another are always there."""
    every = attempts(engine)
    dice = random.Random(SEED + ENGINES.index(engine))
    loose = [line["id"] for line in every if line["id"].rpartition("-")[0] not in TOGETHER]
    left_out = set(dice.sample(loose, max(0, len(loose) - SAMPLE)))
    return [line for line in every if line["id"] not in left_out]


def test_there_are_enough_attempts() -> None:
    for engine in ENGINES:
        lines = attempts(engine)
        assert len(lines) >= 200, engine
        assert len({line["id"] for line in lines}) == len(lines), engine
        assert {line["kind"] for line in lines} == {"refused", "redacted", "failed", "harmless", "stopped"}, engine


def test_no_secret_gets_out(
    engine: str, left: Path, secrets: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    tried = chosen(engine)
    search = Search(secrets)
    assert search.find([line["source"] for line in tried]) == []  # the history holds what was typed
    session = run(left, [line["source"] for line in tried])
    wrong = []
    for line, cell in zip(tried, session.notebook.cells[2:], strict=True):
        kind, found = ended(cell.outputs), search.find([json.dumps(cell.outputs, ensure_ascii=False)])
        if found or kind != line["kind"]:
            wrong.append(
                (line["id"], f"{kind} instead of {line['kind']}", found, line["source"], shown(cell.outputs)[:200])
            )
    assert wrong == []
    assert [name for name, content in session.files.items() if search.find([content])] == []
    assert search.find([session.html]) == []
    with capsys.disabled():
        counted = ", ".join(f"{n} {kind}" for kind, n in Counter(line["kind"] for line in tried).most_common())
        print(f"\nsoak: canary on {engine}: {len(tried)} attempts ({counted}), no secret found", end="")


def test_the_session_is_searched_where_secrets_would_be(engine: str, left: Path, secrets: dict[str, str]) -> None:
    """On a connection that shows everything, the same search finds all twelve, in every place that it looks at."""
    direct = [line["source"] for line in attempts(engine) if line["id"].startswith("direct-")][:15]
    more = [
        "%%dbgraph sql -o got\nSELECT * FROM users",
        "widgets.HTML(got.to_html())",
        "text = got.to_csv()\nlogging.getLogger('x').debug(text)",
        "for number in (1, 2):\n    written = os.write(number, text.encode())",
        "raise ValueError(got.to_csv())",
    ]
    session = run(left, [*direct, *more], sensitive="'show'")
    search = Search(secrets)
    assert search.find([session.html]) == sorted(TABLES)
    by_file = {Path(name).name: search.find([content]) for name, content in session.files.items()}
    assert by_file["saved.ipynb"] == by_file["history.sqlite"] == sorted(TABLES)
    assert by_file["stdout"] == by_file["stderr"] == by_file["everything.log"] == ["users"]
    assert search.find([json.dumps(session.notebook.metadata["widgets"])]) == ["users"]
    assert search.find([json.dumps(session.notebook.cells[-1].outputs)]) == ["users"]
