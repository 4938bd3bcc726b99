"""CSV files as programs and people write them, and what a person reads in them.

In: nothing. Out: ``SAMPLES``, ``PATTERNS``. Never: what some engine makes of a file. One file, since it is one table.

The rows are what is written, as values. Where more than one reading is fair, a cell holds ``Either`` of them, and
``also`` whole other readings. What was guessed or repaired has to be said: ``said`` is a pattern of the findings.
"""

from __future__ import annotations

import datetime as dt
import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pandas as pd
import zstandard

Row = tuple[Any, ...]
UTC = dt.UTC


@dataclass(frozen=True, slots=True)
class Either:
    """Any of these values is right."""

    values: tuple[Any, ...]


def either(*values: Any) -> Either:
    return Either(values)


@dataclass(frozen=True, slots=True)
class Sample:
    """A file and its right reading.

    Attributes:
        header, rows: all of it.
        said: a regular expression that the findings must match; "" where nothing was guessed.
        csv: the options that a person has to give; without them nothing may vanish either.
        key: the option that must be in the hint if the file does not load without ``csv``.
        also: further right readings of all rows.
        gone: texts that are no data (titles, comments), which the frame may lack if a finding says so.
        delim: as written, for the test that nothing vanishes.
    """

    name: str
    data: bytes
    header: Row
    rows: tuple[Row, ...]
    said: str = ""
    file: str = "t.csv"
    csv: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    also: tuple[tuple[Row, ...], ...] = ()
    gone: tuple[str, ...] = ()
    delim: str = ","
    encoding: str = "utf-8"


def one(name: str, text: str | bytes, header: Row, rows: list[Row], said: str = "", **more: Any) -> Sample:
    """A sample; ``encoding`` is that of the file."""
    encoding = more.get("encoding", "utf-8")
    data = text if isinstance(text, bytes) else text.encode(encoding)
    more["also"] = tuple(tuple(rows) for rows in more.get("also", ()))
    return Sample(name, data, header, tuple(rows), said, **more)


def semi(name: str, text: str, header: Row, rows: list[Row], said: str = "semicolon", **more: Any) -> Sample:
    return one(name, text, header, rows, said, delim=";", **more)


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def at(text: str, zone: dt.tzinfo | None = None) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=zone)


LONG = "长 text; with, all\tof|it " * 4_000
WIDE = tuple(f"c{i}" for i in range(2_000))
ID19, ID25 = 1234567890123456789, 1234567890123456789012345
EMPTY = either(None, "")

DELIMITERS = [
    one("comma", "city,amount\nBJ,300\nHZ,100\n", ("city", "amount"), [("BJ", 300), ("HZ", 100)]),
    semi("semicolon", "city;amount\nBJ;300\nHZ;100\n", ("city", "amount"), [("BJ", 300), ("HZ", 100)]),
    one("tab-in-csv", "city\tamount\nBJ\t300\n", ("city", "amount"), [("BJ", 300)], "tab", delim="\t"),
    one("tsv", "city\tamount\nBJ\t300\n", ("city", "amount"), [("BJ", 300)], file="t.tsv", delim="\t"),
    one("bar", "city|amount\nBJ|300\nHZ|1\n", ("city", "amount"), [("BJ", 300), ("HZ", 1)], "bar|pipe", delim="|"),
    one("all-quoted", '"city","n"\n"BJ","300"\n"HZ","1"\n', ("city", "n"), [("BJ", 300), ("HZ", 1)],
        also=[[("BJ", "300"), ("HZ", "1")]]),
    semi("semicolon-quoted", '"Stadt";"n"\n"Köln";"3"\n', ("Stadt", "n"), [("Köln", 3)], also=[[("Köln", "3")]]),
    one("tab-quoted", '"a b"\t"n"\n"x\ty"\t3\n', ("a b", "n"), [("x\ty", 3)], "tab", delim="\t"),
    one("bar-quoted", '"a"|"n"\n"x|y"|3\n', ("a", "n"), [("x|y", 3)], "bar|pipe", delim="|"),
    one("some-quoted", 'a,b\n"x, y",1\nz,2\n', ("a", "b"), [("x, y", 1), ("z", 2)]),
    semi("semicolons-and-commas-in-text", "name;note\nA;one, two, three\nB;four, five, six\n", ("name", "note"),
         [("A", "one, two, three"), ("B", "four, five, six")]),
    one("semicolons-in-text", "name,note\nA,one; two; three\nB,four; five; six\n", ("name", "note"),
        [("A", "one; two; three"), ("B", "four; five; six")]),
    one("bars-in-text", "name,tags\nA,x|y|z\nB,u|v|w\n", ("name", "tags"), [("A", "x|y|z"), ("B", "u|v|w")]),
    one("tsv-with-commas", "name\tnote\nA\tx, y\nB\tz, u, v\n", ("name", "note"), [("A", "x, y"), ("B", "z, u, v")],
        file="t.tsv", delim="\t"),
    one("tsv-that-is-a-csv", "city,amount\nBJ,300\nHZ,100\n", ("city", "amount"), [("BJ", 300), ("HZ", 100)], "comma",
        file="t.tsv"),
    one("spaces-after-commas", "a, b, c\n1, x y, 2.5\n2, z, 3.5\n", ("a", either("b", " b"), either("c", " c")),
        [(1, either("x y", " x y"), 2.5), (2, either("z", " z"), 3.5)]),
    one("single-quotes", "a,b\n'x, y',1\n'z, u',2\n", ("a", "b"), [("x, y", 1), ("z, u", 2)], "'"),
    one("apostrophes", "name,n\nO'Neil,1\n'Tis,2\nrock 'n' roll,3\n", ("name", "n"),
        [("O'Neil", 1), ("'Tis", 2), ("rock 'n' roll", 3)]),
    one("caret", "a^b\nx^1\ny^2\n", ("a", "b"), [("x", 1), ("y", 2)], csv={"delim": "^"}, key="delim", delim="^"),
    one("two-colons", "a::b\nx::1\ny::2\n", ("a", "b"), [("x", 1), ("y", 2)], csv={"delim": "::"}, key="delim",
        delim=":"),
    one("sep-line", "sep=;\na;b\n1;x\n2;y\n", ("a", "b"), [(1, "x"), (2, "y")], "semicolon", gone=("sep=",),
        delim=";"),
    one("sep-line-crlf-quoted", '"sep=,"\r\na,b\r\n1,x\r\n', ("a", "b"), [(1, "x")], "comma", gone=("sep=",)),
    one("sep-line-tab", "sep=\t\na\tb\n1\tx\n", ("a", "b"), [(1, "x")], "tab", gone=("sep=",), delim="\t"),
    one("sep-line-bom", "sep=;\r\nStraße;n\r\nAllee;1\r\n", ("Straße", "n"), [("Allee", 1)], "semicolon",
        gone=("sep=",), delim=";", encoding="utf-8-sig"),
    one("sep-line-utf16", "SEP=;\r\nStraße;n\r\nAllee;1\r\n", ("Straße", "n"), [("Allee", 1)], "(?s)UTF-16.*semicolon",
        gone=("SEP=",), delim=";", encoding="utf-16"),
    one("sep-line-then-decimal-commas", "sep=;\na;b\nx;1,5\ny;2,25\n", ("a", "b"), [("x", 1.5), ("y", 2.25)],
        "decimal", gone=("sep=",), delim=";"),
]  # fmt: skip

