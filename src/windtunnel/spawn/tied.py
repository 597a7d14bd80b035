"""Runs one program for a parent, and ends it, with all of its process group, when the parent dies, however it dies.

A script, as ``tied.py PARENT PROGRAM ARGUMENT…``, in a session of its own. What holds: nothing of the group outlives
PARENT. What does not hold: a program that leaves its process group on purpose goes on; it is a trusted one.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_CANNOT_START = 127


def _end(*_: object) -> None:
    os.killpg(0, signal.SIGKILL)


def main(parent: int, argv: list[str]) -> int:
    """The exit code of the program, as a shell would tell it."""
    signal.signal(signal.SIGTERM, _end)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return _CANNOT_START
    try:
        child = os.posix_spawn(argv[0], argv, os.environ, setsigdef=[signal.SIGTERM, signal.SIGPIPE])
    except OSError as error:
        sys.stderr.write(f"{error.strerror}\n")
        return _CANNOT_START
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
