"""The rules of the tokenizer, each with its trap, on whichever twin works here."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from dbgraph_nb import text, text_reference, text_tables
from dbgraph_nb.errors import BadArgument

OWN_CASES = Path(__file__).parent / "fixtures" / "tokenize" / "cases.jsonl"
SHARED_CASES = Path(__file__).parents[2] / "shared" / "cases" / "tokenize.jsonl"


@pytest.fixture(params=["numba", "python"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setenv("DBGRAPH_NB_NUMBA", "0")
    else:
        monkeypatch.delenv("DBGRAPH_NB_NUMBA", raising=False)
    assert text.backend() == request.param
    return str(request.param)


def cases(path: Path) -> list[Any]:
    if not path.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason="the folder of development cases is absent"))]
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in read]


@pytest.mark.parametrize("case", cases(OWN_CASES))
def test_own_cases(case: dict[str, Any], backend: str) -> None:
    found = text.tokenize(case["input"], case["mode"])
    assert list(found.tokens) == case["tokens"]
    assert list(found.joined) == case["joined"]
    assert list(found.variants) == case["variants"]


@pytest.mark.parametrize("case", cases(SHARED_CASES))
def test_development_cases(case: dict[str, Any], backend: str) -> None:
    found = text.tokenize(case["input"], case["mode"])
    assert list(found.tokens) == case["tokens"]
    assert list(found.joined) == case["joined"]


def test_enough_own_cases() -> None:
    lines = [json.loads(line) for line in OWN_CASES.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 60
    assert {line["mode"] for line in lines} == {"index", "query"}
    assert len({line["id"] for line in lines}) == len(lines)


def test_streams_are_tokens_then_joined_then_variants(backend: str) -> None:
    assert text.streams(["userID會員", "", "用户"], "index") == [
        "user id 會員 會 員 userid 会员 会 员",
        "",
        "用户 用 户",
    ]
    assert text.streams(["userID會員"], "query") == ["user id 會員 userid 会员"]
    assert text.streams([]) == []


def test_a_stream_has_one_place_per_text(backend: str) -> None:
    assert text.streams(["", "\n", "a\nb", " "]) == ["", "", "a b", ""]


def test_keys_have_no_separator_left(backend: str) -> None:
    names = ["user_name", "userName", "User Name", "USER-NAME", "用户ID", "用户_ID", "naïve Straße", "會員", "", "--"]
    assert text.keys(names) == [*["username"] * 4, *["用户id"] * 2, "naivestrasse", "會員", "", ""]
    assert text.keys([]) == []


def rows(batch: text.TermBatch) -> list[tuple[str, int, int, int]]:
    columns = (batch.term, batch.doc, batch.kind, batch.count)
    return [(batch.vocabulary[t], int(d), int(k), int(c)) for t, d, k, c in zip(*columns, strict=True)]


def test_term_batch_counts_per_text_and_kind(backend: str) -> None:
    batch = text.term_batch(["id ID userID", "", "會用會", "用"], key_docs=[True, True, False, False])
    assert batch.vocabulary == sorted(batch.vocabulary)
    assert rows(batch) == [
        ("id", 0, 0, 3),
        ("ididuserid", 0, 4, 1),
        ("user", 0, 0, 1),
        ("userid", 0, 1, 1),
        ("会", 2, 2, 2),
        ("会用", 2, 2, 1),
        ("會", 2, 3, 2),
        ("會用", 2, 0, 1),
        ("用", 2, 3, 1),
        ("用", 3, 0, 1),
        ("用会", 2, 2, 1),
        ("用會", 2, 0, 1),
    ]


def test_term_batch_of_nothing(backend: str) -> None:
    for given in ([], ["", "--"]):
        batch = text.term_batch(given)
        assert batch.vocabulary == []
        assert rows(batch) == []


def test_a_term_that_is_unigram_and_token_has_two_entries_in_order(backend: str) -> None:
    assert rows(text.term_batch(["用户 用"])) == [("户", 0, 3, 1), ("用", 0, 0, 1), ("用", 0, 3, 1), ("用户", 0, 0, 1)]


def test_vocabulary_order_is_that_of_utf8_bytes(backend: str) -> None:
    vocabulary = text.term_batch(["𠮷 ｚ 用 é z Ω ß ퟿ 豈"]).vocabulary
    assert vocabulary == sorted(vocabulary, key=str.encode)


def test_key_of_a_batch_is_what_keys_gives(backend: str) -> None:
    names = ["user_name", "用户 ID", "customer's"]
    batch = text.term_batch(names, [True] * 3)
    assert sorted((doc, term) for term, doc, kind, _ in rows(batch) if kind == 4) == list(enumerate(text.keys(names)))


def test_a_very_long_text(backend: str) -> None:
    long = "userID用户 " * 30_000
    assert len(text.tokenize(long, "query").tokens) == 90_000
    assert text.streams([long, "a"])[1] == "a"
    assert rows(text.term_batch([long]))[0] == ("id", 0, 0, 30_000)


def test_one_run_of_many_pieces(backend: str) -> None:
    assert text.tokenize("aB" * 50_000).joined == ("ab" * 50_000,)


def test_compatibility_characters_grow(backend: str) -> None:
    grown = text.tokenize("\ufdfa" * 1000, "query")
    assert "".join(grown.tokens) == unicodedata.normalize("NFKC", "\ufdfa" * 1000).replace(" ", "")


@pytest.mark.parametrize("call", ["tokenize", "streams"])
def test_an_unknown_mode_is_refused(call: str, backend: str) -> None:
    given: Any = "x" if call == "tokenize" else ["x"]
    with pytest.raises(BadArgument, match="serch") as error:
        getattr(text, call)(given, "serch")
    assert error.value.code == "text-mode"


@pytest.mark.parametrize("call", ["streams", "keys", "term_batch"])
@pytest.mark.parametrize("given", ["one text", ["a", None], [b"a"]])
def test_what_is_no_list_of_texts_is_refused(call: str, given: Any, backend: str) -> None:
    with pytest.raises(BadArgument) as error:
        getattr(text, call)(given)
    assert error.value.code == "text-type"


def test_a_text_that_is_no_str_is_refused(backend: str) -> None:
    with pytest.raises(BadArgument, match="NoneType"):
        text.tokenize(None)  # type: ignore[arg-type]


def test_key_docs_of_another_length_are_refused(backend: str) -> None:
    with pytest.raises(BadArgument) as error:
        text.term_batch(["a", "b"], [True])
    assert error.value.code == "text-key-docs"


def test_plain_texts_are_split_as_by_classes() -> None:
    """The short way for ASCII and common Han is the same rule, not a second one."""
    for sample in (
        "userIDs's HTTPsX a1B2",
        "会员's VIP2（元）",
        "O'Brien's'S x's_",
        "“引号”、IDs，《书》",
        "\x01\x7f~",
    ):
        assert text_reference._PLAIN_TEXT.fullmatch(sample)
        assert text_reference.split_runs(sample) == text_reference._split_by_class(sample)


def test_plain_characters_are_what_the_short_way_takes_them_for() -> None:
    for code in [*range(1, 0x80), *range(0x4E00, 0xA000), *map(ord, "、。，：；！？（）《》【】“”")]:
        around = f"a{chr(code)}b"
        assert text_reference.split_runs(around) == text_reference._split_by_class(around), hex(code)


def test_simplified_table() -> None:
    table = text_tables.simplified()
    assert table[ord("廣")] == "广"
    assert len(table) > 3500
    for code, simple in table.items():
        assert len(simple) == 1
        assert text_tables.char_class(chr(code)) == text_tables.char_class(simple) == text_tables.CJK
        assert unicodedata.normalize("NFKC", chr(code) + simple) == chr(code) + simple


def test_simplified_table_is_what_its_source_gives() -> None:
    pytest.importorskip("opencc_purepy", reason="the package that the table is made from is not installed")
    from reference import traditional_table

    assert traditional_table.TARGET.read_text(encoding="utf-8") == traditional_table.make()


def test_classes_of_cjk() -> None:
    cjk = "用々〇〆𠮷㐀ー゠カヽか゛한ㄱ"
    classes = [text_tables.char_class(char) for char in cjk]
    assert [char for char, kind in zip(cjk, classes, strict=True) if kind != text_tables.CJK] == ["゠", "゛", "ㄱ"]


def test_what_may_compose_with_the_character_before_it_is_known() -> None:
    """The kernels take a text as it is unless it has a mark, a jamo, or a character that NFKC makes several of."""
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            assert text_tables.char_class(chr(int(parts[1], 16))) == text_tables.MARK
        if unicodedata.combining(chr(code)):
            assert text_tables.char_class(chr(code)) == text_tables.MARK


def test_plain_cjk_is_plain() -> None:
    for first, last in text_tables.PLAIN_CJK_RANGES:
        block = "".join(map(chr, range(first, last + 1)))
        assert unicodedata.normalize("NFKC", block) == block
        assert block.translate(text_tables.CLASSES) == text_tables.CJK * len(block)
        assert block.translate(text_tables.FOLDS) == block
