"""The exam itself is right: the corpus is what it says, the oracle folds by its rule, the baseline answers as it does.

What it is: checks of the corpus, the oracle, the queries and the baseline against each other, at a fiftieth of the
size. Only texts before a NUL count for the baseline: SQLite's full-text search and LIKE see nothing behind one.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.session_baseline import Baseline
from bench.session_corpus import Corpus, append, write
from sessionlogs import oracle
from sessionlogs.oracle import Oracle, fold
from sessionlogs.queries import queries

SCALE = 0.02


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return write(tmp_path_factory.mktemp("corpus") / "sessions", SCALE)


@pytest.fixture(scope="module")
def exam(corpus: Corpus) -> Oracle:
    return Oracle(corpus.folder)


@pytest.fixture(scope="module")
def baseline(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    made = Baseline(tmp_path_factory.mktemp("store") / "baseline.db", corpus.folder)
    made.build()
    return made


def test_corpus_is_what_it_says_and_the_same_again(corpus: Corpus, exam: Oracle, tmp_path: Path) -> None:
    again = write(tmp_path / "again", SCALE)
    logs, others = oracle.newest(corpus.folder), oracle.newest(again.folder)
    assert [log.read_bytes() for log in logs] == [log.read_bytes() for log in others]
    assert (corpus.rows, corpus.text_bytes) == (len(exam.rows), sum(len(row.text.encode()) for row in exam.rows))
    assert abs(corpus.text_bytes / SCALE / 121_500_000 - 1) < 0.05
    assert abs(corpus.rows / SCALE / 91_158 - 1) < 0.01
    assert corpus.sessions == len(exam.sessions) == 10
    assert Counter(row.session for row in exam.rows).most_common(1)[0][0] == corpus.biggest.parent.name


def test_events_are_numbered_without_a_gap_and_inherited_ones_are_no_rows(corpus: Corpus) -> None:
    seeded = 0
    for log in oracle.newest(corpus.folder):
        header, *events = map(json.loads, oracle.lines(log))
        assert [event["seq"] for event in events] == list(range(len(events)))
        if header["isSeeded"]:
            seeded += 1
            cut = next(event["seq"] for event in events if event["type"] == "session/end-seed")
            _, rows = oracle.decode(log)
            assert cut > 3
            assert min(row.seq for row in rows) == cut + 1
    assert seeded == 1


def test_plain_logs_hold_what_packed_ones_hold(exam: Oracle, tmp_path: Path) -> None:
    assert Oracle(write(tmp_path / "plain", SCALE, suffix=".jsonl").folder).rows == exam.rows


def test_a_torn_last_frame_keeps_the_lines_before(corpus: Corpus, tmp_path: Path) -> None:
    whole = corpus.biggest.read_bytes()
    torn = tmp_path / "session.v4.jsonl.zstd"
    torn.write_bytes(whole[:-5])
    assert 0 < sum(1 for _ in oracle.lines(corpus.biggest)) - sum(1 for _ in oracle.lines(torn)) <= 7


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ÉTÉ Straße ẞ", "été straße ß"),
        ("ΣΑς", "σασ"),
        ("ᾈ İ ﬁ ŉ", "ᾀ İ ﬁ ŉ"),
        ("E\u0301", "e\u0301"),
        ("ＳＱＬ１％", "ｓｑｌ１％"),
        ("a\ud83db\0", "a\ufffdb\0"),
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_fold_is_one_to_one_in_length_alone_in_each_character_and_done_after_one_time() -> None:
    every = "".join(map(chr, range(0x110000)))
    folded = fold(every)
    assert len(folded) == len(every)
    assert folded == "".join(map(fold, every))
    assert fold(folded) == folded


def test_every_piece_of_a_text_is_found(exam: Oracle) -> None:
    for row in exam.rows[::40]:
        piece = row.text[len(row.text) // 3 :][:9]
        assert (row.session, row.source, row.seq) in exam.search(piece).rows


def test_queries_are_different_of_every_class_and_half_of_them_hit(exam: Oracle) -> None:
    made = queries(exam.rows, 900)
    assert made == queries(exam.rows, 900)
    assert len({query.text for query in made}) == 900
    classes = Counter(query.kind for query in made)
    assert len(classes) == 18
    hit = Counter(query.kind for query in made if exam.search(query.text).rows)
    assert all(hit[kind] >= 0.2 * count for kind, count in classes.items() if kind != "changed"), hit
    assert 0.4 < hit.total() / 900 < 0.9
    assert any("\0" in query.text and exam.search(query.text).rows for query in made)


def test_the_baseline_answers_as_the_oracle(exam: Oracle, baseline: Baseline) -> None:
    visible = [(row, fold(row.text.split("\0")[0])) for row in exam.rows]
    asked = [
        q
        for q in queries(exam.rows, 1500)
        if q.kind.startswith(("letters", "cjk", "words", "wild")) and q.text.isprintable()
    ]
    modes = set()
    for query in asked:
        expected = Counter(row.session for row, text in visible if fold(query.text) in text)
        found = baseline.search(query.text, limit=10**6)
        assert {hit.session: hit.hits for hit in found.hits} == expected, query
        assert (found.sessions, found.rows) == (len(expected), expected.total())
        modes.add(found.mode)
    assert modes == {"fts5-trigram", "like"}
    assert len(asked) > 500


def test_the_baseline_refolds_a_grown_log_only(tmp_path: Path) -> None:
    made = write(tmp_path / "logs", SCALE)
    store = Baseline(tmp_path / "store.db", made.folder)
    before = store.build()
    assert (before, store.refresh()) == (made.rows, 0)
    events = sum(1 for _ in oracle.lines(made.biggest)) - 1
    added = append(made.biggest, 20_000, start=events)
    assert (store.refresh(), store.refresh()) == (1, 0)
    exam = Oracle(made.folder)
    assert len(exam.rows) == before + added
    newest = max((row for row in exam.rows if row.session == made.biggest.parent.name), key=lambda row: row.seq)
    assert newest.seq >= events
    piece = newest.text[:40]
    assert store.search(piece).rows == len(exam.search(piece).rows) >= 1
