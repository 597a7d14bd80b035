import tracemalloc

import pytest

from windtunnel.spawn import Kept


def fed(most_bytes, chunks):
    kept = Kept(most_bytes)
    for chunk in chunks:
        kept.add(chunk)
    return kept


def test_output_within_the_limit_is_kept_as_it_came():
    kept = fed(10, [b"01", b"", b"234", b"56789"])

    assert (kept.value(), kept.dropped, kept.total) == (b"0123456789", 0, 10)


def test_one_byte_too_much_leaves_one_byte_out():
    kept = fed(10, [b"01234", b"X", b"56789"])

    assert (kept.value(), kept.dropped) == (b"01234\n[... 1 bytes left out ...]\n56789", 1)


@pytest.mark.parametrize(("most_bytes", "value"), [
    (0, b"\n[... 4 bytes left out ...]\n"),
    (1, b"a\n[... 3 bytes left out ...]\n"),
    (2, b"a\n[... 2 bytes left out ...]\nd"),
    (3, b"ab\n[... 1 bytes left out ...]\nd"),
    (4, b"abcd"),
])
@pytest.mark.parametrize("chunks", [[b"abcd"], [b"a", b"b", b"c", b"d"], [b"abc", b"d"]], ids=len)
def test_the_smallest_limits_keep_head_and_tail(most_bytes, value, chunks):
    kept = fed(most_bytes, chunks)

    assert (kept.value(), kept.dropped) == (value, max(0, 4 - most_bytes))


@pytest.mark.parametrize("chunk", [1, 3, 7, 64, 1000])
@pytest.mark.parametrize("most_bytes", [1, 9, 64, 101])
def test_the_sizes_of_the_chunks_do_not_matter(most_bytes, chunk):
    data = bytes(number % 251 for number in range(1000))

    kept = fed(most_bytes, [data[start:start + chunk] for start in range(0, len(data), chunk)])

    head, tail = data[:(most_bytes + 1) // 2], data[len(data) - most_bytes // 2:]
    left_out = 1000 - most_bytes
    assert kept.value() == head + b"\n[... %d bytes left out ...]\n" % left_out + tail
    assert kept.dropped == left_out


def test_two_hundred_megabytes_cost_no_more_memory_than_twice_the_limit():
    kept, chunk = Kept(1 << 20), bytes(1 << 16)
    tracemalloc.start()
    try:
        for _ in range(3200):
            kept.add(chunk)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (kept.total, kept.dropped) == (200 << 20, 199 << 20)
    assert peak < 2.5 * (1 << 20)


def test_one_huge_chunk_is_not_kept_whole():
    kept, chunk = Kept(1 << 16), bytes(64 << 20)
    tracemalloc.start()
    try:
        kept.add(chunk)
        kept.add(chunk[:5])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept.dropped == (64 << 20) + 5 - (1 << 16)
    assert held < 1 << 20


def test_the_spill_file_holds_the_whole_stream(tmp_path):
    kept = Kept(4, spill=tmp_path / "stdout")
    for number in range(1000):
        kept.add(b"%d," % number)
    kept.close()

    assert (tmp_path / "stdout").read_bytes() == b"".join(b"%d," % number for number in range(1000))


def test_closing_twice_is_closing_once(tmp_path):
    kept = Kept(4, spill=tmp_path / "stdout")
    kept.add(b"all of it")
    kept.close()
    kept.close()

    assert (tmp_path / "stdout").read_bytes() == b"all of it"


def test_the_sink_gets_everything_in_order():
    came = []
    kept = Kept(2, sink=came.append)
    for chunk in (b"one", b"two", b"three"):
        kept.add(chunk)

    assert came == [b"one", b"two", b"three"]
    assert kept.streams


def test_without_a_sink_nothing_streams():
    assert not Kept(2).streams
