"""What is sensitive by name, comment and type: the table of cases, and the rules behind it."""

from pathlib import Path

import pytest
from redact.leakcheck import FIXTURES

from dbgraph_nb import redact
from dbgraph_nb.redact.words import lexicon, unglued, units


def names() -> list[tuple[str, str, str, str]]:
    lines = (FIXTURES / "names.tsv").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if not line.startswith("#"):
            tier, name, comment, declared = line.split("\t")
            found.append((tier, name, comment, declared))
    return found


def test_there_are_many_names() -> None:
    tiers = [tier for tier, *_ in names()]
    assert len(tiers) > 500
    assert min(tiers.count(tier) for tier in ("credential", "identity", "contact", "-")) > 70


@pytest.mark.parametrize(("tier", "name", "comment", "declared"), names())
def test_a_name(tier: str, name: str, comment: str, declared: str) -> None:
    found = redact.classify(name, comment=comment or None, type=declared or None)
    assert (found.tier if found else "-") == tier, found


def test_the_rule_says_what_matched() -> None:
    assert redact.classify("userPwd").rule == "name: pwd"  # type: ignore[union-attr]
    assert redact.classify("f1", comment="登录密码，加密").rule == "comment: 登录密码"  # type: ignore[union-attr]
    assert redact.classify("客户银行卡号").rule == "name: 银行卡号"  # type: ignore[union-attr]


def test_the_strongest_of_name_and_comment_counts() -> None:
    found = redact.classify("phone", comment="login password of the user")
    assert found is not None
    assert found.tier == "credential"


def test_a_long_comment_is_bounded() -> None:
    found = redact.classify("f1", comment="x " * 5000 + "password")
    assert found is None  # what comes so late does not say what the column is
    comment = redact.classify("f1", comment="the password of the customer, " + "very long text " * 100)
    assert comment is not None
    assert len(comment.rule) < 60


@pytest.mark.parametrize(
    "name", ["", " ", "_", "\x00", "\ud800", "𠮷" * 5, "a" * 100_000, "密" * 50_000, "💥", "‮drowssap"]
)
def test_any_text_is_taken(name: str) -> None:
    found = redact.classify(name, comment=name, type=name)
    assert found is None or found.tier in ("credential", "identity", "contact")


def test_case_separators_and_width_do_not_matter() -> None:
    for name in [
        "user_password",
        "USER-PASSWORD",
        "UserPassword",
        "user password",
        "ｕｓｅｒＰａｓｓｗｏｒｄ",
        "userpassword",
    ]:
        found = redact.classify(name)
        assert found is not None, name
        assert found.tier == "credential"


def test_units_are_words_and_single_han() -> None:
    assert units("loginPassword密碼") == ["login", "password", "密", "码"]
    assert unglued("custphone") == ("cust", "phone")
    for word in ["compass", "passenger", "bypass", "hotel", "company", "shipping", "spinner", "telephone"]:
        assert unglued(word) == (word,)


def test_the_word_list_is_well_formed() -> None:
    path = Path(redact.__file__).with_name("words.tsv")
    kinds = {"credential", "identity", "contact", "tail", "tail num", "flag", "flag romance", "break", "break prose"}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        kind, language, phrases, *options = line.split("\t")
        assert kind in kinds | {"article", "glue", "none"}, line
        assert language
        assert all(phrase.strip() == phrase and phrase for phrase in phrases.split("|")), line
        for option in options[0].split() if options else ():
            assert option.partition("=")[0] in {"int", "date", "num", "not", "after"}, line
    assert lexicon().phrases


@pytest.mark.parametrize("declared", ["DATE", "BOOLEAN", "INT", "INTEGER", "TINYINT(1)", "NUMERIC", "DATETIME"])
def test_a_declared_type_excludes_no_credential_where_it_binds_nothing(declared: str) -> None:
    for name in ("password", "token", "pin", "user_secret", "密码"):
        found = redact.classify(name, type=declared, dialect="sqlite")
        assert found is not None, name
        assert found.tier == "credential", name
    assert redact.classify("password", type="BOOLEAN", dialect="mysql") is None
    assert redact.classify("token", type="INTEGER", dialect="postgres") is None
    assert redact.classify("f1", comment="登录密码", type="DATE", dialect="sqlite") is not None


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("token_count", "INTEGER"),
        ("password_changed_at", "DATE"),
        ("has_password", "BOOLEAN"),
        ("密码修改时间", "DATETIME"),
        ("compass", "TEXT"),
        ("食盐用量", "REAL"),
        ("tokens_used", "INTEGER"),
        ("customer_sk", "INTEGER"),
    ],
)
def test_the_traps_stay_free_where_types_bind_nothing(name: str, declared: str) -> None:
    assert redact.classify(name, type=declared, dialect="sqlite") is None


def test_a_type_still_rules_other_tiers_out_in_sqlite() -> None:
    assert redact.classify("email", type="BOOLEAN", dialect="sqlite") is None
    assert redact.classify("passport", type="BOOLEAN", dialect="sqlite") is None