NUMBERS = [
    semi("decimal-comma", "a;b\n1,5;x\n2,25;y\n", ("a", "b"), [(1.5, "x"), (2.25, "y")], "decimal"),
    one("decimal-comma-tab", "a\tb\n1,5\tx\n2,25\ty\n", ("a", "b"), [(1.5, "x"), (2.25, "y")], "decimal", delim="\t"),
    one("decimal-comma-bar", "a|b\n1,5|x\n2,25|y\n", ("a", "b"), [(1.5, "x"), (2.25, "y")], "decimal", delim="|"),
    semi("decimal-comma-negative", "a;b\n-1,5;x\n+0,25;y\n", ("a", "b"), [(-1.5, "x"), (0.25, "y")], "decimal"),
    semi("decimal-comma-with-whole", "a;b\n1,5;x\n2;y\n", ("a", "b"), [(1.5, "x"), (2, "y")], "decimal"),
    semi("decimal-comma-with-empty", "a;b\n1,5;x\n;y\n", ("a", "b"), [(1.5, "x"), (None, "y")], "decimal"),
    semi("decimal-comma-exponent", "a;b\n1,5E+10;x\n2,5e-3;y\n", ("a", "b"), [(1.5e10, "x"), (0.0025, "y")],
         also=[[("1,5E+10", "x"), ("2,5e-3", "y")]]),
    semi("decimal-comma-no-digit-before", "a;b\n,5;x\n1,5;y\n", ("a", "b"), [(0.5, "x"), (1.5, "y")], "decimal"),
    semi("thousands-points", "a;b\n1.234,56;x\n12,5;y\n-1.234.567,8;z\n", ("a", "b"),
         [(1234.56, "x"), (12.5, "y"), (-1234567.8, "z")], "decimal"),
    semi("thousands-points-whole", "Stadt;Einwohner;Fläche\nKöln;1.073.000;405,01\nBonn;335.975;141,06\n",
         ("Stadt", "Einwohner", "Fläche"), [("Köln", 1073000, 405.01), ("Bonn", 335975, 141.06)],
         "Einwohner|thousand"),
    semi("thousands-points-only-threes", "Stadt;Einwohner;Fläche\nKiel;246.243;118,65\nBonn;335.975;141,06\n",
         ("Stadt", "Einwohner", "Fläche"), [("Kiel", 246243, 118.65), ("Bonn", 335975, 141.06)], "Einwohner|thousand",
         also=[[("Kiel", "246.243", 118.65), ("Bonn", "335.975", 141.06)]]),
    one("thousands-commas", 'a,b\n"1,234.50",x\n"12,345,678.00",y\n', ("a", "b"), [(1234.5, "x"), (12345678.0, "y")],
        "thousand"),
    one("thousands-commas-whole", 'a,b\n"1,234",x\n"12,345,678",y\n5,z\n', ("a", "b"),
        [(1234, "x"), (12345678, "y"), (5, "z")], "thousand"),
    one("decimal-comma-quoted", 'a,b\n"1,5",x\n"12,25",y\n', ("a", "b"), [(1.5, "x"), (12.25, "y")], "decimal"),
    one("decimal-comma-quoted-told", 'a,b\n"1,5",x\n"12,25",y\n', ("a", "b"), [(1.5, "x"), (12.25, "y")],
        csv={"decimal": ","}, key="decimal"),
    one("thousands-or-decimal", 'a,b\n"1,234",x\n"5,678",y\n', ("a", "b"), [("1,234", "x"), ("5,678", "y")],
        "comma|thousand|decimal", also=[[(1234, "x"), (5678, "y")]]),
    semi("swiss", "Konto;Betrag\nA;1'234.50\nB;12'345'678.00\nC;7.25\n", ("Konto", "Betrag"),
         [("A", 1234.5), ("B", 12345678.0), ("C", 7.25)], "thousand|apostrophe|'"),
    semi("swiss-typographic", "Konto;Betrag\nA;1’234.50\nB;5’000.00\n", ("Konto", "Betrag"),
         [("A", 1234.5), ("B", 5000.0)], "thousand|apostrophe|’"),
    semi("french-spaces", "Ville;Total\nLyon;1 234,56\nNice;12 345 678,00\n", ("Ville", "Total"),
         [("Lyon", 1234.56), ("Nice", 12345678.0)], "decimal|thousand"),
    semi("french-no-break-spaces", "Ville;Total\nLyon;1\u00a0234,56\nNice;5\u00a0000,00\n", ("Ville", "Total"),
         [("Lyon", 1234.56), ("Nice", 5000.0)], "decimal|thousand"),
    semi("french-narrow-spaces", "Ville;Total\nLyon;1\u202f234,56\nNice;5\u202f000,00\n", ("Ville", "Total"),
         [("Lyon", 1234.56), ("Nice", 5000.0)], "decimal|thousand"),
    semi("dot-column-and-comma-column", "a;b\n1.5;1,5\n2.25;2,25\n", ("a", "b"), [(1.5, 1.5), (2.25, 2.25)],
        "decimal"),
    semi("dots-and-commas-in-one-column", "a;b\n1,5;x\n2.5;y\n", ("a", "b"), [("1,5", "x"), ("2.5", "y")]),
    semi("both-conventions-in-one-column", "a;b\n1.234,5;x\n1,234.5;y\n", ("a", "b"),
         [("1.234,5", "x"), ("1,234.5", "y")]),
    semi("comma-or-thousand-in-one-column", "a;b\n1,5;x\n2.500;y\n", ("a", "b"), [("1,5", "x"), ("2.500", "y")],
         also=[[(1.5, "x"), (2500, "y")]]),
    semi("versions", "version;n\n1,2;1\n1.10;2\n1.9;3\n", ("version", "n"), [("1,2", 1), ("1.10", 2), ("1.9", 3)]),
    semi("pairs-with-comma", "range;n\n1,2;1\n10,20;2\n1,2,3;3\n", ("range", "n"),
         [("1,2", 1), ("10,20", 2), ("1,2,3", 3)]),
    one("leading-zeros", "code,n\n007,1\n012,2\n", ("code", "n"), [("007", 1), ("012", 2)]),
    one("leading-zeros-later", "code,n\n71,1\n12,2\n007,3\n", ("code", "n"), [("71", 1), ("12", 2), ("007", 3)]),
    one("leading-zeros-decimals", "x,n\n00.5,1\n1.5,2\n", ("x", "n"), [("00.5", 1), ("1.5", 2)],
        also=[[(0.5, 1), (1.5, 2)]]),
    one("postcodes-without-zero", "plz,n\n80331,1\n10115,2\n", ("plz", "n"), [("80331", 1), ("10115", 2)], "text"),
    semi("leading-zeros-semicolon", "Kundennummer;n\n00042;1\n00043;2\n", ("Kundennummer", "n"),
         [("00042", 1), ("00043", 2)]),
    one("phones", "phone,n\n+4915112345678,1\n+8613800001111,2\n", ("phone", "n"),
        [("+4915112345678", 1), ("+8613800001111", 2)]),
    one("phones-other-name", "contact,n\n+4915112345678,1\n+8613800001111,2\n", ("contact", "n"),
        [("+4915112345678", 1), ("+8613800001111", 2)]),
    one("plus-later", "delta,n\n5,1\n+7,2\n", ("delta", "n"), [("5", 1), ("+7", 2)], also=[[(5, 1), (7, 2)]]),
    one("phones-german", "Telefon,n\n0221 12345,1\n(030) 98-76,2\n", ("Telefon", "n"),
        [("0221 12345", 1), ("(030) 98-76", 2)]),
    one("id-19", f"id,n\n{ID19},1\n{ID19 + 1},2\n", ("id", "n"), [(ID19, 1), (ID19 + 1, 2)],
        also=[[(str(ID19), 1), (str(ID19 + 1), 2)]]),
    one("id-20", "id,n\n18446744073709551615,1\n18446744073709551614,2\n", ("id", "n"),
        [(2**64 - 1, 1), (2**64 - 2, 2)], also=[[("18446744073709551615", 1), ("18446744073709551614", 2)]]),
    one("id-25", f"id,n\n{ID25},1\n{ID25 + 1},2\n", ("id", "n"), [(ID25, 1), (ID25 + 1, 2)],
        also=[[(str(ID25), 1), (str(ID25 + 1), 2)]]),
    one("id-45", f"id,n\n{'9' * 45},1\n{'8' * 45},2\n", ("id", "n"), [("9" * 45, 1), ("8" * 45, 2)]),
    one("id-25-after-small", f"id,n\n5,1\n{ID25},2\n", ("id", "n"), [(5, 1), (ID25, 2)],
        also=[[("5", 1), (str(ID25), 2)]]),
    one("many-digits", "x,n\n0.12345678901234567890,1\n1.5,2\n", ("x", "n"), [("0.12345678901234567890", 1),
        ("1.5", 2)],
        "(?i)x.*(text|digits|exact)|digits"),
    one("money-of-many-digits", "x,n\n12345678901234567.89,1\n1.50,2\n", ("x", "n"),
        [(Decimal("12345678901234567.89"), 1), (Decimal("1.5"), 2)],
        also=[[("12345678901234567.89", 1), ("1.50", 2)]]),
    semi("money-of-many-digits-comma", "x;n\n12345678901234567,89;1\n1,50;2\n", ("x", "n"),
         [(Decimal("12345678901234567.89"), 1), (Decimal("1.5"), 2)],
         also=[[("12345678901234567,89", 1), ("1,50", 2)]]),
    one("id-with-x", "isbn,n\n3598215088,1\n359821507X,2\n", ("isbn", "n"), [("3598215088", 1), ("359821507X", 2)]),
    one("hex-and-e", "sku,n\n1E5,1\n2E3,2\n", ("sku", "n"), [("1E5", 1), ("2E3", 2)], also=[[(1e5, 1), (2e3, 2)]]),
    one("hex", "id,n\n0x1F,1\n0x20,2\n", ("id", "n"), [("0x1F", 1), ("0x20", 2)]),
    one("underscored", "sku,n\n1_000,1\n2_000,2\n", ("sku", "n"), [("1_000", 1), ("2_000", 2)]),
    one("infinite", "word,n\ninf,1\nnan,2\n", ("word", "n"), [("inf", 1), ("nan", 2)]),
    one("units", "w,l\n5 kg,10cm\n7.5 kg,3cm\n", ("w", "l"), [("5 kg", "10cm"), ("7.5 kg", "3cm")]),
    one("percent", "p,n\n5%,1\n7.5%,2\n", ("p", "n"), [("5%", 1), ("7.5%", 2)]),
    semi("percent-comma", "p;n\n5,5%;1\n7,25 %;2\n", ("p", "n"), [("5,5%", 1), ("7,25 %", 2)]),
    one("currency", "p,n\n$5.00,1\n¥12,2\n€7.50,3\n", ("p", "n"), [("$5.00", 1), ("¥12", 2), ("€7.50", 3)]),
    semi("currency-after", "p;n\n5,00 €;1\n1.200,50 €;2\n", ("p", "n"), [("5,00 €", 1), ("1.200,50 €", 2)]),
    one("accounting-negatives", "p,n\n(5.00),1\n7.50,2\n3.00-,3\n", ("p", "n"), [("(5.00)", 1), ("7.50", 2),
        ("3.00-", 3)]),
    one("money-keeps-cents", "p,n\n0.10,1\n19.99,2\n", ("p", "n"), [(0.1, 1), (19.99, 2)]),
    one("fractions", "p,n\n1/2,1\n3/4,2\n", ("p", "n"), [("1/2", 1), ("3/4", 2)]),
    one("excel-guard", 'code,n\n="007",1\n="012",2\n', ("code", "n"),
        [(either('="007"', "007"), 1), (either('="012"', "012"), 2)]),
    one("excel-tab-guard", "code,n\n\t007,1\n\t012,2\n", ("code", "n"),
        [(either("\t007", "007"), 1), (either("\t012", "012"), 2)]),
    one("quoted-leading-zeros", '"code","n"\n"007","1"\n"012","2"\n', ("code", "n"), [("007", 1), ("012", 2)],
        also=[[("007", "1"), ("012", "2")]]),
    one("minus-sign-of-typographers", "x,n\n−5,1\n7,2\n", ("x", "n"), [("−5", 1), ("7", 2)], also=[[(-5, 1), (7, 2)]]),
    one("full-width-digits", "数,n\n１２,1\n３,2\n", ("数", "n"), [("１２", 1), ("３", 2)]),
]  # fmt: skip

