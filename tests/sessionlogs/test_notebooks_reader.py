"""Notebooks: cells and the texts of their outputs; what is no text is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sessionlogs import made_logs as made
from sessionlogs.made_logs import code_cell, notebook

from dbgraph_nb.sessionlogs.events import Event, Message, SessionHeader, ToolResult
from dbgraph_nb.sessionlogs.readers import notebooks
from dbgraph_nb.sessionlogs.reading import LIMITS, Cursor, Limits, Problem, Reading, SessionFile


def read(path: Path, limits: Limits = LIMITS) -> tuple[list[Event], Reading]:
    reading = notebooks.read(path, limits=limits)
    return list(reading), reading


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


def output(tmp_path: Path, *outputs: dict[str, Any]) -> tuple[ToolResult | None, Reading]:
    events, reading = read(notebook(tmp_path / "a.ipynb", code_cell("x", *outputs)))
    found = [event for event in events if isinstance(event, ToolResult)]
    return (found[0] if found else None), reading


def shown(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def test_cells_in_order_with_sources_as_text_or_as_lines(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "id": "m", "source": "# 三月 orders"},
        code_cell(["a = 1\n", "a"], {"output_type": "execute_result", "data": {"text/plain": ["1", "2"]}}, number=7),
        {"cell_type": "raw", "source": []},
    ]
    events, reading = read(path := notebook(tmp_path / "a.ipynb", *cells))
    header, *rest = events
    assert isinstance(header, SessionHeader)
    assert (header.id, header.version, header.cwd) == (str(path), 4, str(tmp_path))
    assert rest == [
        Message(seq=0, role="user", kind="markdown", text="# 三月 orders", id="m"),
        Message(seq=1, role="user", kind="code", text="a = 1\na", id="c7", turn=7),
        ToolResult(seq=1, part=1, turn=7, call_id="1", text="12"),
        Message(seq=2, role="user", kind="raw"),
    ]
    assert codes(reading) == []


def test_streams_and_errors_are_text_without_colours(tmp_path: Path) -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'",
             "traceback": ["\x1b[31mTraceback\x1b[0m", "line 1", "\x1b[1;31mKeyError\x1b[0m: 'x'"]}  # fmt: skip
    stream = {"output_type": "stream", "name": "stdout", "text": ["\x1b[32mok\x1b[0m\n", "more\n"]}
    found, _ = output(tmp_path, stream, error)
    assert found is not None
    assert found.text == "ok\nmore\nTraceback\nline 1\nKeyError: 'x'"
    assert (found.error, found.error_name) == (True, "KeyError")
    bare, _ = output(tmp_path, {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []})
    assert bare is not None
    assert bare.text == "E: v"


def test_blobs_are_counted_and_are_no_text(tmp_path: Path) -> None:
    blobs = {
        "image/png": "QUJD" * 100,
        "application/vnd.plotly.v1+json": {"data": [1]},
        "text/plain": "<Figure size 640x480>",
    }
    found, reading = output(tmp_path, shown(blobs))
    assert found is None
    assert (reading.tally.blobs, reading.tally.blob_bytes) == (2, 400 + len('{"data": [1]}'))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"text/plain": "a  b\n0  1", "text/html": "<table><td>a</td></table>"}, "a  b\n0  1"),
        ({"text/plain": "<IPython.core.display.HTML object>", "text/html": "<p>1 &lt; <b>2</b></p>"}, "1 < 2"),
        ({"text/html": ["<style>p{}</style>", "<script>x<y</script><!-- c -->", "ok"]}, "ok"),
        ({"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "# t"}, "# t"),
        ({"text/latex": "$x$"}, "$x$"),
        ({"text/plain": "<b> is kept"}, "<b> is kept"),
        ({"text/plain": "<pandas.io.formats.style.Styler at 0x7f00aa>", "text/html": "<td>v</td>"}, "v"),
    ],
)
def test_an_output_in_several_forms_is_one_text(tmp_path: Path, data: dict[str, Any], text: str) -> None:
    found, _ = output(tmp_path, shown(data))
    assert found is not None
    assert found.text == text


def test_format_3(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": ["Title"]},
        {"cell_type": "code", "input": ["1 + 1"], "prompt_number": 3, "outputs": [
            {"output_type": "pyout", "text": ["2"], "png": "QUJD"}, {"output_type": "stream", "text": "s"},
            {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["E: v"]}]},
    ]  # fmt: skip
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells[:1]}, {"cells": cells[1:]}]}))
    events, reading = read(path)
    assert events[1:] == [
        Message(seq=0, role="user", kind="markdown", text="Title"),
        Message(seq=1, role="user", kind="code", text="1 + 1", turn=3),
        ToolResult(seq=1, part=1, turn=3, call_id="1", text="2\ns\nE: v", error=True, error_name="E"),
    ]
    assert reading.tally.blobs == 1


def test_a_changed_notebook_is_read_anew_wherever_the_cursor_is(tmp_path: Path) -> None:
    path = notebook(tmp_path / "a.ipynb", code_cell("x"))
    first, reading = read(path)
    assert list(notebooks.read(path, reading.cursor)) == first
    assert reading.cursor == Cursor(path.stat().st_size, records=1)
    assert not notebooks.APPENDS


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"", "Jupyter"),
        (b"{", "Jupyter"),
        (b"[]", "Jupyter"),
        (b'{"cells": 7}', "Jupyter"),
        (b'{"cells": [\n<<<<<<< HEAD\n]}', "merge"),
    ],
)
def test_what_is_no_notebook_is_named(tmp_path: Path, data: bytes, hint: str) -> None:
    (tmp_path / "a.ipynb").write_bytes(data)
    events, reading = read(tmp_path / "a.ipynb")
    assert events == []
    assert [problem.code for problem in reading.problems] == ["bad-notebook"]
    assert hint in reading.problems[0].hint


def test_odd_cells_stop_nothing(tmp_path: Path) -> None:
    odd: list[Any] = [7, None, [], {}, {"cell_type": 7, "source": 7, "outputs": 7}, code_cell("x")]
    more = {"cell_type": "code", "source": [1, "y"], "outputs": [7, {}, {"output_type": "stream"}]}
    events, reading = read(notebook(tmp_path / "a.ipynb", *odd, more))
    assert [event.text for event in events if isinstance(event, Message)] == ["", "", "", "", "", "x", "y"]
    assert codes(reading) == []
    (tmp_path / "b.ipynb").write_text('{"worksheets": [7, {}, {"cells": 7}]}')
    assert len(read(tmp_path / "b.ipynb")[0]) == 1


def test_half_characters_and_bad_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b'{"cells": [{"cell_type": "code", "source": "a\\ud83d \xb2"}]}')
    events, reading = read(tmp_path / "a.ipynb")
    assert [event.text for event in events if isinstance(event, Message)] == ["a\ufffd \ufffd"]
    assert codes(reading) == ["bad-bytes"]


def test_a_large_notebook_loses_its_pictures_first(tmp_path: Path) -> None:
    picture = shown({"image/png": "QUJDQUJD\n" * 3000, "text/plain": "<Figure size 1x1 with 1 Axes>"})
    long = {"output_type": "stream", "name": "stdout", "text": "word " * 4000}
    path = notebook(tmp_path / "a.ipynb", *(code_cell(f"cell {n}", picture) for n in range(9)), code_cell("z", long))
    events, reading = read(path, Limits(line=30_000, text=15_000, blob=1000))
    sources = [event.text for event in events if isinstance(event, Message)]
    assert sources == [*(f"cell {n}" for n in range(9)), "z"]
    assert [len(event.text) for event in events if isinstance(event, ToolResult)] == [15_000]
    assert reading.tally.cut_bytes == 5000
    assert codes(reading) == ["text-cut"]
    assert reading.tally.blob_bytes == 9 * 30_000


def test_notebooks_are_found_and_copies_of_jupyter_are_not(tmp_path: Path) -> None:
    notebook(tmp_path / "b.ipynb")
    notebook(tmp_path / "work" / "a.ipynb")
    notebook(tmp_path / ".ipynb_checkpoints" / "b-checkpoint.ipynb")
    notebook(tmp_path / "work" / "node_modules" / "x.ipynb")
    (tmp_path / "c.txt").write_text("")
    found = list(notebooks.discover(tmp_path))
    assert [Path(file.id).name for file in found if isinstance(file, SessionFile)] == ["b.ipynb", "a.ipynb"]
    assert [one.code for one in notebooks.discover(tmp_path / "no") if isinstance(one, Problem)] == ["missing"]


def test_made_logs_are_notebooks(tmp_path: Path) -> None:
    import nbformat

    path = notebook(
        tmp_path / "a.ipynb", made.code_cell("x"), {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ""}
    )
    nbformat.validate(nbformat.read(path, 4))  # type: ignore[no-untyped-call]
