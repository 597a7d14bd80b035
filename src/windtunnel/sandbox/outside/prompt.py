"""Being in time without being more important than others."""

from __future__ import annotations

import ctypes
import os
import struct

_SET_TIMER_SLACK = 29
_SET_ATTRIBUTES = 274 if os.uname().machine == "aarch64" else 314
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
_SLICE_NANOSECONDS = 100_000


def be_prompt() -> None:
    """Wake up when it was asked for, and come first among equals by asking for little at a time.

    From Linux 6.12 on a process may ask for a short turn, and then gets it soon; its share of the processor stays the
    same, so no program gains by keeping this process busy. Where the kernel does not know it, nothing changes.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_TIMER_SLACK, 1, 0, 0, 0)
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    libc.syscall(_SET_ATTRIBUTES, 0, _ATTRIBUTES.pack(_ATTRIBUTES.size, 0, 0, nice, 0, _SLICE_NANOSECONDS, 0, 0), 0)