NULLS = [
    one("empty-is-null", "a,b\n1,x\n,y\n", ("a", "b"), [(1, "x"), (None, "y")]),
    one("quoted-empty", 'a,b\n1,""\n2,x\n', ("a", "b"), [(1, EMPTY), (2, "x")]),
    *(one(f"null-{word}", f"a,b\n1,x\n{word},y\n3,z\n", ("a", "b"), [(1, "x"), (None, "y"), (3, "z")], "NULL",
          also=[[("1", "x"), (word, "y"), ("3", "z")]]) for word in ("NULL", "NA", "N/A", "-", "n/a", "#N/A", "\\N")),
    semi("null-word-in-decimal-commas", "a;b\n1,5;x\nk.A.;y\n", ("a", "b"), [("1,5", "x"), ("k.A.", "y")]),
    semi("null-dash-in-decimal-commas", "a;b\n1,5;x\n-;y\n", ("a", "b"), [(1.5, "x"), (None, "y")], "NULL",
         also=[[("1,5", "x"), ("-", "y")]]),
    one("na-is-a-country", "country,n\nNA,1\nDE,2\n", ("country", "n"), [("NA", 1), ("DE", 2)]),
    one("null-is-a-name", "name,n\nNull,1\nNULL,2\nnone,3\n", ("name", "n"), [("Null", 1), ("NULL", 2), ("none", 3)]),
    one("all-empty-column", "a,b,c\n1,,x\n2,,y\n", ("a", "b", "c"), [(1, None, "x"), (2, None, "y")]),
    one("empty-line-in-one-column", "a\n1\n\n3\n", ("a",), [(1,), (None,), (3,)]),
    one("only-spaces", "a,b\n1,   \n2,x\n", ("a", "b"), [(1, either("   ", None, "")), (2, "x")]),
    one("booleans-english", "a,b\nyes,1\nno,2\n", ("a", "b"), [(True, 1), (False, 2)], also=[[("yes", 1), ("no", 2)]]),
    one("booleans-true", "a,b\ntrue,1\nfalse,2\n", ("a", "b"), [(True, 1), (False, 2)]),
    one("booleans-chinese", "a,b\n是,1\n否,2\n", ("a", "b"), [("是", 1), ("否", 2)]),
    one("booleans-german", "a,b\nja,1\nnein,2\n", ("a", "b"), [("ja", 1), ("nein", 2)]),
    one("booleans-y-n", "a,b\nY,1\nN,2\n", ("a", "b"), [("Y", 1), ("N", 2)], also=[[(True, 1), (False, 2)]]),
    one("no-is-norway", "country,n\nNO,1\nNO,2\n", ("country", "n"), [("NO", 1), ("NO", 2)]),
    one("t-and-f-are-letters", "grade,n\nT,1\nF,2\nT,3\n", ("grade", "n"), [("T", 1), ("F", 2), ("T", 3)]),
]  # fmt: skip

