"""Whatever a guest sends, the host stays whole: a frame is exactly as it must be, or the machine is given up."""

import json
import random
import socket
import struct
import time

import pytest

from windtunnel.core.effects import BlockedCall, FileEffect, NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.result import Artifact
from windtunnel.sandbox.vm import frames
from windtunnel.sandbox.vm.frames import HEAD, MOST, Confused, Control, Told

REPORT = {
    "status": 0, "cpu_microseconds": 5, "memory_peak": 6, "processes_peak": None, "oom_kills": 0, "refusals": 0, "read": 1,
    "written": 2, "stdout": 3, "stderr": 4, "full": False, "disk": 7, "left": ["sleep"],
    "blocked": [[161, 2], [41, 1]], "network": [["02000050c0000201", 3]], "network_omitted": 4}


@pytest.fixture
def line():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Control(ours), theirs


def soon():
    return time.monotonic() + 5


def framed(kind, payload):
    return HEAD.pack(kind, len(payload)) + payload


def packed(name, *, executable=0, mode=-2, data=b""):
    return struct.pack(">HBi", len(name), executable, mode) + name + data


def test_frames_come_whole_however_they_are_cut(line):
    control, guest = line
    for byte in framed(b"X", b"said") + framed(b"Z", b"12"):
        guest.sendall(bytes([byte]))

    assert [control.receive(soon()) for _ in range(2)] == [(b"X", b"said"), (b"Z", b"12")]


@pytest.mark.parametrize("kind", [bytes([number]) for number in range(256) if bytes([number]) not in MOST])
def test_a_kind_that_there_is_not_is_refused_by_its_head_alone(line, kind):
    control, guest = line
    guest.sendall(HEAD.pack(kind, 0))

    with pytest.raises(Confused):
        control.receive(soon())


@pytest.mark.parametrize("kind", sorted(MOST))
def test_a_frame_longer_than_its_kind_may_be_is_refused_before_it_is_read(line, kind):
    control, guest = line
    guest.sendall(HEAD.pack(kind, MOST[kind] + 1))

    with pytest.raises(Confused):
        control.receive(soon())


def test_a_guest_that_stops_in_the_middle_of_a_frame_is_not_waited_for_long(line):
    control, guest = line
    guest.sendall(HEAD.pack(b"E", 100) + b"{")

    with pytest.raises(TimeoutError):
        control.receive(time.monotonic() + 0.05)


def test_a_machine_that_is_gone_is_told_apart_from_one_that_waits(line):
    control, guest = line
    guest.close()

    with pytest.raises(ConnectionError):
        control.receive(soon())


def test_a_report_is_read_field_by_field():
    expected = Told(**REPORT | {
        "left": ("sleep",), "blocked": (BlockedCall(name="chroot", count=2), BlockedCall(name="socket")),
        "network": (NetworkAttempt(target="192.0.2.1:80", outcome="refused", rule="no network", count=3),)})

    assert frames.told(json.dumps(REPORT).encode()) == expected


@pytest.mark.parametrize("change", [
    {"status": -1}, {"status": 70_000}, {"status": "0"}, {"status": True}, {"stdout": None}, {"stdout": 1.5}, {"disk": 2**60},
    {"left": "sleep"}, {"left": [1]}, {"left": ["x"] * 17}, {"more": 1}, {"cpu_microseconds": float("nan")},
    {"network_omitted": -1}, {"network_omitted": None}, {"network_omitted": "4"},
    {"blocked": None}, {"blocked": {"161": 1}}, {"blocked": [161]}, {"blocked": [[161]]}, {"blocked": [[161, 1, 1]]},
    {"blocked": [["chroot", 1]]}, {"blocked": [[161, 0]]}, {"blocked": [[161, -1]]}, {"blocked": [[161, 2**60]]},
    {"blocked": [[161, True]]}, {"blocked": [[161, 1], [161, 1]]}, {"blocked": [[0, 1]]}, {"blocked": [[999, 1]]},
    {"blocked": [[[161], 1]]}, {"network": 1}, {"network": ["02000050c0000201"]}, {"network": [["02000050c0000201"]]},
    {"network": [["192.0.2.1:80", 1]]}, {"network": [["02000050c000020", 1]]}, {"network": [["02000050c00002zz", 1]]},
    {"network": [["02000050c0000201", 0]]}, {"network": [["02000050c0000201", "3"]]}, {"network": [["02000050c0000201", 1]] * 2},
    {"network": [["0200005 c0000201", 1]]}, {"network": [["020000507f000001", 1]]}, {"network": [["01000050c0000201", 1]]},
    {"network": [["0a000050c0000201", 1]]}, {"network": [["02000050" + "20010db8" * 4, 1]]}, {"network": [[None, 1]]},
    {"network": [["\N{FULLWIDTH DIGIT ZERO}2000050c000020", 1]]},
    {"network": [[f"0200{port:04x}c0000201", 1] for port in range(257)]},
])
def test_a_report_with_anything_else_in_it_is_refused(change):
    with pytest.raises(Confused):
        frames.told(json.dumps(REPORT | change).encode())


