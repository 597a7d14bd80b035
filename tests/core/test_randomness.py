"""Random bytes by the page."""

from __future__ import annotations

import os
import time

from windtunnel.core.randomness import fresh_id, fresh_id_by_time, random_bytes


def test_no_byte_is_given_out_twice() -> None:
    taken = [random_bytes(16) for _ in range(1000)]

    assert len(set(taken)) == 1000
    assert {len(one) for one in taken} == {16}


def test_more_than_a_page_is_given_at_once() -> None:
    assert len(set(random_bytes(20_000))) == 256


def test_an_id_is_thirty_two_hexadecimal_digits() -> None:
    name = fresh_id()

    assert len(name) == 32
    assert set(name) <= set("0123456789abcdef")


def test_a_forked_child_gets_other_bytes_than_its_parent() -> None:
    random_bytes(1)
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, random_bytes(16))
        os._exit(0)
    os.waitpid(child, 0)
    told = os.read(read, 16)
    os.close(read)
    os.close(write)

    assert len(told) == 16
    assert told != random_bytes(16)


def test_ids_by_time_are_all_different_and_stand_where_their_moment_does():
    before = time.time_ns() // 100_000_000
    names = [fresh_id_by_time() for _ in range(10_000)]
    after = time.time_ns() // 100_000_000

    assert len(set(names)) == 10_000
    assert {len(name) for name in names} == {32}
    assert {int(name[:6], 16) for name in names} <= {moment % (1 << 24) for moment in range(before, after + 1)}