DATES = [
    one("iso-dates", "d,n\n2024-01-05,1\n2024-12-31,2\n", ("d", "n"), [(day("2024-01-05"), 1), (day("2024-12-31"),
        2)]),
    one("german-dates", "d,n\n05.01.2024,1\n31.12.2024,2\n", ("d", "n"),
        [(day("2024-01-05"), 1), (day("2024-12-31"), 2)], "date", also=[[("05.01.2024", 1), ("31.12.2024", 2)]]),
    semi("german-dates-unclear", "d;n\n05.01.2024;1\n06.02.2024;2\n", ("d", "n"),
         [(day("2024-01-05"), 1), (day("2024-02-06"), 2)], "date", also=[[("05.01.2024", 1), ("06.02.2024", 2)]]),
    one("slashed-day-first", "d,n\n05/01/2024,1\n31/12/2024,2\n", ("d", "n"),
        [(day("2024-01-05"), 1), (day("2024-12-31"), 2)], "date"),
    one("slashed-month-first", "d,n\n01/05/2024,1\n12/31/2024,2\n", ("d", "n"),
        [(day("2024-01-05"), 1), (day("2024-12-31"), 2)], "date"),
    one("slashed-unclear", "d,n\n05/01/2024,1\n06/02/2024,2\n", ("d", "n"), [("05/01/2024", 1), ("06/02/2024", 2)],
        "(?i)date.*(unclear|month|%[dm])", also=[[(day("2024-01-05"), 1), (day("2024-02-06"), 2)],
                                    [(day("2024-05-01"), 1), (day("2024-06-02"), 2)]]),
    one("two-date-forms", "d,e\n2024-01-05,05.01.2024\n2024-12-31,31.12.2024\n", ("d", "e"),
        [(day("2024-01-05"), day("2024-01-05")), (day("2024-12-31"), day("2024-12-31"))],
        also=[[(day("2024-01-05"), "05.01.2024"), (day("2024-12-31"), "31.12.2024")]]),
    one("two-date-forms-slashed", "d,e\n31/12/2024,12/31/2024\n05/01/2024,01/05/2024\n", ("d", "e"),
        [(day("2024-12-31"), day("2024-12-31")), (day("2024-01-05"), day("2024-01-05"))], "date",
        also=[[(day("2024-12-31"), "12/31/2024"), (day("2024-01-05"), "01/05/2024")],
              [("31/12/2024", day("2024-12-31")), ("05/01/2024", day("2024-01-05"))]]),
    one("slashed-both-ways", "d,n\n05/31/2024,1\n31/12/2024,2\n", ("d", "n"), [("05/31/2024", 1), ("31/12/2024", 2)]),
    one("chinese-dates", "日期,n\n2024年1月5日,1\n2024年12月31日,2\n", ("日期", "n"),
        [("2024年1月5日", 1), ("2024年12月31日", 2)], also=[[(day("2024-01-05"), 1), (day("2024-12-31"), 2)]]),
    one("japanese-dates", "日付,n\n2024/01/05,1\n2024/12/31,2\n", ("日付", "n"),
        [(day("2024-01-05"), 1), (day("2024-12-31"), 2)], "date"),
    one("two-digit-years", "d,n\n05/01/24,1\n31/12/24,2\n", ("d", "n"), [("05/01/24", 1), ("31/12/24", 2)],
        also=[[(day("2024-01-05"), 1), (day("2024-12-31"), 2)]]),
    one("two-digit-ambiguous", "d,n\n01-02-03,1\n04-05-06,2\n", ("d", "n"), [("01-02-03", 1), ("04-05-06", 2)]),
    one("compact-dates", "d,n\n20240105,1\n20241231,2\n", ("d", "n"), [(20240105, 1), (20241231, 2)]),
    one("months", "m,n\n2024-01,1\n2024-12,2\n", ("m", "n"), [("2024-01", 1), ("2024-12", 2)]),
    one("impossible-date", "d,n\n2024-01-05,1\n2024-02-30,2\n", ("d", "n"), [("2024-01-05", 1), ("2024-02-30", 2)]),
    one("zero-date", "d,n\n2024-01-05,1\n0000-00-00,2\n", ("d", "n"), [("2024-01-05", 1), ("0000-00-00", 2)]),
    one("times", "t,n\n10:00:05,1\n23:59:59,2\n", ("t", "n"), [(dt.time(10, 0, 5), 1), (dt.time(23, 59, 59), 2)]),
    one("durations", "t,n\n25:10:00,1\n10:00:00,2\n", ("t", "n"), [("25:10:00", 1), ("10:00:00", 2)]),
    one("moments", "t,n\n2024-01-05 10:00:00,1\n2024-01-05 23:59:59.5,2\n", ("t", "n"),
        [(at("2024-01-05 10:00:00"), 1), (at("2024-01-05 23:59:59.5"), 2)]),
    one("moments-german", "t,n\n05.01.2024 10:00,1\n31.12.2024 23:59,2\n", ("t", "n"),
        [(at("2024-01-05 10:00"), 1), (at("2024-12-31 23:59"), 2)],
        also=[[("05.01.2024 10:00", 1), ("31.12.2024 23:59", 2)]]),
    one("moments-us", "t,n\n01/05/2024 10:00 AM,1\n12/31/2024 11:59 PM,2\n", ("t", "n"),
        [("01/05/2024 10:00 AM", 1), ("12/31/2024 11:59 PM", 2)],
        also=[[(at("2024-01-05 10:00"), 1), (at("2024-12-31 23:59"), 2)]]),
    one("moments-z", "t,n\n2024-01-05T10:00:00Z,1\n", ("t", "n"), [(at("2024-01-05 10:00", UTC), 1)]),
    one("moments-zone", "t,n\n2024-01-05T10:00:00+05:30,1\n", ("t", "n"), [(at("2024-01-05 04:30", UTC), 1)]),
    one("moments-nanoseconds", "t,n\n2024-01-05 10:00:00.123456789,1\n", ("t", "n"),
        [(either("2024-01-05 10:00:00.123456789", pd.Timestamp("2024-01-05 10:00:00.123456789")), 1)]),
    one("moments-some-zone", "t,n\n2024-01-05T10:00:00Z,1\n2024-01-05T10:00:00,2\n", ("t", "n"),
        [("2024-01-05T10:00:00Z", 1), ("2024-01-05T10:00:00", 2)],
        also=[[(at("2024-01-05 10:00", UTC), 1), (at("2024-01-05 10:00", UTC), 2)]]),
    one("dates-and-moments", "t,n\n2024-01-05,1\n2024-01-05 10:00:00,2\n", ("t", "n"),
        [(at("2024-01-05 00:00"), 1), (at("2024-01-05 10:00"), 2)],
        also=[[("2024-01-05", 1), ("2024-01-05 10:00:00", 2)]]),
    one("dates-and-words", "d,n\n2024-01-05,1\nopen,2\n", ("d", "n"), [("2024-01-05", 1), ("open", 2)]),
    one("dates-mixed-forms", "d,n\n2024-01-05,1\n05.01.2024,2\n", ("d", "n"), [("2024-01-05", 1), ("05.01.2024", 2)]),
    one("english-months", "d,n\n5 Jan 2024,1\n31-Dec-2024,2\n", ("d", "n"), [("5 Jan 2024", 1), ("31-Dec-2024", 2)]),
]  # fmt: skip

