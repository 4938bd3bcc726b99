"""Lines and frames: torn ends, damage, lines too long to hold, and the place to go on from."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from sessionlogs import made_logs as made

from dbgraph_nb.sessionlogs.events import Event, Message
from dbgraph_nb.sessionlogs.readers import dsh
from dbgraph_nb.sessionlogs.reading import LIMITS, START, Cursor, Limits, Reading
from dbgraph_nb.sessionlogs.squeeze import Squeezer
from dbgraph_nb.sessionlogs.zstd_frames import BadFrame, Frames

SMALL = Limits(line=2000, text=500, blob=100)


def message(seq: int, text: str, **more: object) -> dict[str, Any]:
    return {"type": "user/message", "seq": seq, "data": {"content": [{"type": "text", "text": text}]}, **more}


def records(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "session", "version": 4, "id": "s"}, *(message(seq, text) for seq, text in enumerate(texts))]


def log(tmp_path: Path, data: bytes, suffix: str = ".jsonl") -> Path:
    path = tmp_path / "s" / f"session.v4{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def texts(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Message)]


def read(path: Path, at: Cursor = START, limits: Limits = LIMITS) -> tuple[list[Event], Reading]:
    reading = dsh.read(path, at, limits=limits)
    return list(reading), reading


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


# ---- torn ends


def test_a_cut_last_line_keeps_the_others(tmp_path: Path) -> None:
    whole = b"".join(made.lines(records("a", "b", "c")))
    events, reading = read(path := log(tmp_path, whole + b'{"type":"user/mess'))
    assert texts(events) == ["a", "b", "c"]
    assert [(problem.code, problem.count, problem.path) for problem in reading.problems] == [("torn-tail", 18, path)]
    assert reading.cursor.offset == len(whole)


def test_a_line_that_is_finished_later_is_read_once(tmp_path: Path) -> None:
    made_lines = made.lines(records("a", "b", "c"))
    path = log(tmp_path, b"".join(made_lines[:3]) + made_lines[3][:9])
    events, reading = read(path)
    for _ in range(3):
        again, reading = read(path, reading.cursor)
        assert again == []
    with path.open("ab") as file:
        file.write(made_lines[3][9:])
    rest, reading = read(path, reading.cursor)
    assert texts(events + rest) == ["a", "b", "c"]
    assert codes(reading) == []


def test_all_frames_are_read_and_not_the_first_alone(tmp_path: Path) -> None:
    lines = made.lines(records("a", "b"))
    events, reading = read(log(tmp_path, made.packed(b"".join(lines[:2])) + made.packed(lines[2]), ".jsonl.zstd"))
    assert texts(events) == ["a", "b"]
    assert codes(reading) == []


def test_a_log_cut_at_any_byte_keeps_every_whole_frame(tmp_path: Path) -> None:
    made_frames = made.frames(made.lines(records("a", "bb", "ccc", "dddd", "eeeee")), batch=2)
    data = b"".join(made_frames)
    ends = [sum(map(len, made_frames[: place + 1])) for place in range(len(made_frames))]
    for size in range(len(data) + 1):
        events, reading = read(log(tmp_path, data[:size], ".jsonl.zstd"))
        whole = sum(end <= size for end in ends)
        assert len(texts(events)) >= max(0, min(5, 2 * (whole - 1)))
        assert texts(events) == ["a", "bb", "ccc", "dddd", "eeeee"][: len(texts(events))]
        assert set(codes(reading)) <= {"torn-tail"}
        if size in (0, *ends):
            assert codes(reading) == []
            assert reading.cursor.offset == size


def big_frame() -> tuple[bytes, list[str]]:
    """A frame of many blocks, of lines that do not pack well."""
    draw = random.Random(1)
    said = [draw.randbytes(700).hex() for _ in range(900)]
    return b"".join(made.lines(records(*said))), said


@pytest.mark.parametrize("sized", [True, False])
def test_a_torn_frame_keeps_the_lines_it_held_whole_and_goes_on_behind_them(tmp_path: Path, sized: bool) -> None:
    plain, said = big_frame()
    frame = made.packed(plain, sized=sized)
    path = log(tmp_path, frame[: len(frame) * 2 // 3], ".jsonl.zstd")
    events, reading = read(path)
    assert 200 < len(texts(events)) < 700
    assert codes(reading) == ["torn-tail"]
    assert (reading.cursor.offset, reading.cursor.skip > 0) == (0, True)
    path.write_bytes(frame)
    rest, reading = read(path, reading.cursor)
    assert texts(events) + texts(rest) == said
    assert reading.cursor.offset == len(frame)


def test_a_torn_frame_that_was_written_anew_is_seen(tmp_path: Path) -> None:
    plain, said = big_frame()
    frame = made.packed(plain)
    path = log(tmp_path, frame[: len(frame) // 2], ".jsonl.zstd")
    cursor = read(path)[1].cursor
    path.write_bytes(made.packed(plain.replace(said[0].encode(), said[1].encode())))
    events, reading = read(path, cursor)
    assert (events, codes(reading)) == ([], ["log-changed"])


def test_bytes_that_look_like_a_frame_are_no_frame(tmp_path: Path) -> None:
    """Stored blocks hold their content as it is, and here that is the start of a frame, again and again."""
    text = "\u00b5/\u00fd" * 50
    inner = zstandard.ZstdCompressor(level=1).compress(b"x")
    raw = made.lines(records(text))[0] + made.lines(records(text))[1]
    block = raw + json.dumps(inner.hex()).encode()[:0]
    assert inner[:4] == b"\x28\xb5\x2f\xfd"
    content = block + b'{"type":"x","data":"' + inner[:4].replace(b"\xb5", b"\xb5") + b'"}\n'
    stored = b"\x28\xb5\x2f\xfd\x60" + (len(content) - 256).to_bytes(2, "little")
    stored += (len(content) << 3 | 1).to_bytes(3, "little") + content
    assert stored.count(inner[:4]) == 2
    events, reading = read(log(tmp_path, stored + made.packed(made.lines([message(2, "after")])[0]), ".jsonl.zstd"))
    assert texts(events) == [text, "after"]
    assert codes(reading) == ["bad-bytes"]


def test_frames_without_data_are_passed_over(tmp_path: Path) -> None:
    lines = made.lines(records("a", "b"))
    nothing = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    data = nothing + made.packed(b"".join(lines[:2])) + nothing + made.packed(b"") + made.packed(lines[2]) + nothing
    events, reading = read(log(tmp_path, data, ".jsonl.zstd"))
    assert texts(events) == ["a", "b"]
    assert (codes(reading), reading.cursor.offset) == ([], len(data))


def test_a_line_may_lie_in_several_frames(tmp_path: Path) -> None:
    line = made.lines(records("a", "b", "c"))
    data = [made.packed(line[0] + line[1][:10]), made.packed(line[1][10:20]), made.packed(line[1][20:] + line[2][:5]),
            made.packed(line[2][5:] + line[3])]  # fmt: skip
    for count in range(1, 5):
        path = log(tmp_path, b"".join(data[:count]), ".jsonl.zstd")
        first, reading = read(path)
        path.write_bytes(b"".join(data))
        rest, reading = read(path, reading.cursor)
        assert texts(first) + texts(rest) == ["a", "b", "c"], count
        assert codes(reading) == []


# ---- damage


def test_a_damaged_frame_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    made_frames = made.frames(made.lines(records("a", "b", "c")), batch=1)
    bad = bytearray(made_frames[2])
    bad[-1] ^= 255  # its checksum
    data = b"".join([*made_frames[:2], bytes(bad), *made_frames[3:]])
    events, reading = read(path := log(tmp_path, data, ".jsonl.zstd"))
    assert texts(events) == ["a", "c"]
    (problem,) = reading.problems
    assert (problem.code, problem.count, problem.path) == ("damaged-frame", len(bad), path)
    assert reading.cursor.offset == len(data)


def test_the_start_of_a_line_whose_end_is_damaged_is_glued_to_nothing(tmp_path: Path) -> None:
    head, first, second, third = made.lines(records("a", "b", "c"))
    bad = bytearray(made.packed(first[20:]))
    bad[-1] ^= 255
    data = made.packed(head + first[:20]) + bytes(bad) + made.packed(second + third)
    events, reading = read(log(tmp_path, data, ".jsonl.zstd"))
    assert texts(events) == ["b", "c"]
    assert codes(reading) == ["damaged-frame"]


def test_what_is_no_frame_is_named_with_its_size(tmp_path: Path) -> None:
    good = b"".join(made.frames(made.lines(records("a"))))
    events, reading = read(log(tmp_path, good + bytes(300), ".jsonl.zstd"))
    assert texts(events) == ["a"]
    assert [(problem.code, problem.count) for problem in reading.problems] == [("damaged-frame", 300)]
    assert reading.cursor.offset == len(good)


def test_any_damage_ends_in_words(tmp_path: Path) -> None:
    data = b"".join(made.frames(made.lines(records(*"abcdefgh")), batch=2))
    draw = random.Random(3)
    for _ in range(300):
        bad = bytearray(data)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        events, reading = read(log(tmp_path, bytes(bad), ".jsonl.zstd"))
        assert texts(events) == list("abcdefgh") or codes(reading)


def test_the_walk_agrees_with_the_frames(tmp_path: Path) -> None:
    draw = random.Random(4)
    sizes = [0, 1, 255, 256, 300, 70_000, 400_000] * 6
    held = [draw.randbytes(size) if draw.random() < 0.5 else bytes(size) for size in sizes]
    sized = [draw.random() < 0.5 for _ in sizes]
    parts = [made.packed(data, sized=says) for data, says in zip(held, sized, strict=True)]
    path = log(tmp_path, b"".join(parts), ".zstd")
    with path.open("rb") as file:
        frames = Frames(file)
        walked = list(frames.walk(0))
        assert [frame.end - frame.start for frame in walked] == [len(part) for part in parts]
        assert [b"".join(frames.pieces(frame)) for frame in walked] == held
        assert [frame.size for frame, says in zip(walked, sized, strict=True) if says] == [
            len(data) for data, says in zip(held, sized, strict=True) if says
        ]
        assert not any(frame.torn for frame in walked)
        with pytest.raises(BadFrame):
            list(frames.walk(1))


# ---- bad lines


def test_bad_lines_are_counted_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    head, first, second = made.lines(records("a", "b"))
    deep = b"[" * 100_000 + b"]" * 100_000 + b"\n"
    data = b"".join([head, first, b"{not json}\n", b"[1]\n", b"\n", b"   \n", deep, b'"text"\n', second])
    events, reading = read(log(tmp_path, data))
    assert [(event.seq, event.text) for event in events if isinstance(event, Message)] == [(0, "a"), (1, "b")]
    assert [(problem.code, problem.count) for problem in reading.problems] == [("bad-line", 4)]


def test_half_characters_and_bad_bytes_become_one_that_can_be_kept(tmp_path: Path) -> None:
    head = made.lines(records())[0]
    data = head + b'{"type":"user/message","seq":0,"data":{"content":"a\\ud83d b\\u0000c"}}\n'
    data += b'{"type":"user/message","seq":1,"data":{"content":"a\xb2b"}}\n'
    data += b'{"type":"user/message","seq":2,"data":{"content":"\\ud83d\\ude00"}}\n'
    events, reading = read(log(tmp_path, data))
    assert texts(events) == ["a\ufffd b\0c", "a\ufffdb", "😀"]
    "".join(texts(events)).encode()
    assert [(problem.code, problem.count) for problem in reading.problems] == [("bad-bytes", 1)]


# ---- going on


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_a_reading_in_steps_is_the_reading_at_once(tmp_path: Path, suffix: str) -> None:
    story = made.dsh_records(made.STORY, 4)
    lines = made.lines(story)
    parts = made.frames(lines, batch=2) if suffix.endswith("zstd") else lines
    whole, _ = read(log(tmp_path, b"".join(parts), suffix))
    for step in (1, 2, 3, 7):
        path = log(tmp_path, b"", suffix)
        events: list[Event] = []
        cursor = START
        for at in range(0, len(parts), step):
            with path.open("ab") as file:
                file.write(b"".join(parts[at : at + step]))
            more, reading = read(path, cursor)
            events, cursor = events + more, reading.cursor
            assert cursor.offset == path.stat().st_size
        assert events == whole


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_a_log_that_grows_by_any_number_of_bytes_is_read_once(tmp_path: Path, suffix: str) -> None:
    draw = random.Random(8)
    said = [draw.randbytes(draw.choice((5, 200, 3000, 40_000))).hex() for _ in range(60)]
    lines = made.lines(records(*said))
    for _ in range(12):
        parts, rest = [lines[0]], lines[1:]
        while rest:
            count = draw.choice((1, 2, 5, 20))
            parts, rest = [*parts, b"".join(rest[:count])], rest[count:]
        if suffix.endswith("zstd"):
            parts = [made.packed(part, sized=draw.random() < 0.5) for part in parts]
        data = b"".join(parts)
        path, events, cursor, size = log(tmp_path, b"", suffix), list[Event](), START, 0
        while size < len(data):
            size += draw.choice((1, 7, 500, 20_000, 100_000))
            path.write_bytes(data[:size])
            more, reading = read(path, cursor)
            assert set(codes(reading)) <= {"torn-tail"}
            events, cursor = events + more, reading.cursor
        assert texts(events) == said
        assert (cursor.offset, cursor.skip, codes(reading)) == (len(data), 0, [])


def test_a_seed_that_ends_later_makes_the_log_be_read_anew(tmp_path: Path) -> None:
    head = {"type": "session", "version": 4, "id": "s", "isSeeded": True}
    end = {"type": "session/end-seed", "seq": 1, "data": {"inherited": True}}
    path = log(tmp_path, b"".join(made.lines([head, message(0, "of the parent")])))
    cursor = read(path)[1].cursor
    with path.open("ab") as file:
        file.write(b"".join(made.lines([end, message(2, "own")])))
    assert codes(read(path, cursor)[1]) == ["log-changed"]
    events, reading = read(path)
    assert [event.inherited for event in events] == [False, True, True, False]
    assert codes(reading) == []


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_going_on_reads_only_what_is_new(tmp_path: Path, suffix: str) -> None:
    lines = made.lines(records(*(f"{number} " * 50 for number in range(3000))))
    parts = made.frames(lines, batch=2) if suffix.endswith("zstd") else lines
    path = log(tmp_path, b"".join(parts), suffix)
    cursor = read(path)[1].cursor
    assert read(path, cursor)[1].tally.bytes_read == 0
    new = made.lines([message(3000, "new")])[0]
    with path.open("ab") as file:
        file.write(made.packed(new) if suffix.endswith("zstd") else new)
    events, reading = read(path, cursor)
    assert texts(events) == ["new"]
    assert reading.tally.bytes_read < 500


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_a_log_that_shrank_or_is_another_is_named(tmp_path: Path, suffix: str) -> None:
    lines = made.lines(records(*"abcdef"))
    parts = made.frames(lines, batch=1) if suffix.endswith("zstd") else lines
    cursor = read(log(tmp_path, b"".join(parts), suffix))[1].cursor
    for other in (b"".join(parts[:3]), b"", bytes(len(b"".join(parts)) + 9)):
        events, reading = read(log(tmp_path, other, suffix), cursor)
        assert events == []
        assert codes(reading) == ["log-changed"]


def test_a_missing_file_and_one_without_rights_do_not_look_alike(tmp_path: Path) -> None:
    assert codes(read(tmp_path / "session.jsonl")[1]) == ["missing"]
    (tmp_path / "session.v4.jsonl").mkdir()
    assert codes(read(tmp_path / "session.v4.jsonl")[1]) == ["unreadable"]
    events, reading = read(log(tmp_path, b""))
    assert (events, codes(reading), reading.cursor) == ([], [], START)


# ---- long lines


def test_a_long_line_is_shortened_and_its_neighbours_are_whole(tmp_path: Path) -> None:
    blob = {"type": "image", "source": {"data": "QUJD" * 5000}}
    middle = message(1, "the text stays")
    middle["data"]["content"] += [blob, {"type": "text", "text": "word " * 1000}]
    path = made.write_lines(tmp_path / "s" / "session.v4.jsonl", [*records("a"), middle, message(2, "c")])
    events, reading = read(path, limits=SMALL)
    before, cut, after = (event for event in events if isinstance(event, Message))
    assert (before.text, after.text, after.seq) == ("a", "c", 2)
    assert cut.text == "the text stays\n" + ("word " * 1000)[:500]
    assert cut.cut == reading.tally.cut_bytes == 4500
    assert (reading.tally.blobs, reading.tally.blob_bytes, reading.tally.cut_records) == (1, 20_000, 1)
    assert [(problem.code, problem.count) for problem in reading.problems] == [("text-cut", 4500)]


def test_a_line_of_the_limit_is_whole_and_one_more_byte_is_not(tmp_path: Path) -> None:
    line = made.lines([message(0, "x y" * 200)])[0]
    path = log(tmp_path, made.lines(records())[0] + line)
    for size, cut in ((len(line) - 1, 0), (len(line) - 2, 1)):
        _, reading = read(path, limits=Limits(line=size, text=10, blob=5))
        assert reading.tally.cut_records == cut


def test_a_record_that_is_long_without_its_texts_is_left_out_and_named(tmp_path: Path) -> None:
    wide = {"type": "x", "seq": 1, "data": list(range(400_000))}
    path = made.write_lines(tmp_path / "s" / "session.v4.jsonl", [*records("a"), wide, message(2, "c")])
    events, reading = read(path, limits=SMALL)
    assert texts(events) == ["a", "c"]
    assert codes(reading) == ["text-cut", "record-too-long"]


def squeezed(data: bytes, pieces: int, limits: Limits) -> tuple[Any, Squeezer]:
    squeezer = Squeezer(limits)
    for at in range(0, len(data), pieces):
        squeezer.feed(data[at : at + pieces])
    return json.loads(squeezer.result()), squeezer


@pytest.mark.parametrize("ensure_ascii", [True, False])
@pytest.mark.parametrize("pieces", [1, 2, 3, 7, 64, 10**6])
def test_a_squeezed_record_is_json_with_starts_of_the_same_texts(pieces: int, ensure_ascii: bool) -> None:
    draw = random.Random(pieces)
    for _ in range(40):
        value = {
            f"k{number}": "".join(draw.choices('a "\\\n\0é数😀/', k=draw.randrange(60))) for number in range(8)
        } | {"list": [1, -2.5, None, True, "", {"x": "y"}]}
        data = json.dumps(value, ensure_ascii=ensure_ascii).encode()
        for text in range(5, 40):
            limits = Limits(line=10**6, text=text, blob=10**6)
            found, squeezer = squeezed(data, pieces, limits)
            assert found.keys() == value.keys()
            for key, start in found.items():
                if key == "list":
                    assert start == value["list"]
                else:
                    start.encode()
                    assert value[key].startswith(start)  # type: ignore[union-attr]
            assert (squeezer.cut > 0) == (found != value)


def test_a_full_record_keeps_keys_and_names() -> None:
    value = {f"long{number}": "word " * 400 for number in range(50)} | {"type": "user/message", "seq": 7}
    found, squeezer = squeezed(json.dumps(value).encode(), 100, Limits(line=6000, text=2000, blob=50))
    assert (found["type"], found["seq"], len(found)) == ("user/message", 7, 52)
    assert len(json.dumps(found)) < 6000 + 50 * 300
    assert not squeezer.overflow
    assert squeezer.cut == sum(len(str(value[key])) - len(str(found[key])) for key in value)


_HUGE = """
    import resource, sys, zstandard
    from pathlib import Path
    from dbgraph_nb.sessionlogs.events import Message
    from dbgraph_nb.sessionlogs.readers import dsh
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading = dsh.read(Path(sys.argv[1]))
    found = [(event.seq, len(event.text)) for event in reading if isinstance(event, Message)]
    print(found[0], found[-1], len(found))
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, reading.tally.blob_bytes)
    print(*(problem.code for problem in reading.problems))
