"""Carrying packets between two sockets, without a sandbox."""

import socket
import threading
import time

import pytest

from windtunnel.core.scenario import Link
from windtunnel.sandbox.outside import carrier as carriers
from windtunnel.sandbox.outside.carrier import Carrier
from windtunnel.sandbox.outside.lane import Lane

FRAME = b"h" * 14 + b"packet"


@pytest.fixture
def wire():
    """The program's end, the outside's end, and a carrier between them that ends with the test."""
    ends, started = [], []

    def lay(link):
        (program, near), (far, outside), (word, until) = (
            socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(3))
        ends.extend((program, near, far, outside, word, until))
        carrier = Carrier(near, far, up=Lane(link, seed="up"), down=Lane(link, seed="down"))
        thread = threading.Thread(target=carrier.carry, args=(until,))
        thread.start()
        started.append((thread, word))
        program.settimeout(10)
        outside.settimeout(10)
        return program, outside, carrier

    def end():
        while started:
            thread, word = started.pop()
            word.send(b"E")
            thread.join()

    lay.end = end
    yield lay
    end()
    for sock in ends:
        sock.close()


def test_both_directions_are_carried(wire):
    program, outside, _ = wire(Link())
    program.send(FRAME)
    outside.send(FRAME[::-1])

    assert (outside.recv(100), program.recv(100)) == (FRAME, FRAME[::-1])


def test_a_packet_is_held_until_it_is_due(wire):
    program, outside, _ = wire(Link(delay_seconds=0.05))
    began = time.monotonic()
    program.send(FRAME)

    assert outside.recv(100) == FRAME
    assert time.monotonic() - began >= 0.05


def test_what_became_of_packets_is_counted(wire):
    program, outside, carrier = wire(Link(duplication=1.0))
    program.send(FRAME)
    assert [outside.recv(100), outside.recv(100)] == [FRAME, FRAME]
    wire.end()

    assert carrier.report() == {"packets": 1, "lost": 0, "doubled": 1, "dropped": 0}


def test_no_more_packets_are_held_than_there_is_room_for(wire, monkeypatch):
    monkeypatch.setattr(carriers, "MOST_HELD", 3)
    program, outside, carrier = wire(Link(delay_seconds=0.2))
    for _ in range(5):
        program.send(FRAME)
    assert [outside.recv(100) for _ in range(3)] == [FRAME] * 3
    wire.end()

    assert carrier.report() == {"packets": 5, "lost": 0, "doubled": 0, "dropped": 2}
