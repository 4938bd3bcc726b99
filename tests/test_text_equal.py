"""The numba twin and the pure-Python twin give the same, for everything that they offer."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from reference import text_samples, twins
from soak import FULL, scale

from dbgraph_nb import text, text_reference

TESTS = Path(__file__).parent

# What hypothesis keeps on disk shall not lie about in the checkout.
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "dbgraph-nb-hypothesis")


@pytest.fixture(autouse=True)
def numba_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBGRAPH_NB_NUMBA", raising=False)
    assert text.backend() == "numba"


def test_equal_on_names_comments_and_difficult_texts() -> None:
    assert twins.first_difference(text_samples.texts(scale(20_000))) is None


def test_equal_on_every_identifier_and_comment() -> None:
    assert twins.first_difference([*text_samples.IDENTIFIERS, *text_samples.COMMENTS]) is None


def test_equal_without_the_compiler() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-W", "error", str(TESTS / "reference" / "twins.py"), str(scale(20_000)), "21"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


@settings(max_examples=scale(4_000), derandomize=True, database=None, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=())), max_size=6))
def test_equal_on_any_texts(texts: list[str]) -> None:
    assert twins.first_difference(texts) is None


@settings(max_examples=scale(4_000), derandomize=True, database=None, deadline=None)
@given(
    st.lists(
        st.text("aszASZ19'’_ é\u0301ßи\u0306й用户廣々カ\uff76\uff9e한\u1112\u1161\u200b\ufe0f½", max_size=12),
        max_size=6,
    )
)
def test_equal_where_rules_meet(texts: list[str]) -> None:
    assert twins.first_difference(texts) is None


@pytest.mark.parametrize("plane", range(17))
def test_equal_on_every_character(plane: int) -> None:
    """Each code point between two letters, and rows of 256 as one text; in a soak run all, else some of the rows."""
    firsts = range(plane << 16, (plane + 1) << 16, 256)
    some = firsts if FULL else firsts[plane::8] if plane < 2 else firsts[plane::64]
    texts = [f"a{chr(code)}B" for first in some for code in range(first, first + 256)]
    texts += ["".join(map(chr, range(first, first + 256))) for first in firsts]
    assert text.streams(texts) == text_reference.streams(texts)
    assert text.keys(texts) == text_reference.keys(texts)


def test_equal_across_chunks() -> None:
    """More texts than one chunk has, long ones between them, and a vocabulary that grows from chunk to chunk."""
    texts = [f"name{number} 列{chr(0x4E00 + number)}" for number in range(9_000)]
    texts[100] = texts[4096] = "userID用户 廣告 " * 20_000
    texts[4095] = ""
    assert text.streams(texts) == text_reference.streams(texts)
    batch, reference = text.term_batch(texts), text_reference.term_batch(texts)
    assert batch.vocabulary == reference.vocabulary
    assert twins.rows(batch) == twins.rows(reference)


def test_equal_in_threads() -> None:
    """Every thread has its own scratch arrays."""
    parts = [text_samples.texts(300, seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(text.streams, parts * 3)) == [text_reference.streams(part) for part in parts] * 3
        assert list(pool.map(lambda part: twins.rows(text.term_batch(part)), parts)) == [
            twins.rows(text_reference.term_batch(part)) for part in parts
        ]


def test_term_batch_gives_arrays_of_known_types() -> None:
    batch = text.term_batch(["用户 id"], [True])
    types = [getattr(batch, name).dtype.name for name in ("doc", "term", "kind", "count")]
    assert types == ["int32", "int32", "uint8", "int32"]
