"""What else would pass the tests, and does it answer as the change does? Told as one letter for each input.

Four kinds of process. The first knows nothing of the project and seals what is told. The second has collected the
tests, and is copied for each alternative, which the tests judge. The third, a copy of the second, has run the tests and
kept the calls they make; it makes inputs of them, and is copied for each version, which answers all inputs.
What does not hold: a project that wants its change to be praised can have that, as it can have its own tests pass.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
import time
from typing import Any, Dict

_KINDS = ("judged", "inputs", "world", "symptom", "regress", "witness", "literals", "note")
_MOST_BYTES = 8 * 1024**2
_MOST_WORD = 3000


def main() -> int:
    """Tell all; the exit code says nothing."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_doubt_rivals as rivals  # type: ignore[import-not-found]  # the same
    import windtunnel_mutant_kin as kin  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_mutants as mutants  # type: ignore[import-not-found]  # the same
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same

    del sys.path[0]
    kin.become_hidden()
    send: Any = seal.sender((sys.modules[__name__],))
    options = seal.options()
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    seal.hide("pytest")
    send("begin", tool="pytest")
    read, write = os.pipe()

    def act() -> None:
        os.close(read)
        mutants.close_ways_out()
        kin.become_plain()
        rivals.silence()
        seal.open_paths(current=options["module"])
        rivals.collect(options, write)

    family = kin.Kin()
    family.kept(act)
    os.close(write)
    relay(read, send, until=time.monotonic() + options["seconds"])
    family.sweep(())
    send("end", state="done")
    return 0


def relay(read: int, send: Any, *, until: float) -> None:
    """What the other processes say, line by line, as far as it is well formed and small."""
    left, taken = b"", 0
    poll = select.poll()
    poll.register(read, select.POLLIN)
    while time.monotonic() < until and taken < _MOST_BYTES:
        if not poll.poll(max(1.0, (until - time.monotonic()) * 1000)):
            break
        data = os.read(read, 1 << 16)
        if not data:
            break
        taken += len(data)
        *lines, left = (left + data).split(b"\n")
        for line in lines:
            tell(line, send)


def tell(line: bytes, send: Any) -> None:
    """One word, if it is one of ours."""
    word: Dict[str, Any] = {}
    with contextlib.suppress(ValueError, RecursionError):
        word = json.loads(line[: 2 * _MOST_WORD])
    if not isinstance(word, dict) or word.get("kind") not in _KINDS:
        return
    fields = {name: bounded(value) for name, value in list(word.items())[:12]
              if name.isidentifier() and name not in ("kind", "n", "many")}
    send(str(word["kind"]), **fields)


def bounded(value: Any) -> Any:
    """A number or a short text."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, list):
        return [bounded(part) for part in value[:50] if not isinstance(part, list)]
    return str(value)[:_MOST_WORD]


def put(write: int, word: Dict[str, Any]) -> None:
    """Say a word on the way to the first process."""
    data = json.dumps(word).encode() + b"\n"
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(write, data) :]


if __name__ == "__main__":
    sys.exit(main())