ENCODINGS = [
    one("bom", "名,n\n北京,1\n", ("名", "n"), [("北京", 1)], encoding="utf-8-sig"),
    one("bom-quoted", '"名","n"\r\n"北京",1\r\n', ("名", "n"), [("北京", 1)], encoding="utf-8-sig"),
    one("bom-semicolon", "Straße;n\r\nAllee;1\r\n", ("Straße", "n"), [("Allee", 1)], "semicolon", delim=";",
        encoding="utf-8-sig"),
    one("gbk", "姓名,城市,数量\n张三,北京,3\n李四,上海,5\n", ("姓名", "城市", "数量"),
        [("张三", "北京", 3), ("李四", "上海", 5)], "GB", encoding="gbk"),
    one("gb18030-rare", "姓名,城市\n𠮷野,广州\n王小明,深圳\n", ("姓名", "城市"), [("𠮷野", "广州"), ("王小明",
        "深圳")],
        "GB", encoding="gb18030"),
    one("gbk-tab", "姓名\t城市\n张三\t北京\n李四\t上海\n", ("姓名", "城市"), [("张三", "北京"), ("李四", "上海")],
        "GB",
        delim="\t", encoding="gbk"),
    one("big5", "姓名,城市\n王小明,台北\n陳美玲,高雄市\n", ("姓名", "城市"), [("王小明", "台北"), ("陳美玲",
        "高雄市")],
        "(?i)big5|cp950", encoding="big5"),
    one("big5-backslash", "公司,功能\n許功蓋公司,成功\n台灣電力,餐廳\n", ("公司", "功能"),
        [("許功蓋公司", "成功"), ("台灣電力", "餐廳")], csv={"encoding": "big5"}, encoding="big5"),
    one("shift-jis", "名前,都市\r\n田中太郎,東京\r\n鈴木花子,大阪\r\n", ("名前", "都市"),
        [("田中太郎", "東京"), ("鈴木花子", "大阪")], "(?i)shift|cp932", encoding="cp932"),
    one("euc-jp", "名前,都市\n田中太郎,東京\n鈴木花子,大阪のまち\n", ("名前", "都市"),
        [("田中太郎", "東京"), ("鈴木花子", "大阪のまち")], csv={"encoding": "euc-jp"}, encoding="euc-jp"),
    one("latin-1", "Stadt,n\nKöln,1\nMünchen,2\n", ("Stadt", "n"), [("Köln", 1), ("München", 2)],
        "(?i)latin|1252|8859", encoding="latin-1"),
    semi("cp1252-german", "Straße;Betrag\r\nMüllerstraße 5;12,50\r\nGrüner Weg – Nord;7,00\r\n", ("Straße", "Betrag"),
         [("Müllerstraße 5", 12.5), ("Grüner Weg – Nord", 7.0)], "(?i)(latin|1252|8859)", encoding="cp1252"),
    semi("cp1252-french", "Prénom;Ville;Prix\r\nZoé;Orléans;1 234,50\r\nFrançois;Besançon;7,00\r\n",
         ("Prénom", "Ville", "Prix"), [("Zoé", "Orléans", 1234.5), ("François", "Besançon", 7.0)],
         "(?i)(latin|1252|8859)", encoding="cp1252"),
    semi("cp1252-euro", "Artikel;Preis\nKäse;5 €\nBrötchen;1 €\n", ("Artikel", "Preis"),
         [("Käse", "5 €"), ("Brötchen", "1 €")], "(?i)(latin|1252|8859)", encoding="cp1252"),
    one("utf-16-tab", "名\tn\r\n北京\t1\r\n", ("名", "n"), [("北京", 1)], "UTF-16", delim="\t", encoding="utf-16"),
    one("utf-16-be", "\ufeffa,b\nKöln,1\n", ("a", "b"), [("Köln", 1)], "UTF-16", encoding="utf-16-be"),
    one("utf-16-without-bom", "a,b\nabc,1\ndef,2\n", ("a", "b"), [("abc", 1), ("def", 2)], "UTF-16",
        encoding="utf-16-le"),
    semi("utf-16-german", "Straße;Betrag\r\nAllee;12,50\r\n", ("Straße", "Betrag"), [("Allee", 12.5)],
         "UTF-16", encoding="utf-16"),
    one("mac-roman", "Stadt,n\nKöln,1\nMünchen,2\n", ("Stadt", "n"), [("Köln", 1), ("München", 2)],
        csv={"encoding": "mac-roman"}, encoding="mac-roman"),
    one("polish", "Miasto,n\nŁódź,1\nKraków,2\n", ("Miasto", "n"), [("Łódź", 1), ("Kraków", 2)],
        csv={"encoding": "cp1250"}, encoding="cp1250"),
    one("cyrillic", "Город,n\nМосква,1\nКазань,2\n", ("Город", "n"), [("Москва", 1), ("Казань", 2)],
        csv={"encoding": "cp1251"}, encoding="cp1251"),
    one("one-bad-byte", b"a,b\nK\xc3\xb6ln,1\nM\xfcnchen,2\n" + "Düsseldorf,3\n".encode(), ("a", "b"),
        [("KÃ¶ln", 1), ("München", 2), ("DÃ¼sseldorf", 3)], csv={"encoding": "cp1252"}, key="encoding",
        encoding="cp1252"),
    one("nul", b"a,b\nx\0y,1\nz,2\n", ("a", "b"), [("x\0y", 1), ("z", 2)]),
    one("nul-at-end", b"a,b\nx,1\nz,2\n\0\0\0\0", ("a", "b"), [("x", 1), ("z", 2), ("\0\0\0\0", None)],
        "length|NUL", gone=("\0\0\0\0",), also=[[("x", 1), ("z", 2)]]),
    one("control-z", b"a,b\r\nx,1\r\nz,2\r\n\x1a", ("a", "b"), [("x", 1), ("z", 2), ("\x1a", None)],
        "length|end of file", gone=("\x1a",), also=[[("x", 1), ("z", 2)]]),
    one("emoji-and-combining", "名 👍,é\n👩‍👩‍👧,e\u0301\n", ("名 👍", "é"), [("👩‍👩‍👧", "e\u0301")]),
    one("quoted-carriage-return", 'a,b\n1,x\n2,"y\rz"\n', ("a", "b"), [(1, "x"), (2, "y\rz")]),
    one("line-separators-of-unicode", "a,b\nx\u2028y,1\nu\x85v,2\n", ("a", "b"), [("x\u2028y", 1), ("u\x85v", 2)]),
]  # fmt: skip

ENDS = [
    one("crlf", "a,b\r\n1,x\r\n2,y\r\n", ("a", "b"), [(1, "x"), (2, "y")]),
    one("cr", "a,b\r1,x\r2,y\r", ("a", "b"), [(1, "x"), (2, "y")]),
    one("no-last-newline", "a,b\n1,x\n2,y", ("a", "b"), [(1, "x"), (2, "y")]),
    one("no-last-newline-crlf", "a,b\r\n1,x\r\n2,y", ("a", "b"), [(1, "x"), (2, "y")]),
    one("mixed-ends", "a,b\r\n1,x\n2,y\r\n3,z\n", ("a", "b"), [(1, "x"), (2, "y"), (3, "z")]),
    one("mixed-ends-cr", "a,b\r1,x\n2,y\r\n3,z\n", ("a", "b"), [(1, "x"), (2, "y"), (3, "z")]),
    one("header-lf-rows-crlf", "a,b\n1,x\r\n2,y\r\n", ("a", "b"), [(1, "x"), (2, "y")]),
    one("blank-lines-at-end", "a,b\n1,x\n2,y\n\n\n", ("a", "b"), [(1, "x"), (2, "y")]),
    one("blank-lines-between", "a,b\n1,x\n\n2,y\n", ("a", "b"), [(1, "x"), (2, "y")]),
    one("quoted-newline", 'a,b\n"x\ny",1\nz,2\n', ("a", "b"), [("x\ny", 1), ("z", 2)]),
    one("quoted-crlf", 'a,b\r\n"x\r\ny",1\r\nz,2\r\n', ("a", "b"), [("x\r\ny", 1), ("z", 2)]),
    one("quoted-lf-in-crlf", 'a,b\r\n"x\ny",1\r\nz,2\r\n', ("a", "b"), [("x\ny", 1), ("z", 2)]),
    one("quoted-blank-lines", 'a,b\n"x\n\n\ny",1\nz,2\n', ("a", "b"), [("x\n\n\ny", 1), ("z", 2)]),
    one("quoted-newline-in-header", '"a\nb",c\n1,x\n2,y\n', ("a\nb", "c"), [(1, "x"), (2, "y")]),
    one("quoted-lines-that-look-like-rows", 'a,b\n"1,2\n3,4\n5,6",x\n7,y\n', ("a", "b"),
        [("1,2\n3,4\n5,6", "x"), ("7", "y")]),
    one("newline-only-in-last", 'a,b\n1,x\n2,"y\nz"\n', ("a", "b"), [(1, "x"), (2, "y\nz")]),
]  # fmt: skip

