from __future__ import annotations

import stat
from pathlib import Path

import pytest

from dbgraph_nb import settings
from dbgraph_nb.errors import BadArgument, DbgraphError


def test_standard_values(home: Path) -> None:
    assert settings.load() == settings.Settings(home, 200, 1_000_000, 30.0, None)


def test_file_then_environment_then_call(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("max_rows = 10\ntimeout = 1\nfetch_rows = 1_000\n")
    environ = {"DBGRAPH_NB_HOME": str(tmp_path), "DBGRAPH_NB_TIMEOUT": "2.5", "DBGRAPH_NB_FETCH_ROWS": "2_000"}
    read = settings.load(environ, fetch_rows=3000, max_rows=None)
    assert (read.max_rows, read.timeout, read.fetch_rows) == (10, 2.5, 3000)


def test_home_is_the_platforms_data_folder_unless_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings.load({}).home.name == "dbgraph_nb"
    monkeypatch.chdir(tmp_path)
    assert settings.load({"DBGRAPH_NB_HOME": "数据"}).home == tmp_path / "数据"


def test_numba_cache_is_a_path(tmp_path: Path) -> None:
    assert settings.load({"DBGRAPH_NB_NUMBA_CACHE": str(tmp_path)}).numba_cache == tmp_path


def test_variables_read_elsewhere_are_no_settings() -> None:
    assert settings.load({"DBGRAPH_NB_NUMBA": "0", "DBGRAPH_NB_SOAK": "1", "DBGRAPH_NB_MAX_ROWS": ""}).max_rows == 200


@pytest.mark.parametrize(
    ("environ", "call", "code", "said"),
    [
        ({"DBGRAPH_NB_MAX_ROW": "5"}, {}, "unknown-setting", "DBGRAPH_NB_MAX_ROW. Did you mean max_rows"),
        ({}, {"colour": 1}, "unknown-setting", "Known: home, max_rows"),
        ({"DBGRAPH_NB_MAX_ROWS": "many"}, {}, "bad-setting", "DBGRAPH_NB_MAX_ROWS must be a whole number"),
        ({}, {"max_rows": 1001}, "bad-setting", "from 1 to 1,000"),
        ({}, {"max_rows": 0}, "bad-setting", "max_rows must"),
        ({}, {"max_rows": True}, "bad-setting", "max_rows must"),
        ({}, {"max_rows": 5.0}, "bad-setting", "max_rows must"),
        ({}, {"timeout": float("nan")}, "bad-setting", "timeout must"),
        ({}, {"timeout": -1}, "bad-setting", "timeout must"),
        ({"DBGRAPH_NB_TIMEOUT": "soon"}, {}, "bad-setting", "DBGRAPH_NB_TIMEOUT must"),
        ({}, {"home": 5}, "bad-setting", "home must be the path"),
    ],
)
def test_unknown_names_and_values(environ: dict[str, str], call: dict[str, object], code: str, said: str) -> None:
    with pytest.raises(BadArgument) as caught:
        settings.load(environ, **call)
    assert caught.value.code == code
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("max_rows = ", "bad-settings-file", "not valid TOML"),
        ("max_row = 5", "unknown-setting", "max_row in"),
        ("max_rows = '5 rows'", "bad-setting", "max_rows in"),
        ("home = '/x'", "bad-setting", "DBGRAPH_NB_HOME"),
    ],
)
def test_a_wrong_settings_file(tmp_path: Path, text: str, code: str, said: str) -> None:
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(BadArgument) as caught:
        settings.load({"DBGRAPH_NB_HOME": str(tmp_path)})
    assert caught.value.code == code
    assert said in str(caught.value)


def test_private_folders(tmp_path: Path) -> None:
    made = settings.private_folder(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    (tmp_path / "file").touch()
    with pytest.raises(DbgraphError) as caught:
        settings.private_folder(tmp_path / "file" / "b")
    assert caught.value.code == "home-not-writable"


def test_a_home_that_cannot_be_used_is_named_and_not_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(DbgraphError) as caught:
        settings.load({"DBGRAPH_NB_HOME": str(tmp_path)})
    assert caught.value.code == "home-not-readable"