"""


def in_a_process_of_its_own(path: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_HUGE), str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zstd"])
def test_a_hundred_megabytes_in_one_line_need_little_memory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "s" / f"session.v4{suffix}"
    path.parent.mkdir()
    head, first, last = made.lines([*records("a"), message(2, "c")])
    with path.open("wb") as raw:
        packer = zstandard.ZstdCompressor().stream_writer(raw) if suffix.endswith("zstd") else raw
        packer.write(head + first + b'{"type":"user/message","seq":1,"data":{"content":[{"type":"image","data":"')
        for _ in range(100):
            packer.write(b"iVBORw0KGgoA" * (1_000_000 // 12))
        packer.write(b'"},{"type":"text","text":"seen"}]}}\n' + last)
        if packer is not raw:
            packer.close()
    out = in_a_process_of_its_own(path)
    megabytes, blob_bytes = map(int, out[1].split())
    assert out[0] == "(0, 1) (2, 1) 3"
    assert blob_bytes == 100 * (1_000_000 // 12) * 12
    assert out[2:] in ([], [""])
    assert megabytes < 60


def test_a_log_that_unpacks_to_hundreds_of_megabytes_is_read(tmp_path: Path) -> None:
    """Valid, and a few kilobytes on the disk: 200 MB in lines of 1 MB."""
    path = tmp_path / "s" / "session.v4.jsonl.zstd"
    path.parent.mkdir()
    pack = zstandard.ZstdCompressor(level=3)
    with path.open("wb") as raw, pack.stream_writer(raw) as packer:
        packer.write(made.lines(records())[0])
        for seq in range(200):
            packer.write(made.lines([message(seq, "same " * 200_000)])[0])
    assert path.stat().st_size < 100_000
    out = in_a_process_of_its_own(path)
    assert out[0] == "(0, 1000000) (199, 1000000) 200"
    assert int(out[1].split()[0]) < 60
    assert out[2:] in ([], [""])


def test_cursors_are_values() -> None:
    assert replace(START, offset=1) != START
    assert Cursor() == START
