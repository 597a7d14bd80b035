"""The sealed way out of a test runner: one numbered record in one write.

Runs inside the sandbox, in the process of the tests, on Python 3.8 or later. The key is read before any code of the
project is loaded and is gone after two digests were made of it; all that is called later is bound here first, so that
replacing ``os.write`` or ``json.dumps`` changes nothing; and only functions of ours may send. What does not hold: code
in the same process that takes the interpreter apart (frames, the collector's list of objects) can reach the digests.
"""

# ruff: noqa: ANN401 -- what goes into a record is told apart at run time

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import select
import sys
import types
from builtins import bool, dict, float, id, int, isinstance, len, repr, round, str  # noqa: A004, UP029 -- bound once
from importlib.machinery import ModuleSpec
from json.encoder import encode_basestring_ascii as quote
from typing import Any, Callable, Iterable  # noqa: UP035 -- for Python 3.8

MOST_BYTES = 3900
"""Below what a pipe takes in one piece, so that nothing can come between."""
MOST_ID_BYTES = 1000
SEAL_DIGITS = 32
BLOCK_BYTES = 64
"""Of SHA-256, for its keyed form."""
LONGEST_SECONDS = 1e9


def options() -> Any:
    """What the runner is asked to do; from a file beside this one, which holds no secret."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "windtunnel_options.json"), "rb") as file:
        return json.load(file)


def short(text: str) -> str:
    """The same text as a name that fits into a record, always the same for the same text."""
    text = str(text).encode("utf-8", "backslashreplace").decode("utf-8")
    if len(quote(text)) <= MOST_ID_BYTES:
        return text
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    while len(quote(text)) > MOST_ID_BYTES - 20:
        text = text[: len(text) * 9 // 10]
    return text + "~" + digest


def sender(modules: Iterable[types.ModuleType]) -> Callable[..., None]:
    """Read the key from standard input, close that way, and give the function that sends a record.

    It listens to functions of these modules alone. ``send(kind, many=("ids", [...]), id=…)`` sends a list in as many
    records as it needs.
    """
    trusted = frozenset(id(code) for module in modules for code in _codes(module))
    seal = _sealer(_read_key())
    write = _writer(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 100))
    owner, getpid, frame = os.getpid(), os.getpid, sys._getframe  # noqa: SLF001 -- the one way to know the caller
    number = [0]

    def put(record: dict[str, Any]) -> None:
        line = _fit({"n": number[0], **record})
        number[0] += 1
        write(b"\x1e" + seal(line) + b" " + line + b"\n")

    def send(kind: str, many: tuple[str, list[str]] | None = None, **fields: Any) -> None:
        if getpid() != owner:
            return  # a copy of this process made by a test has nothing to report
        if id(frame(1).f_code) not in trusted:
            put({"kind": "integrity", "what": "a record was sent by code that is not ours", "category": "runner"})
        elif many is None:
            put({"kind": kind, **fields})
        else:
            for part in _parts(many[1]):
                put({"kind": kind, **fields, many[0]: part})

    return send


def open_paths(*, current: bool) -> None:
    """Let the project's modules be found, now that all of ours are loaded; ``current`` as after ``python -m``."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:0] = ([os.getcwd()] if current else []) + [os.path.abspath(path) for path in paths]


def hide(module: str) -> None:
    """Let ``__main__`` be what ``python -m module`` would show, so that spawned processes do not load our script."""
    shown = types.ModuleType("__main__")
    shown.__spec__ = ModuleSpec(module + ".__main__", None)
    sys.modules["__main__"] = shown
    for name in [name for name in sys.modules if name.startswith("windtunnel_")]:
        del sys.modules[name]


def _codes(module: types.ModuleType) -> Iterable[types.CodeType]:
    """The code of a module's functions and methods, and of generators that stand behind a decorator."""
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) == module.__name__:
            for part in list(vars(value).values()) if isinstance(value, type) else [value]:
                code = getattr(part, "__code__", None)
                if isinstance(code, types.CodeType):
                    yield code


def _read_key() -> bytes:
    key = b""
    while not key.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            break
        key += byte
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return key.strip()


def _sealer(key: bytes) -> Callable[[bytes], bytes]:
    """HMAC-SHA256 from its two halves: objects of C, whose methods cannot be replaced."""
    if len(key) > BLOCK_BYTES:
        key = hashlib.sha256(key).digest()
    block = key.ljust(BLOCK_BYTES, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def seal(data: bytes) -> bytes:
        first, second = inner.copy(), outer.copy()
        first.update(data)
        second.update(first.digest())
        return second.hexdigest()[:SEAL_DIGITS].encode("ascii")

    return seal


def _writer(descriptor: int) -> Callable[[bytes], None]:
    """Writes all in one piece, also when the program has made the pipe one that does not wait."""
    raw, wait, busy, gone = os.write, select.select, BlockingIOError, OSError

    def write(data: bytes) -> None:
        while True:
            try:
                raw(descriptor, data)
            except busy:
                wait([], [descriptor], [])
            except gone:
                return  # closed by the program: the missing records are noticed outside
            else:
                return

    return write


def _parts(values: Iterable[str]) -> Iterable[list[str]]:
    """The values in lists that fit into a record beside an id; one empty list for none."""
    part: list[str] = []
    size = 0
    for value in map(short, values):
        length = len(quote(value)) + 1
        if part and size + length > MOST_BYTES - MOST_ID_BYTES - 200:
            yield part
            part, size = [], 0
        part.append(value)
        size += length
    yield part


def _fit(record: dict[str, Any]) -> bytes:
    """The record as JSON, its message cut as far as needed."""
    line = _json(record).encode("ascii")
    while len(line) > MOST_BYTES - SEAL_DIGITS - 3:
        message = record.get("message") or ""
        if not message:
            kept = {key: record[key] for key in ("n", "kind", "id") if key in record}
            return _json({**kept, "status": "error", "message": "the record was too long"}).encode("ascii")
        record["message"] = message[: len(message) * 3 // 4]
        line = _json(record).encode("ascii")
    return line


def _json(value: Any) -> str:
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(round(value, 6)) if 0 <= value < LONGEST_SECONDS else "0.0"
    if isinstance(value, dict):
        return "{" + ",".join([quote(key) + ":" + _json(part) for key, part in value.items()]) + "}"
    return "[" + ",".join([_json(part) for part in value]) + "]"