QUOTES = [
    one("doubled-quotes", 'a,b\n"say ""hi""",1\n"""",2\n', ("a", "b"), [('say "hi"', 1), ('"', 2)]),
    one("backslash-quotes", 'a,b\n"say \\"hi\\"",1\n"x, \\"y\\"",2\n', ("a", "b"), [('say "hi"', 1), ('x, "y"', 2)],
        "(?i)backslash|escape|\\\\"),
    one("backslash-at-end", 'path,n\n"C:\\dir\\",1\n"D:\\x, y\\",2\n', ("path", "n"), [("C:\\dir\\", 1),
        ("D:\\x, y\\", 2)]),
    one("backslashes-as-text", "path,n\nC:\\new\\tab,1\n\\\\host\\x,2\n", ("path", "n"),
        [("C:\\new\\tab", 1), ("\\\\host\\x", 2)]),
    one("backslashes-in-quotes", '"path","n"\n"C:\\new",1\n"D:\\tab\\x",2\n', ("path", "n"),
        [("C:\\new", 1), ("D:\\tab\\x", 2)]),
    one("one-backslash-in-quotes", '"path","n"\n"C:\\new","1"\n', ("path", "n"), [("C:\\new", 1)],
        also=[[("C:\\new", "1")]]),
    one("one-backslash-all-text", '"a","b"\n"","\\0"\n', ("a", "b"), [(EMPTY, "\\0")]),
    one("backslashes-and-doubled-quotes", 'path,n\n"C:\\new, ""x""",1\n"a\\b",2\n', ("path", "n"),
        [('C:\\new, "x"', 1), ("a\\b", 2)]),
    one("inches", 'size,n\n5",1\n7" x 9",2\n', ("size", "n"), [('5"', 1), ('7" x 9"', 2)]),
    one("quotes-inside", 'name,n\nAl "Big" B,1\nCy,2\n', ("name", "n"), [('Al "Big" B', 1), ("Cy", 2)]),
    one("quote-first-then-text", 'name,n\n"Al" B,1\nCy,2\n', ("name", "n"), [('"Al" B', 1), ("Cy", 2)],
        csv={"quote": "none"}, key="quote"),
    one("quotes-not-escaped", 'name,n\n"Al "Big" B",1\n"Cy",2\n', ("name", "n"), [('"Al "Big" B"', 1), ('"Cy"', 2)],
        csv={"quote": "none"}, key="quote"),
    one("quote-never-closed", 'a,b\n"x,1\ny,2\nz,3\n', ("a", "b"), [('"x', 1), ("y", 2), ("z", 3)],
        csv={"quote": "none"}, key="quote"),
    one("json-in-a-cell", 'id,doc\n1,"{""a"": [1, 2], ""b"": ""x""}"\n2,{}\n', ("id", "doc"),
        [(1, '{"a": [1, 2], "b": "x"}'), (2, "{}")]),
    one("html-in-a-cell", 'id,doc\n1,"<a href=""x"">y</a>, <br>"\n', ("id", "doc"), [(1, '<a href="x">y</a>, <br>')]),
    one("space-before-quote", 'a,b\n1, "x, y"\n2, "z"\n', ("a", either("b", " b")), [(1, "x, y"), (2, "z")]),
    one("formulas", 'a,b\n=1+1,x\n@SUM(A1),y\n', ("a", "b"), [("=1+1", "x"), ("@SUM(A1)", "y")]),
    one("lists-as-text", 'a,b\n"[1, 2]",x\n"(3, 4)",y\n', ("a", "b"), [("[1, 2]", "x"), ("(3, 4)", "y")]),
    one("quoted-delimiter-only-late", 'a,b\nx,1\ny,2\n"z, w",3\n', ("a", "b"), [("x", 1), ("y", 2), ("z, w", 3)]),
]  # fmt: skip

RAGGED = [
    one("short-at-start", "a,b,c\n1,2\n4,5,6\n7,8,9\n", ("a", "b", "c"), [(1, 2, None), (4, 5, 6), (7, 8, 9)],
        "length"),
    one("short-in-middle", "a,b,c\n1,2,3\n4,5\n7,8,9\n", ("a", "b", "c"), [(1, 2, 3), (4, 5, None), (7, 8, 9)],
        "length"),
    one("short-at-end", "a,b,c\n1,2,3\n4,5,6\n7,8\n", ("a", "b", "c"), [(1, 2, 3), (4, 5, 6), (7, 8, None)], "length"),
    one("long-at-start", "a,b\n1,2,3\n4,5\n7,8\n", ("a", "b", either("column2", "c2", "")),
        [(1, 2, 3), (4, 5, None), (7, 8, None)], "length"),
    one("long-in-middle", "a,b\n1,2\n4,5,6\n7,8\n", ("a", "b", either("column2")), [(1, 2, None), (4, 5, 6), (7, 8,
        None)],
        "length"),
    one("long-at-end", "a,b\n1,2\n4,5\n7,8,9\n", ("a", "b", either("column2")), [(1, 2, None), (4, 5, None), (7, 8,
        9)],
        "length"),
    one("short-and-long", "a,b\n1\n2,3\n4,5,6\n", ("a", "b", either("column2")), [(1, None, None), (2, 3, None),
        (4, 5, 6)],
        "length"),
    one("long-text-at-end", "name,n\nx,1\ny,2\nz,3,more\n", ("name", "n", either("column2")),
        [("x", 1, None), ("y", 2, None), ("z", 3, "more")], "length"),
    one("long-by-two", "name,n\nx,1\ny,2,u,v\n", ("name", "n", either("column2"), either("column3")),
        [("x", 1, None, None), ("y", 2, "u", "v")], "length"),
    one("comma-in-unquoted-text", "id,note\n1,fine\n2,good, but late\n", ("id", "note", either("column2")),
        [(1, "fine", None), (2, "good", " but late")], "length"),
    one("ragged-told-skip", "a,b,c\n1,2,3\n4,5\n7,8,9\n", ("a", "b", "c"), [(1, 2, 3), (7, 8, 9)], "left out|skip",
        csv={"ragged": "skip"}, gone=("4", "5")),
    one("trailing-commas", "a,b,\n1,x,\n2,y,\n", ("a", "b", either("column2", "", "_1", "_2")), [(1, "x", None),
        (2, "y", None)],
        also=[[(1, "x"), (2, "y")]]),
    one("trailing-commas-in-rows-only", "a,b\n1,x,\n2,y,\n", ("a", "b", "column2"), [(1, "x", None), (2, "y", None)],
        also=[[(1, "x"), (2, "y")]]),
    one("trailing-commas-then-a-value", "a,b\n1,x,\n2,y,\n3,z,more\n", ("a", "b", "column2"),
        [(1, "x", None), (2, "y", None), (3, "z", "more")], "length"),
    one("trailing-commas-in-header-only", "a,b,\n1,x\n2,y\n", ("a", "b", either("column2", "")),
        [(1, "x", None), (2, "y", None)], "length|empty", also=[[(1, "x"), (2, "y")]]),
    semi("trailing-semicolons", "a;b;\n1,5;x;\n2,5;y;\n", ("a", "b", either("column2", "", "_1")),
         [(1.5, "x", None), (2.5, "y", None)], "decimal"),
    one("index-without-name", "a,b\nr1,1,x\nr2,2,y\n", (either("column0", "index", ""), "a", "b"),
        [("r1", 1, "x"), ("r2", 2, "y")], "length|header"),
    semi("ragged-semicolon", "a;b;c\n1;2;3\n4;5\n7;8;9\n", ("a", "b", "c"), [(1, 2, 3), (4, 5, None), (7, 8, 9)],
        "length"),
    one("ragged-tab", "a\tb\tc\n1\t2\t3\n4\t5\n7\t8\t9\n", ("a", "b", "c"), [(1, 2, 3), (4, 5, None), (7, 8, 9)],
        "length", delim="\t", file="t.tsv"),
    one("ragged-quoted", 'a,b,c\n"1, x",2,3\n"4\ny",5\n7,8,9\n', ("a", "b", "c"),
        [("1, x", 2, 3), ("4\ny", 5, None), ("7", 8, 9)], "length"),
    one("total-line", "city,n,amount\nBJ,1,300\nHZ,2,100\nTotal,,400\n", ("city", "n", "amount"),
        [("BJ", 1, 300), ("HZ", 2, 100), ("Total", None, 400)]),
    one("total-line-short", "city,n,amount\nBJ,1,300\nHZ,2,100\nTotal,3\n", ("city", "n", "amount"),
        [("BJ", 1, 300), ("HZ", 2, 100), ("Total", 3, None)], "length"),
    one("words-below", "city,amount\nBJ,300\nHZ,100\n\nSource: the office of statistics\n", ("city", "amount"),
        [("BJ", 300), ("HZ", 100), ("Source: the office of statistics", None)], "length"),
    semi("total-line-german", "Stadt;Betrag\nKöln;1,50\nBonn;2,50\nSumme;4,00\n", ("Stadt", "Betrag"),
         [("Köln", 1.5), ("Bonn", 2.5), ("Summe", 4.0)], "decimal"),
]  # fmt: skip

