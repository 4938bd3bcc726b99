"""Text → normalized tokens and terms: names, comments and questions become the same words.

In: any ``str``. Out: what ``text_reference`` gives, faster: the kernels do the work where numba works, else the
reference does, after one warning. Never: numba or numpy imported before the first call that needs them.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Literal

from dbgraph_nb import text_reference as reference
from dbgraph_nb.model import Tokens
from dbgraph_nb.text_reference import Mode, TermBatch
from dbgraph_nb.uninterrupted import load

__all__ = ["Mode", "TermBatch", "backend", "keys", "streams", "term_batch", "tokenize", "use_numba_cache"]

_lock = threading.Lock()
_loaded: ModuleType | None = None
_tried = False


def backend() -> Literal["numba", "python"]:
    """Which twin does the work here: "python" if DBGRAPH_NB_NUMBA is 0 or numba cannot be used."""
    return "python" if _kernels() is None else "numba"


def use_numba_cache(folder: Path | None) -> None:
    """Keep numba's compiled kernels in ``folder``; None leaves the place to numba.

    Makes the folder. Takes effect for kernels that are not loaded yet, so call it before anything else of this
    module. A folder that cannot be made is no error: numba then looks for another place.
    """
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


def tokenize(text: str, mode: Mode = "index") -> Tokens:
    """The tokens of ``text`` in reading order, the joined forms of split runs, the simplified variants.

    Raises:
        BadArgument: ``text`` is no str, or ``mode`` is neither "index" nor "query".

    >>> tokenize("userID会员表", "query")
    Tokens(tokens=('user', 'id', '会员', '员表'), joined=('userid',), variants=())
    """
    index = reference.check_mode(mode)
    reference.check_texts([text])
    kernels = _kernels()
    return kernels.tokenize(text, index) if kernels else reference.tokenize(text, mode)


def streams(texts: Sequence[str], mode: Mode = "index") -> list[str]:
    """Per text its tokens, joined forms and variants, separated by one space: what a full-text index stores.

    Raises:
        BadArgument: ``texts`` is one str or has a member that is no str, or ``mode`` is unknown.

    >>> streams(["md5sum", "用户"])
    ['md 5 sum md5sum', '用户 用 户']
    """
    index = reference.check_mode(mode)
    kernels = _kernels()
    return kernels.streams(reference.check_texts(texts), index) if kernels else reference.streams(texts, mode)


def keys(texts: Sequence[str]) -> list[str]:
    """Per text its whole-name key: the folded letters and digits without any separator.

    Raises:
        BadArgument: ``texts`` is one str or has a member that is no str.

    >>> keys(["user_name", "用户ID"])
    ['username', '用户id']
    """
    kernels = _kernels()
    return kernels.keys(reference.check_texts(texts)) if kernels else reference.keys(texts)


def term_batch(texts: Sequence[str], key_docs: Sequence[bool] | None = None) -> TermBatch:
    """The terms of all texts in index mode, counted per text; numpy arrays where the kernels work.

    Args:
        key_docs: for each text whether it is a name, whose whole-name key becomes a term too; None: none is.

    Raises:
        BadArgument: ``texts`` is one str or has a member that is no str, or ``key_docs`` has another length.
    """
    kernels = _kernels()
    if kernels is None:
        return reference.term_batch(texts, key_docs)
    batch: TermBatch = kernels.term_batch(reference.check_texts(texts), reference.check_key_docs(texts, key_docs))
    return batch


def _kernels() -> ModuleType | None:
    """The module that drives the kernels, imported on the first call; None where the reference does the work."""
    global _loaded, _tried
    if os.environ.get("DBGRAPH_NB_NUMBA") == "0":
        return None
    if _tried:
        return _loaded
    with _lock:
        if not _tried:
            problem = _load()
            _tried = True
            if problem:
                warnings.warn(problem, RuntimeWarning, stacklevel=3)
    return _loaded


def _load() -> str | None:
    """Import the kernels; returns what the user is told about it."""
    global _loaded
    try:
        load("numpy")
        load("numba")
        from dbgraph_nb import text_kernels
    # A numba that does not fit numpy or llvmlite raises what it likes.
    except Exception as problem:  # noqa: BLE001
        return (
            f"numba cannot be used ({type(problem).__name__}: {problem}), so text is processed in pure Python, which is"
            " slower; set DBGRAPH_NB_NUMBA=0 to choose that without this warning."
        )
    _loaded = text_kernels
    if text_kernels.uncached:
        return (
            f"numba's cache of compiled code cannot be used ({text_kernels.uncached[0]}), so the code is compiled anew"
            " in every process; set NUMBA_CACHE_DIR to an empty folder that can be written."
        )
    return None
