"""The search of the canary test finds what is there: without this, a blind search would pass it."""

from __future__ import annotations

import base64
import json
import random
from urllib.parse import quote

import pytest
from canary_search import RUN, SHORTEST, Search, secret

DICE = random.Random(7)
PLANTED = {name: secret(DICE) for name in ("one", "two")}
FORMS = {
    "as it is": lambda text: text,
    "in upper case": str.upper,
    "backwards": lambda text: text[::-1],
    "eight characters": lambda text: f"a {text[3 : 3 + SHORTEST]} b",
    "the last eight": lambda text: text[-SHORTEST:],
    "percent": lambda text: quote(text, safe=""),
    "json": lambda text: json.dumps({"a": text}),
    "characters": lambda text: ",".join(text),
    "a list of characters": lambda text: repr(list(text)),
    "rows of HTML": lambda text: "".join(f"<tr><td>{c}</td></tr>" for c in text),
    "lines": "\n".join,
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, upper case": lambda text: text.encode().hex(" ").upper(),
    "numbers": lambda text: repr(list(text.encode())),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64, one behind": lambda text: base64.b64encode(b"x" + text.encode()).decode(),
    "base64, two behind": lambda text: base64.encodebytes(b"xy" + text.encode()).decode(),
    "base64 of upper case": lambda text: base64.b64encode(text.upper().encode()).decode(),
    "UTF-16": lambda text: text.encode("utf-16-le").decode("latin-1"),
    "bytes": lambda text: repr(text.encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_found_in_every_form(form: str) -> None:
    hidden = FORMS[form](PLANTED["one"])
    assert Search(PLANTED).find(["before " * 50 + hidden + " after" * 50]) == ["one"]


def test_nothing_is_found_where_nothing_is() -> None:
    other = secret(random.Random(8))
    texts = [FORMS[form](other) for form in FORMS]
    short = PLANTED["two"][: SHORTEST - 1]
    assert Search(PLANTED).find([*texts, short, "", "x" * 100_000, b"\0\xff"]) == []
    assert len(PLANTED["one"].split("/")[0]) == RUN


def test_all_that_are_there_are_named() -> None:
    assert Search(PLANTED).find(["nothing", PLANTED["two"].encode(), PLANTED["one"]]) == ["one", "two"]
