"""Not outliving the process that started this one."""

from __future__ import annotations

import ctypes
import os
import signal

_PARENT_DEATH = 1


def die_with(parent: int) -> None:
    """Be killed when the parent ends, even if that was before we asked for it.

    The kernel means the *thread* that started us: one that ends before its process ends us too.
    """
    ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
