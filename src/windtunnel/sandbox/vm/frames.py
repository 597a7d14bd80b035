"""The host's side of the control port: frames with strict bounds, whatever a guest sends.

A guest that was taken over can send anything. What can come of it: a ``SandboxFailure``, or a wrong tale of its own
run. What cannot: memory that grows with it, a wait without end, a name that leads elsewhere, a crash of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from windtunnel.core.effects import BlockedCall, FileEffect, NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.result import Artifact
from windtunnel.sandbox import watch
from windtunnel.sandbox.inside.notices import MOST_TARGETS
from windtunnel.sandbox.layer import leads_inside
from windtunnel.sandbox.syscalls import WATCHED

HEAD = struct.Struct(">cI")
_FILE = struct.Struct(">HBi")
_BULK = 256 * 1024**2 + 8192
MOST = {b"H": 0, b"P": 16, b"W": 0, b"X": 4096, b"E": 1 << 16, b"F": 1 << 20, b"A": _BULK, b"L": _BULK, b"Z": 20}
"""How long a frame of each kind may be; there are no other kinds."""
_MOST_NUMBER = 2**53
_MOST_NAME, _MOST_STEP = 4096, 255
_PACKED_LENGTHS = (2 * (4 + 4), 2 * (4 + 16))
_ASKED = WATCHED | {"clone", "ioctl", "socket", "socketpair"}
"""Calls that a watching filter asks about and the agent refuses."""
_KINDS, _ACTS = ("file", "folder", "link", "other"), ("made", "changed", "deleted")
_NO_MODE, _DELETED, _MODES = -2, -1, 0o7777
_SPECIAL = (0, stat.S_IFLNK, stat.S_IFDIR)


class Confused(SandboxFailure):
    """The guest's agent said something that it never says; the machine is not to be trusted any more."""


class Control:
    """Frames over one socket; never holds more than one frame of an allowed length."""

    def __init__(self, sock: socket.socket) -> None:
        """The socket stays the caller's."""
        self._socket = sock
        self._buffer = bytearray()
        self._sending = threading.Lock()

    def fileno(self) -> int:
        """For who waits for several."""
        return self._socket.fileno()

    def send(self, kind: bytes, payload: bytes) -> None:
        """One frame; a machine that is gone takes it in silence, and its end says why."""
        with self._sending, contextlib.suppress(OSError):
            self._socket.sendall(HEAD.pack(kind, len(payload)))
            self._socket.sendall(payload)

    def receive(self, deadline: float) -> tuple[bytes, bytes]:
        """The next frame, at latest by the deadline of the monotonic clock."""
        while (frame := self.next_frame()) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the guest did not answer in time")
            ready, _, _ = select.select([self._socket], [], [], left)
            if ready and not self.take():
                raise ConnectionError("the machine ended")
        return frame

    def take(self) -> bool:
        """Read what is there; False when there will be no more."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            return False
        self._buffer += data
        return bool(data)

    def next_frame(self) -> tuple[bytes, bytes] | None:
        """A whole frame that has come, if there is one."""
        if len(self._buffer) < HEAD.size:
            return None
        kind, length = HEAD.unpack_from(self._buffer)
        if length > MOST.get(kind, -1):
            raise Confused(f"the guest sent a frame of kind {kind!r} with {length} bytes")
        if len(self._buffer) < HEAD.size + length:
            return None
        payload = bytes(self._buffer[HEAD.size:HEAD.size + length])
        del self._buffer[:HEAD.size + length]
        return kind, payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How the guest says a program ended; every number checked to be one."""

    status: int | None
    cpu_microseconds: int
    memory_peak: int | None
    processes_peak: int | None
    oom_kills: int
    refusals: int
    read: int | None
    written: int | None
    stdout: int
    stderr: int
    full: bool
    disk: int
    left: tuple[str, ...]
    blocked: tuple[BlockedCall, ...]
    network: tuple[NetworkAttempt, ...]
    network_omitted: int


_OPTIONAL = ("status", "memory_peak", "processes_peak", "read", "written")
_NUMBERS = ("cpu_microseconds", "oom_kills", "refusals", "stdout", "stderr", "disk", "network_omitted")


