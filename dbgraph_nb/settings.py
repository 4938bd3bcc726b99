"""What can be set, read once from three places: file < environment < call.

In: ``<home>/settings.toml``, variables ``DBGRAPH_NB_*``, keyword arguments. Out: a frozen ``Settings`` that is passed
on. Never: a silently ignored name or value, and no other module reads these variables.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from dbgraph_nb.errors import BadArgument, DbgraphError

PREFIX = "DBGRAPH_NB_"
FILE_NAME = "settings.toml"
_READ_ELSEWHERE = {"NUMBA", "SOAK"}  # by text.py, and by the project's own tests


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one action.

    Attributes:
        home: folder of the connections file and the indexes.
        max_rows: rows that are shown and returned, 1 to 1,000.
        fetch_rows: rows that ``full=True`` and ``-o VAR`` fetch at most.
        timeout: seconds that one statement may take.
        numba_cache: folder for compiled kernels; None leaves it to Numba.
        workspace: folder whose files ``%%duckdb`` may read; None is the current folder, mostly the notebook's.
    """

    home: Path
    max_rows: int = 200
    fetch_rows: int = 1_000_000
    timeout: float = 30.0
    numba_cache: Path | None = None
    workspace: Path | None = None


def load(environ: Mapping[str, str] | None = None, **call: object) -> Settings:
    """Reads the settings.

    Args:
        environ: the environment (default: the process's own).
        **call: values that win over file and environment; None means not given.

    Raises:
        BadArgument: an unknown name (code ``unknown-setting``), a value that cannot be (``bad-setting``), or a
            settings file that is no TOML (``bad-settings-file``).
        DbgraphError: the home folder cannot be entered (``home-not-readable``).

    >>> load({"DBGRAPH_NB_HOME": "/nowhere", "DBGRAPH_NB_MAX_ROWS": "50"}, timeout=5).max_rows
    50
    """
    given = _from_environment(os.environ if environ is None else environ)
    given |= {name: (value, f"{name}=") for name, value in call.items() if value is not None}
    home = _checked("home", *given["home"]) if "home" in given else _default_home()
    merged = _from_file(home / FILE_NAME) | given
    values = {name: _checked(name, value, where) for name, (value, where) in merged.items() if name != "home"}
    return Settings(home=home, **values)


def private_folder(path: Path) -> Path:
    """Makes a folder, and those above it, that only its owner may enter (mode 0700); returns it.

    Raises:
        DbgraphError: it cannot be made (code ``home-not-writable``).
    """
    try:
        for folder in (*reversed(path.parents), path):  # mkdir's own parents=True gives the mode to the last one only
            if folder == path or not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        problem = DbgraphError(
            f"The folder {path} cannot be made: {error.strerror or type(error).__name__}.",
            code="home-not-writable",
            hint=f"Name a folder you may write to in {PREFIX}HOME.",
        )
    else:
        return path
    raise problem


Given = dict[str, tuple[object, str]]  # name -> (value, where it was found)


def _from_environment(environ: Mapping[str, str]) -> Given:
    given: Given = {}
    for variable, value in environ.items():
        if variable.startswith(PREFIX) and variable.removeprefix(PREFIX) not in _READ_ELSEWHERE and value != "":
            given[variable.removeprefix(PREFIX).lower()] = (value, variable)
    return given


def _from_file(path: Path) -> Given:
    try:
        read = tomllib.loads(path.read_text("utf-8-sig"))  # Windows editors write a byte order mark
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except tomllib.TOMLDecodeError as error:
        problem = f"{path} is not valid TOML: {error}."
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}."
        _check_home(path.parent)
    else:
        if "home" in read:
            raise BadArgument(f"{path} cannot set its own home.", code="bad-setting", hint=f"Use {PREFIX}HOME.")
        return {name: (value, f"{name} in {path}") for name, value in read.items()}
    raise BadArgument(problem, code="bad-settings-file", hint="Correct or remove the file.")


def _check_home(home: Path) -> None:
    """Raises if it is not the file in it but the home folder that cannot be used."""
    try:
        home.stat()
        list(home.iterdir())
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
    else:
        return
    raise DbgraphError(
        f"The home folder {str(home)[:300]} cannot be used: {reason}.",
        code="home-not-readable",
        hint=f"Correct its permissions, or name another folder in {PREFIX}HOME.",
    )


def _default_home() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("dbgraph_nb", appauthor=False))


def _checked(name: str, value: object, where: str) -> Any:
    """The value as its type, or an error that names the place it came from."""
    check = _CHECKS.get(name)
    if check is None:
        known = [field.name for field in fields(Settings)]
        near = difflib.get_close_matches(name, known, n=1)
        raise BadArgument(
            f"There is no setting {where.removesuffix('=')}.",
            code="unknown-setting",
            hint=f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}.",
        )
    try:
        return check(value)
    except (ValueError, TypeError, RuntimeError) as error:
        reason = str(error)
    raise BadArgument(f"The setting {where.removesuffix('=')} must be {reason}.", code="bad-setting")


def _folder(value: object) -> Path:
    if not isinstance(value, str | os.PathLike) or not str(value).strip() or "\0" in str(value):
        raise ValueError("the path of a folder")
    try:
        return Path.cwd() / Path(value).expanduser()
    except RuntimeError:
        raise ValueError("the path of a folder; there is no home folder for its ~") from None


def _whole(low: int, high: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if isinstance(value, str) and value.strip().replace("_", "").isdecimal():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"a whole number from {low:,} to {high:,}")
        return value

    return check


def _seconds(value: object) -> float:
    reason = "a number of seconds above 0 and at most 86,400"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(reason)
    try:
        seconds = float(value)
    except ValueError:
        raise ValueError(reason) from None
    if not (math.isfinite(seconds) and 0 < seconds <= 86_400):
        raise ValueError(reason)
    return seconds


_CHECKS: dict[str, Callable[[object], object]] = {
    "home": _folder,
    "max_rows": _whole(1, 1_000),
    "fetch_rows": _whole(1, 100_000_000),
    "timeout": _seconds,
    "numba_cache": _folder,
    "workspace": _folder,
}