ABOVE = [
    one("title", "Sales 2024\ncity,amount\nBJ,300\nHZ,100\n", ("city", "amount"), [("BJ", 300), ("HZ", 100)], "line",
        gone=("Sales 2024",)),
    one("title-and-blank", "Sales 2024\n\ncity,amount\nBJ,300\nHZ,100\n", ("city", "amount"), [("BJ", 300), ("HZ",
        100)],
        "line", gone=("Sales 2024",)),
    one("blank-above", "\n\ncity,amount\nBJ,300\nHZ,100\n", ("city", "amount"), [("BJ", 300), ("HZ", 100)]),
    semi("titles-of-a-bank",
        "Kontoauszug\nIBAN;DE02\n\nDatum;Betrag;Text\n2024-01-05;-5,00;Brot\n2024-01-06;7,25;Geld\n",
         ("Datum", "Betrag", "Text"), [(day("2024-01-05"), -5.0, "Brot"), (day("2024-01-06"), 7.25, "Geld")], "line",
         gone=("Kontoauszug", "IBAN", "DE02")),
    one("title-with-commas", "Sales, all cities, 2024\ncity,amount,n\nBJ,300,1\nHZ,100,2\n", ("city", "amount", "n"),
        [("BJ", 300, 1), ("HZ", 100, 2)], csv={"skip": 1}, key="skip", gone=("Sales", " all cities", " 2024")),
    one("title-padded-by-excel", "Sales,,\n,,\ncity,amount,n\nBJ,300,1\nHZ,100,2\n", ("city", "amount", "n"),
        [("BJ", 300, 1), ("HZ", 100, 2)], "line|header", csv={"skip": 2}, gone=("Sales",)),
    one("comments-above", "# made by hand\n# 2024\na,b\n1,x\n2,y\n", ("a", "b"), [(1, "x"), (2, "y")],
        "comment|line|#",
        gone=("# made by hand", "# 2024")),
    one("comments-with-commas", "# a, b, c\na,b\n1,x\n2,y\n", ("a", "b"), [(1, "x"), (2, "y")], "comment|line|#",
        gone=("# a", " b", " c")),
    one("comments-between", "a,b\n1,x\n# note\n2,y\n", ("a", "b"), [(1, "x"), (2, "y")], "comment|length|#",
        gone=("# note",), also=[[("1", "x"), ("# note", None), ("2", "y")]]),
    one("hash-is-data", "rank,name\n#1,Al\n#2,Cy\n", ("rank", "name"), [("#1", "Al"), ("#2", "Cy")]),
    one("hash-in-header", "#,name\n1,Al\n2,Cy\n", ("#", "name"), [(1, "Al"), (2, "Cy")]),
    one("hash-header-of-a-tool", "#chrom,pos\nx,1\ny,2\n", (either("#chrom", "chrom"), "pos"), [("x", 1), ("y", 2)]),
    one("slashes-are-data", "a,b\n//x,1\n//y,2\n", ("a", "b"), [("//x", 1), ("//y", 2)]),
    one("no-header", "1,x,2.5\n2,y,3.5\n", ("column0", "column1", "column2"), [(1, "x", 2.5), (2, "y", 3.5)],
        "header"),
    one("no-header-texts", "Al,BJ\nCy,HZ\n", ("column0", "column1"), [("Al", "BJ"), ("Cy", "HZ")],
        csv={"header": "no"},
        key="header"),
    one("no-header-dates", "2024-01-05,7\n2024-01-06,8\n", ("column0", "column1"),
        [(day("2024-01-05"), 7), (day("2024-01-06"), 8)], "header"),
    one("no-header-one-row", "7,x,2024-01-05\n", ("column0", "column1", "column2"), [(7, "x", day("2024-01-05"))],
        "header"),
    one("header-of-years", "city,2023,2024\nBJ,1,2\nHZ,3,4\n", ("city", "2023", "2024"), [("BJ", 1, 2), ("HZ", 3, 4)],
        csv={"header": "yes"}, key="header"),
    one("header-of-numbers-only", "2022,2023,2024\n1,2,3\n3,4,5\n", ("2022", "2023", "2024"), [(1, 2, 3), (3, 4, 5)],
        csv={"header": "yes"}, key="header"),
    one("units-below-header", "w,l\nkg,cm\n5,10\n7,3\n", ("w", "l"), [("kg", "cm"), ("5", "10"), ("7", "3")]),
    one("two-header-lines", "city,sales,\n,2023,2024\nBJ,1,2\nHZ,3,4\n", (either("column0"), "2023", "2024"),
        [("BJ", 1, 2), ("HZ", 3, 4)], csv={"skip": 1, "header": "yes"}, gone=("city", "sales")),
    one("empty", "", (), []),
    one("only-newlines", "\n\n\n", (), []),
    one("only-bom", "", (), [], encoding="utf-8-sig"),
    one("header-only", "a,b\n", ("a", "b"), []),
    one("header-only-no-newline", "a,b", ("a", "b"), []),
    semi("header-only-semicolon", "a;b;c\n", ("a", "b", "c"), []),
    one("one-column", "city\nBJ\nHZ\n", ("city",), [("BJ",), ("HZ",)]),
    one("one-column-numbers", "n\n1\n22\n", ("n",), [(1,), (22,)]),
    one("one-column-commas-quoted", 'note\n"a, b"\n"c, d, e"\n', ("note",), [("a, b",), ("c, d, e",)]),
    one("one-column-commas", "note\ngood, but late\nfine\nno, not, at all\n", ("note",),
        [("good, but late",), ("fine",), ("no, not, at all",)], csv={"delim": "tab"}, key="delim", delim="\t"),
    one("one-column-with-spaces", "full name\nAl B\nCy de D\n", ("full name",), [("Al B",), ("Cy de D",)]),
    one("one-column-with-colons", "time\n10:30\n11:45\n", ("time",), [("10:30",), ("11:45",)],
        also=[[(dt.time(10, 30),), (dt.time(11, 45),)]]),
    one("one-row", "a,b\n1,x\n", ("a", "b"), [(1, "x")]),
    one("one-row-no-newline", "a,b\n1,x", ("a", "b"), [(1, "x")]),
    one("one-cell", "x\n", ("x",), []),
]  # fmt: skip