def test_as_many_targets_as_an_agent_keeps_are_read_in_a_frame_of_the_allowed_length():
    rows = [[f"0a00{port:04x}{'20010db8' * 4}", 2**53] for port in range(256)]
    payload = json.dumps(REPORT | {"network": rows, "left": ["\N{SNOWMAN}" * 64] * 16}).encode()

    told = frames.told(payload)

    assert len(payload) <= MOST[b"E"]
    assert told.network == tuple(
        NetworkAttempt(target=f"[2001:db8:2001:db8:2001:db8:2001:db8]:{port}", outcome="refused", rule="no network", count=2**53)
        for port in range(256))


@pytest.mark.parametrize("payload", [b"", b"[]", b"nonsense", b"\xff", b"[" * 60_000, b'{"status": 1}'])
def test_a_report_that_is_none_is_refused(payload):
    with pytest.raises(Confused):
        frames.told(payload)


def test_effects_are_read_row_by_row():
    row = ["/tmp/\ud800file", "file", 3, "made", 0o100644, "a" * 64]

    assert frames.effects(json.dumps([row]).encode()) == [
        FileEffect(path="/tmp/\\ud800file", kind="file", size=3, mode=0o644, hash="a" * 64)]


@pytest.mark.parametrize("row", [
    [], "row", ["tmp", "file", 0, "made", 0, ""], ["/tmp", "door", 0, "made", 0, ""], ["/tmp", "file", -1, "made", 0, ""],
    ["/tmp", "file", 0, "eaten", 0, ""], ["/tmp", "file", 0, "made", "rw", ""], ["/tmp", "file", 0, "made", 0, "short"],
    ["/tmp", ["file"], 0, "made", 0, ""], ["/a\0b", "file", 0, "made", 0, ""], ["/" + "x" * 20_000, "file", 0, "made", 0, ""],
])
def test_an_effect_in_any_other_form_is_refused(row):
    with pytest.raises(Confused):
        frames.effects(json.dumps([row]).encode())


def test_files_are_read_with_their_modes_and_deletions_without():
    assert [frames.file(packed(b"a/b", executable=1, data=b"x")), frames.file(packed(b"c", mode=0o600)),
            frames.file(packed(b"d", mode=-1))] == [
        ("a/b", Artifact(data=b"x", executable=True)), ("c", Artifact(data=b"", mode=0o600)), ("d", None)]


@pytest.mark.parametrize("name", [
    b"", b"/etc/passwd", b"../up", b"a/../../b", b"a//b", b"./a", b"a/", b"nul\0", b"x" * 256, b"x/" * 3000 + b"x"])
def test_a_name_that_leads_elsewhere_is_refused(name):
    with pytest.raises(Confused):
        frames.file(packed(name))


def test_a_name_longer_than_its_frame_is_refused():
    with pytest.raises(Confused):
        frames.file(struct.pack(">HBi", 100, 0, -2) + b"short")


@pytest.mark.parametrize("seed", range(300))
def test_noise_is_refused_or_read_and_never_anything_else(line, seed):
    control, guest = line
    noise = random.Random(seed)
    kinds = [b"E", b"F", b"A", b"L"]
    readers = dict(zip(kinds, (frames.told, frames.effects, frames.file, frames.file), strict=True))
    base = json.dumps(noise.choice([REPORT, [["/tmp/x", "file", 1, "made", 2, ""]]])).encode()
    payload = bytearray(noise.choice([base, noise.randbytes(noise.randrange(200)), packed(b"a/b", data=b"xyz")]))
    for _ in range(noise.randrange(4)):
        if payload:
            payload[noise.randrange(len(payload))] = noise.randrange(256)
    kind = noise.choice(kinds)
    guest.sendall(framed(kind, bytes(payload)))
    said, content = control.receive(soon())

    try:
        value = readers[said](content)
    except SandboxFailure:
        value = None

    assert value is None or isinstance(value, Told | list | tuple)
