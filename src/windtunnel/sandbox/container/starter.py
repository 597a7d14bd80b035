"""The first program in a container, as bytes: a static one without a C library, so that it runs in any image.

It takes the system-call filter and hands its listener over, waits at the gate, starts the program, tells how that
ended, waits for an answer and ends in the same way. All of it is behind the filter, and so is whatever it starts; what
fails before the program is there ends with 125. The source is ``starters/start-*.S``, the code beside it what an
assembler makes of that; here it gets the head of an ELF file and what it reads.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, UsageError

FAILED = 125
"""How it ends when it could not start the program."""
_CONNECT, _FILTER = 1, 2
_BASE, _RUN = 0x400000, 0x20000000
_MOST_RUN = 1 << 24
_MACHINES = {"x86_64": 62, "aarch64": 183}
_LOAD, _STACK, _READ_EXECUTE, _READ_WRITE, _ALIGNED = 1, 0x6474E551, 5, 6, 0x10000
_HEADER, _SEGMENT = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ")
_CODE = _HEADER.size + 2 * _SEGMENT.size
_CONFIG = struct.Struct("<QQQQQHxxxxxxQ")
_LOCAL = 1
_SHELL, _DEFAULT_PATH = "/bin/sh", "/bin:/usr/bin"


def program(machine: str, *, folder: str, connect: bool, calls: bytes = b"") -> bytes:
    """The whole file; ``folder`` is the gate's as seen inside, ``calls`` the filter it takes, if it is to take one.

    With ``connect`` it comes to the socket in that folder; without, it tells nobody anything.
    """
    code = _code(machine)
    place = _BASE + _CODE + len(code)
    after = _Tail(place + _CONFIG.size)
    address = struct.pack("<H", _LOCAL) + f"{folder}/socket".encode() + b"\0"
    flags = (_CONNECT if connect else 0) | (_FILTER if calls else 0)
    config = _CONFIG.pack(
        flags, after.put(address), len(address), after.put(f"{folder}/go".encode() + b"\0"),
        after.put(f"{folder}/run".encode() + b"\0"), len(calls) // 8, after.put(calls))
    return _head(machine, _CODE + len(code) + len(config) + len(after.data)) + code + config + bytes(after.data)


@functools.cache
def _code(machine: str) -> bytes:
    if machine not in _MACHINES:
        raise IsolationUnavailable(
            f"no container can be started on machine {machine!r} (there is a starter for {' and '.join(_MACHINES)})")
    path = Path(__file__).with_name("starters") / f"start-{machine}.bin"
    try:
        return path.read_bytes()
    except OSError as error:
        raise IsolationUnavailable(
            f"the starter {path.name} cannot be read ({error.strerror}); install windtunnel again") from error


def _head(machine: str, size: int) -> bytes:
    """Of a program that is one piece of memory to be read and executed, and begins at its code."""
    identity = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = _HEADER.pack(identity, 2, _MACHINES[machine], 1, _BASE + _CODE, _HEADER.size, 0, 0, _HEADER.size,
                          _SEGMENT.size, 2, 0, 0, 0)
    return (header + _SEGMENT.pack(_LOAD, _READ_EXECUTE, 0, _BASE, _BASE, size, size, _ALIGNED)
            + _SEGMENT.pack(_STACK, _READ_WRITE, 0, 0, 0, 0, 0, 16))


class _Tail:
    """Bytes behind a place in memory, each piece aligned and known by its address."""

    def __init__(self, place: int) -> None:
        self._place = place
        self.data = bytearray()

    def put(self, piece: bytes) -> int:
        self.data += bytes(-len(self.data) % 8)
        address = self._place + len(self.data)
        self.data += piece
        return address

    def text(self, text: str) -> int:
        return self.put(text.encode("utf-8", "surrogateescape") + b"\0")

    def array(self, places: Sequence[int]) -> int:
        """Of pointers, with its end."""
        return self.put(struct.pack(f"<{len(places) + 1}Q", *places, 0))

    def texts(self, texts: Sequence[str]) -> int:
        return self.array([self.text(text) for text in texts])

    def message(self, text: str) -> tuple[int, int]:
        said = text.encode("utf-8", "surrogateescape")
        return self.put(said), len(said)


def run_block(argv: Sequence[str], env: Mapping[str, str], *, cwd: str) -> bytes:
    """The command as the starter maps it: where to go, these words and variables and no others, what to say if not.

    A name without a slash is looked for along the command's own ``PATH``; a file that names no interpreter is the
    shell's, as ``execvp`` would have it.
    """
    variables = [f"{name}={value}" for name, value in env.items()]
    if any("\0" in text for text in (cwd, *argv, *variables)):
        raise UsageError("a command, its variables and its folder hold no zero character", field="argv")
    head = struct.Struct("<12Q")
    tail = _Tail(_RUN + head.size)
    name, shell, (first, *rest) = argv[0], tail.text(_SHELL), [tail.text(word) for word in argv]
    numbers = (
        tail.text(cwd), tail.array([first, *rest]), tail.texts(variables), tail.texts(candidates(name, env)),
        shell, tail.array([shell, first, *rest]),
        *tail.message(f"windtunnel: cannot start in {cwd}: no such folder, or one that is closed\n"),
        *tail.message(f"windtunnel: cannot start {name}: No such file or directory\n"),
        *tail.message(f"windtunnel: cannot start {name}: it cannot be executed\n"))
    block = head.pack(*numbers) + bytes(tail.data)
    if len(block) > _MOST_RUN:
        raise UsageError(f"a command of {len(block)} bytes is too long (at most {_MOST_RUN})", field="argv")
    return block


def candidates(name: str, env: Mapping[str, str]) -> list[str]:
    """The files that a name may mean, best first."""
    if "/" in name or not name:
        return [name]
    return [f"{folder or '.'}/{name}" for folder in env.get("PATH", _DEFAULT_PATH).split(":")]