NAMES = [
    one("named-index", "index,0\n1,x\n2,y\n", ("index", "0"), [(1, "x"), (2, "y")]),
    one("named-nothing", ",a\n0,x\n1,y\n", (either("", "column0"), "a"), [(0, "x"), (1, "y")]),
    one("named-nothing-in-middle", "a,,b\n0,x,1\n1,y,2\n", ("a", either("", "column1"), "b"), [(0, "x", 1), (1,
        "y", 2)]),
    one("duplicates", "a,b,a\n1,x,2\n3,y,4\n", ("a", "b", either("a", "a_1", "a_2")), [(1, "x", 2), (3, "y", 4)]),
    one("duplicates-by-case", "id,ID,Id\n1,2,3\n4,5,6\n", ("id", either("ID", "ID_1"), either("Id", "Id_2", "Id_1")),
        [(1, 2, 3), (4, 5, 6)]),
    one("duplicates-and-taken", "a,a,a_1\n1,2,3\n4,5,6\n", ("a", either("a", "a_1", "a_2"), either("a_1", "a_1_1")),
        [(1, 2, 3), (4, 5, 6)]),
    one("names-with-spaces", "first name,unit price\nAl,1.5\nCy,2.5\n", ("first name", "unit price"),
        [("Al", 1.5), ("Cy", 2.5)]),
    one("names-with-quotes", '"a ""b""",it\'s\n1,x\n2,y\n', ('a "b"', "it's"), [(1, "x"), (2, "y")]),
    one("names-chinese", "姓名,数 量\n张三,1\n李四,2\n", ("姓名", "数 量"), [("张三", 1), ("李四", 2)]),
    one("names-with-signs", "a%,b/c,d-e,f.g,h;i\n1,2,3,4,x\n5,6,7,8,y\n", ("a%", "b/c", "d-e", "f.g", "h;i"),
        [(1, 2, 3, 4, "x"), (5, 6, 7, 8, "y")]),
    one("names-of-sql", "select,from,group\n1,2,x\n3,4,y\n", ("select", "from", "group"), [(1, 2, "x"), (3, 4, "y")]),
    one("names-that-look-like-rules", "column0,f0,filename\n1,2,x\n3,4,y\n", ("column0", "f0", "filename"),
        [(1, 2, "x"), (3, 4, "y")]),
    one("name-very-long", f"{'n' * 5000},b\n1,x\n2,y\n", ("n" * 5000, "b"), [(1, "x"), (2, "y")]),
    one("comma-name-quoted", '"a, b",c\n1,x\n2,y\n', ("a, b", "c"), [(1, "x"), (2, "y")]),
    one("wide", f"{','.join(WIDE)}\n{','.join(str(i) for i in range(2000))}\n", WIDE, [tuple(range(2_000))]),
    semi("wide-decimal", f"{';'.join(WIDE[:100])}\n{';'.join(f'{i},5' for i in range(100))}\n", WIDE[:100],
         [tuple(i + 0.5 for i in range(100))], "decimal"),
    one("long-line", f'a,b\n1,"{LONG}"\n2,x\n', ("a", "b"), [(1, LONG), (2, "x")]),
    one("long-line-3-mb", f'a,b\n1,x\n2,"{"x" * 3_000_000}"\n', ("a", "b"), [(1, "x"), (2, "x" * 3_000_000)]),
]  # fmt: skip

PACKED = [
    Sample(f"{name}.{packed}", pack(text.encode(encoding)), header, rows, said, file=f"t.{ending}.{packed}",
           encoding=encoding, delim=delim)
    for packed, pack in (("gz", gzip.compress), ("zst", zstandard.ZstdCompressor().compress))
    for name, text, encoding, header, rows, said, ending, delim in (
        ("plain", "a,b\n1,x\n2,y\n", "utf-8", ("a", "b"), ((1, "x"), (2, "y")), "", "csv", ","),
        ("german", "Straße;b\nWeg;1,5\nAllee – Nord;2,5\n", "cp1252", ("Straße", "b"),
         (("Weg", 1.5), ("Allee – Nord", 2.5)), "decimal", "csv", ";"),
        ("gbk", "姓名,城市\n张三,北京\n李四,上海\n", "gbk", ("姓名", "城市"), (("张三", "北京"), ("李四", "上海")),
        "GB",
         "csv", ","),
        ("ragged", "a,b,c\n1,2,3\n4,5\n", "utf-8", ("a", "b", "c"), ((1, 2, 3), (4, 5, None)), "length", "csv", ","),
        ("tabs", "a\tb\n1\tx\n2\ty\n", "utf-8", ("a", "b"), ((1, "x"), (2, "y")), "", "tsv", "\t"),
    )
]  # fmt: skip

SAMPLES = (*DELIMITERS, *NUMBERS, *NULLS, *DATES, *ENCODINGS, *ENDS, *QUOTES, *RAGGED, *ABOVE, *NAMES, *PACKED)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Several files under one name. Rows in any order; ``said`` as above; ``may_fail`` with a code and a hint."""

    name: str
    files: Mapping[str, bytes]
    header: Row
    rows: tuple[Row, ...]
    said: str = ""
    may_fail: bool = False
    pattern: str = "p*.csv"


def many(name: str, files: list[str | bytes], header: Row, rows: list[Row], said: str = "", **more: Any) -> Pattern:
    named = {f"p{i}.csv": text if isinstance(text, bytes) else text.encode() for i, text in enumerate(files)}
    return Pattern(name, named, header, tuple(rows), said, **more)


PATTERNS = (
    many("same-columns", ["a,b\n1,x\n", "a,b\n2,y\n"], ("a", "b"), [(1, "x"), (2, "y")]),
    many("other-order", ["a,b\n1,x\n", "b,a\ny,2\n"], ("a", "b"), [(1, "x"), (2, "y")], "column|order|^$"),
    many("more-columns", ["a,b\n1,x\n", "a,b,c\n2,y,z\n"], ("a", "b", "c"), [(1, "x", None), (2, "y", "z")], "column"),
    many("no-common-column", ["a,b\n1,x\n", "c,d\n2,y\n"], ("a", "b", "c", "d"),
         [(1, "x", None, None), (None, None, 2, "y")], "column", may_fail=True),
    many("other-delimiter", ["a,b\n1,x\n3,z\n", "a;b\n2;y\n4;u\n"], ("a", "b"), [(1, "x"), (3, "z"), (2, "y"), (4,
        "u")],
         "semicolon|delim"),
    many("other-types", ["a,b\n1,x\n", "a,b\nnone,y\n"], ("a", "b"), [("1", "x"), ("none", "y")]),
    many("whole-then-decimal", ["a,b\n1,x\n", "a,b\n2.5,y\n"], ("a", "b"), [(1.0, "x"), (2.5, "y")]),
    many("leading-zeros-in-second", ["code,b\n71,x\n", "code,b\n007,y\n"], ("code", "b"), [("71", "x"), ("007", "y")]),
    many("big-id-in-second", ["id,b\n71,x\n", f"id,b\n{ID19},y\n"], ("id", "b"), [(71, "x"), (ID19, "y")]),
    many("encodings", ["姓名,n\n张三,1\n", "姓名,n\n李四北京,2\n".encode("gbk")], ("姓名", "n"), [("张三", 1),
        ("李四北京", 2)],
         "GB"),
    many("boms", ["a,b\n1,x\n", "\ufeffa,b\n2,y\n"], ("a", "b"), [(1, "x"), (2, "y")]),
    many("decimal-commas", ["a;b\n1,5;x\n", "a;b\n2,25;y\n"], ("a", "b"), [(1.5, "x"), (2.25, "y")], "decimal"),
    many("decimal-comma-in-second", ["a;b\n1;x\n", "a;b\n2,25;y\n"], ("a", "b"), [(1.0, "x"), (2.25, "y")], "decimal",
         may_fail=True),
    many("no-decimal-comma-in-second", ["a;b\n1,5;x\n", "a;b\n2.25;y\n"], ("a", "b"), [("1,5", "x"), ("2.25", "y")],
         may_fail=True),
    many("ragged-second", ["a,b,c\n1,2,3\n", "a,b,c\n4,5\n6,7,8\n"], ("a", "b", "c"), [(1, 2, 3), (4, 5, None), (6,
        7, 8)],
         "length"),
    many("title-in-second", ["a,b\n1,x\n", "Sales\na,b\n2,y\n3,z\n"], ("a", "b"), [(1, "x"), (2, "y"), (3, "z")],
        "line",
         may_fail=True),
    many("one-without-header", ["a,b\n1,x\n", "2,y\n3,z\n"], ("a", "b"), [(1, "x"), (2, "y"), (3, "z")], "header",
         may_fail=True),
    many("one-empty", ["a,b\n1,x\n", ""], ("a", "b"), [(1, "x")]),
    many("first-empty", ["", "a,b\n1,x\n"], ("a", "b"), [(1, "x")]),
    many("one-header-only", ["a,b\n1,x\n", "a,b\n"], ("a", "b"), [(1, "x")]),
    many("dates-both-ways", ["d,n\n31/12/2024,1\n", "d,n\n12/31/2024,2\n"], ("d", "n"),
         [(either("31/12/2024", day("2024-12-31")), 1), (either("12/31/2024", day("2024-12-31")), 2)], may_fail=True),
    many("sep-lines", ["sep=;\na;b\n1;x\n", "sep=;\na;b\n2;y\n"], ("a", "b"), [(1, "x"), (2, "y")], "semicolon"),
)  # fmt: skip
