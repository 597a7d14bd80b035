"""One connection as three streams: pieces of every size, false heads, ends that go away."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.sandbox.container.pump import Frames, Pump

pytestmark = pytest.mark.timeout(60)
BIG = 4 << 20
pieces = st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=300)), max_size=12)


def framed(stream, data):
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


class Pair:
    """The engine's end of the connection, and the pump on ours."""

    def __init__(self):
        self.engine, ours = socket.socketpair()
        self.engine.settimeout(20)
        self.pump = Pump(ours, owner=ours)
        self.open = {"stdin": self.pump.stdin, "stdout": self.pump.stdout, "stderr": self.pump.stderr}

    def drop(self, name):
        os.close(self.open.pop(name))

    def read(self, name, most=1 << 16):
        assert select.select([self.open[name]], [], [], 20)[0], f"{name} neither says a word nor ends"
        return os.read(self.open[name], most)

    def all(self, name):
        parts = []
        while data := self.read(name):
            parts.append(data)
        return b"".join(parts)

    def ended(self):
        for thread in threading.enumerate():
            if getattr(getattr(thread, "_target", None), "__self__", None) is self.pump:
                thread.join(20)
                return not thread.is_alive()
        return True


@pytest.fixture
def pair():
    made = Pair()
    yield made
    made.pump.close()
    made.engine.close()
    for name in list(made.open):
        made.drop(name)
    assert made.ended()


# --- taking pieces apart ---

def taken(chunks):
    """What each stream got of these chunks."""
    ends = {number: os.pipe() for number in (1, 2)}
    try:
        frames = Frames({number: write for number, (_, write) in ends.items()})
        for chunk in chunks:
            frames.take(chunk)
        for _, write in ends.values():
            os.set_blocking(write, False)
        return {number: drained(read) for number, (read, _) in ends.items()}
    finally:
        for end in ends.values():
            for descriptor in end:
                os.close(descriptor)


def drained(descriptor):
    os.set_blocking(descriptor, False)
    with contextlib.suppress(BlockingIOError):
        return os.read(descriptor, 1 << 16)
    return b""


def cut(data, sizes):
    chunks, place = [], 0
    for size in sizes:
        chunks.append(data[place:place + size])
        place += size
    return [*chunks, data[place:]]


@settings(max_examples=200, deadline=None)
@given(pieces, st.lists(st.integers(0, 40), max_size=60))
def test_however_the_bytes_are_cut_each_stream_gets_its_own_in_order(parts, sizes):
    data = b"".join(framed(stream, piece) for stream, piece in parts)

    assert taken(cut(data, sizes)) == {number: b"".join(piece for stream, piece in parts if stream == number) for number in (1, 2)}


def test_one_byte_at_a_time_is_the_same():
    data = framed(1, b"out") + framed(2, b"") + framed(2, b"err") + framed(1, b"!")

    assert taken([bytes([byte]) for byte in data]) == {1: b"out!", 2: b"err"}


@given(st.binary(min_size=8, max_size=8).filter(lambda head: head[0] not in (1, 2) or any(head[1:4])), st.integers(0, 8))
def test_whatever_is_no_head_is_refused_however_it_is_cut(head, size):
    with pytest.raises(ValueError, match="not the head of a piece of output"):
        taken([head[:size], head[size:]])


@pytest.mark.parametrize("head", [b"\0\0\0\0\0\0\0\3", b"\3\0\0\0\0\0\0\3", b"\1\0\0\1\0\0\0\3", b"HTTP/1.1"])
def test_heads_of_another_kind_are_refused(head):
    with pytest.raises(ValueError, match="not the head"):
        taken([framed(1, b"x") + head])


def test_what_looks_like_a_head_inside_a_piece_is_output():
    assert taken([framed(1, framed(2, b"forged"))]) == {1: framed(2, b"forged"), 2: b""}


# --- carrying ---

def test_output_comes_on_its_own_streams_and_both_end_with_the_connection(pair):
    pair.engine.sendall(framed(1, b"out") + framed(2, b"err"))
    pair.engine.close()

    assert (pair.all("stdout"), pair.all("stderr"), pair.ended()) == (b"out", b"err", True)


def test_a_false_head_ends_the_streams_after_what_came_before_it(pair):
    pair.engine.sendall(framed(1, b"true") + b"\7\0\0\0\0\0\0\5false" + framed(1, b"more"))

    assert (pair.all("stdout"), pair.all("stderr"), pair.ended()) == (b"true", b"", True)


def test_a_connection_that_ends_within_a_piece_gives_what_came(pair):
    pair.engine.sendall(framed(1, b"whole") + framed(1, b"half of it")[:12])
    pair.engine.close()

    assert pair.all("stdout") == b"wholehalf"


def test_input_reaches_the_engine_and_then_its_end_while_output_still_comes(pair):
    os.write(pair.open["stdin"], b"asked")
    pair.drop("stdin")
    heard = b"".join(iter(lambda: pair.engine.recv(100), b""))
    pair.engine.sendall(framed(1, b"answered"))
    pair.engine.close()

    assert (heard, pair.all("stdout")) == (b"asked", b"answered")


def test_input_that_nobody_takes_does_not_hold_the_output_back(pair):
    """A program that first writes much and then reads: carried one after the other, both would wait for good."""
    feeder = threading.Thread(target=feed, args=(pair.open.pop("stdin"),))
    feeder.start()
    writer = threading.Thread(target=pair.engine.sendall, args=(framed(1, bytes(BIG)),))
    writer.start()
    size = 0
    while size < BIG:
        size += len(pair.read("stdout"))
    writer.join()
    heard = sum(map(len, iter(lambda: pair.engine.recv(1 << 16), b"")))
    feeder.join()

    assert (size, heard) == (BIG, BIG)


def feed(descriptor):
    with open(descriptor, "wb", buffering=0) as stream, contextlib.suppress(BrokenPipeError):  # noqa: PTH123 -- by descriptor
        rest = memoryview(bytes(BIG))
        while rest:
            rest = rest[stream.write(rest):]


def test_a_program_that_ends_without_reading_its_input_loses_no_output(pair):
    pair.engine.sendall(framed(1, b"x" * 1000))
    pair.engine.shutdown(socket.SHUT_RD)
    feeder = threading.Thread(target=feed, args=(pair.open.pop("stdin"),))
    feeder.start()
    feeder.join(20)
    pair.engine.sendall(framed(1, b"last"))
    pair.engine.close()

    assert (pair.all("stdout"), feeder.is_alive()) == (b"x" * 1000 + b"last", False)


def test_a_reader_that_is_gone_ends_the_carrying(pair):
    pair.drop("stdout")
    pair.engine.sendall(framed(1, b"nobody hears"))

    assert (pair.all("stderr"), pair.ended()) == (b"", True)


def test_the_end_of_carrying_closes_the_connection(pair):
    pair.drop("stdout")
    pair.engine.sendall(framed(1, b"nobody hears"))
    assert pair.ended()

    with pytest.raises(ConnectionError):  # noqa: PT012 -- the first may still be taken
        for _ in range(2):
            pair.engine.sendall(bytes(100))


def test_closing_ends_the_streams_and_can_be_repeated(pair):
    pair.pump.close()
    pair.pump.close()

    assert (pair.all("stdout"), pair.all("stderr"), pair.ended()) == (b"", b"", True)


def test_a_pump_leaves_no_descriptor_open():
    before = set(Path("/proc/self/fd").iterdir())
    made = Pair()

    made.pump.close()

    assert made.ended()
    made.engine.close()
    for name in list(made.open):
        made.drop(name)
    assert set(Path("/proc/self/fd").iterdir()) <= before