def told(payload: bytes) -> Told:
    """The report of an ending."""
    found = _json(payload)
    if not isinstance(found, dict) or found.keys() != set(Told.__dataclass_fields__):
        raise Confused("the guest's report has other fields than a report has")
    numbers: dict[str, Any] = {name: _number(found[name]) for name in _NUMBERS}
    numbers |= {name: None if found[name] is None else _number(found[name]) for name in _OPTIONAL}
    if numbers["status"] is not None and numbers["status"] > 0xFFFF:  # noqa: PLR2004 -- a wait status has 16 bits
        raise Confused("the guest's report has a wait status that is none")
    left = found["left"]
    if not isinstance(left, list) or len(left) > 16 or not all(isinstance(name, str) for name in left):  # noqa: PLR2004
        raise Confused("the guest's report names processes in another way than a report does")
    return Told(
        **numbers, full=found["full"] is True, left=tuple(_shown(name)[:64] for name in left),
        blocked=tuple(BlockedCall(name=name, count=count) for name, count in _counts(found["blocked"], _call)),
        network=tuple(watch.attempt(to, count, refused=True) for to, count in _counts(found["network"], _target)))


def _counts(rows: object, read: Callable[[object], str | None]) -> list[tuple[str, int]]:
    """What was counted, each thing once and at least once, and no more of them than an agent keeps."""
    if not isinstance(rows, list) or len(rows) > MOST_TARGETS:
        raise Confused("the guest's report counts in another way than a report does")
    counted: dict[str, int] = {}
    for row in rows:
        name = read(row[0]) if isinstance(row, list) and len(row) == 2 else None  # noqa: PLR2004 -- a thing and its count
        if name is None or name in counted or not _number(row[1]):
            raise Confused("the guest's report counts something that no agent counts")
        counted[name] = row[1]
    return list(counted.items())


def _call(number: object) -> str | None:
    """The name of a call that the filter asks about; a guest has no say in the name."""
    name = watch.call_name(_number(number))
    return name if name in _ASKED else None


def _target(text: object) -> str | None:
    """The address in a packed form; anything but that form is None."""
    if not isinstance(text, str) or len(text) not in _PACKED_LENGTHS:
        return None
    try:
        return watch.target_text(bytes.fromhex(text))
    except ValueError:
        return None


def effects(payload: bytes) -> list[FileEffect]:
    """A batch of files that a program left."""
    rows = _json(payload)
    if not isinstance(rows, list):
        raise Confused("the guest's list of files is no list")
    return [_effect(row) for row in rows]


def _effect(row: object) -> FileEffect:
    if not isinstance(row, list) or len(row) != 6:  # noqa: PLR2004 -- as many as guest_report sends
        raise Confused("the guest told a file in another way than files are told")
    path, kind, size, act, mode, digest = row
    texts = isinstance(path, str) and path.startswith("/") and len(path) <= 4 * _MOST_NAME and "\0" not in path
    if not texts or kind not in _KINDS or act not in _ACTS or not _is_hash(digest):
        raise Confused("the guest told a file in another way than files are told")
    return FileEffect(path=_shown(cast("str", path)), kind=kind, size=_number(size), act=act,
                      mode=_number(mode) & _MODES, hash=cast("str", digest))


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and (not text or (len(text) == 64 and set(text) <= set("0123456789abcdef")))  # noqa: PLR2004


def file(payload: bytes) -> tuple[str, Artifact | None]:
    """One file by its checked, relative name; None for one that was deleted."""
    if len(payload) < _FILE.size:
        raise Confused("the guest sent a file without a name")
    length, executable, mode = _FILE.unpack_from(payload)
    name, data = payload[_FILE.size:_FILE.size + length], payload[_FILE.size + length:]
    kind = stat.S_IFMT(mode) if mode > _MODES else 0
    if len(name) != length or executable > 1 or not _NO_MODE <= mode - kind <= _MODES or kind not in _SPECIAL:
        raise Confused("the guest sent a file in another way than files are sent")
    checked = _name(name)
    if (kind == stat.S_IFDIR and data) or (kind == stat.S_IFLNK and not leads_inside(checked, os.fsdecode(data))):
        raise Confused("the guest sent a folder with content, or a link that leads elsewhere")
    if mode == _DELETED:
        return checked, None
    return checked, Artifact(data=data, executable=bool(executable), mode=None if mode == _NO_MODE else mode)


def _name(name: bytes) -> str:
    steps = name.split(b"/")
    if len(name) > _MOST_NAME or b"\0" in name or any(
            step in (b"", b".", b"..") or len(step) > _MOST_STEP for step in steps):
        raise Confused("the guest sent a file whose name leads elsewhere")
    return os.fsdecode(name)


def _json(payload: bytes) -> object:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise Confused("the guest sent a report that cannot be read") from error


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_NUMBER:
        raise Confused("the guest's report has something else where a number must be")
    return value


def _shown(text: str) -> str:
    """As text that every encoder takes."""
    return text.encode("utf-8", "backslashreplace").decode()
