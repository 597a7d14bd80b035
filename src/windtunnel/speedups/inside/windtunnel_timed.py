"""Runs a command each time it is told to, and says what each run used of the processor, as the kernel counts it.

``python windtunnel_timed.py COMMAND…``: a line ``CORE TIMES`` on standard input starts a round of so many runs, one
after the other, all on that core (the CORE-th of those there are). Each round is answered by a line of JSON:
``[processor seconds of all runs, exit codes, digests of what each printed]``. Before the first, an empty list says that
all is ready. The command gets no input.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from typing import List, Tuple

MOST_OUTPUT = 16 * 1024**2


def main() -> int:
    """Wait, run, tell."""
    argv, out = sys.argv[1:], os.dup(1)
    tell(out, [])
    cores = sorted(os.sched_getaffinity(0))
    for line in sys.stdin:
        core, times = (int(word) for word in line.split())
        with contextlib.suppress(OSError):  # where it is not allowed, it runs wherever it is put
            os.sched_setaffinity(0, {cores[core % len(cores)]})
        runs = [run(argv) for _ in range(times)]
        tell(out, [sum(one[0] for one in runs), [one[1] for one in runs], sorted({one[2] for one in runs})])
    return 0


def run(argv: List[str]) -> Tuple[float, int, str]:
    """One run: its time, its exit code, the digest of what it printed."""
    with tempfile.TemporaryFile() as said, open(os.devnull, "rb") as nothing, open(os.devnull, "wb") as nowhere:
        child = os.posix_spawnp(argv[0], argv, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, nothing.fileno(), 0), (os.POSIX_SPAWN_DUP2, said.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, nowhere.fileno(), 2)])
        _, status, used = os.wait4(child, 0)
        said.seek(0)
        data = said.read(MOST_OUTPUT)
    return used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status), hashlib.sha256(data).hexdigest()


def tell(out: int, word: List[object]) -> None:
    """One line."""
    os.write(out, json.dumps(word).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
