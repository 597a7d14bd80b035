"""Handing some bytes to a trusted program: bounded in time and output, and gone with us."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.spawn.output import Kept
from windtunnel.spawn.process import start

_TIED = str(Path(__file__).with_name("tied.py"))
_CHUNK = 65_536
_MOST_OUTPUT = 65_536


def hand(
    argv: Sequence[str], data: bytes, *, seconds: float, env: Mapping[str, str], most_output: int = _MOST_OUTPUT,
) -> tuple[int | None, str]:
    """The exit code and the joined output; no code where it had to be ended. The data is its standard input.

    It is ended with its process group, also by the death of this process.
    """
    until = time.monotonic() + seconds
    source = os.memfd_create("windtunnel-handed", os.MFD_CLOEXEC)
    reading, writing = os.pipe2(os.O_CLOEXEC)
    kept = Kept(most_output)
    try:
        with open(source, "wb", closefd=False) as file:
            file.write(data)
        os.lseek(source, 0, os.SEEK_SET)
        tied = [sys.executable, "-I", "-S", _TIED, str(os.getpid())]
        process = start([*tied, *argv], stdin=source, output=writing, env=env)
        os.close(writing)
        writing = -1
        pidfd = os.pidfd_open(process.pid)
        try:
            ended = _drain(reading, pidfd, kept, until)
        finally:
            # Before it is reaped, so that its number cannot be anybody else's.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            os.close(pidfd)
        return code if ended else None, kept.value().decode("utf-8", "replace")
    finally:
        for descriptor in (source, reading, writing):
            if descriptor >= 0:
                os.close(descriptor)


def _drain(reading: int, pidfd: int, kept: Kept, until: float) -> bool:
    """Read until the program is gone; whether it was, in time."""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(pidfd, select.POLLIN)
    while (left := until - time.monotonic()) > 0:
        ready = dict(poll.poll(left * 1000))
        if pidfd in ready:
            # What somebody whom it left behind still prints is not its answer.
            os.set_blocking(reading, False)
            with contextlib.suppress(BlockingIOError):
                kept.add(os.read(reading, _CHUNK))
            return True
        if reading in ready:
            data = os.read(reading, _CHUNK)
            kept.add(data)
            if not data:
                poll.unregister(reading)
    return False
