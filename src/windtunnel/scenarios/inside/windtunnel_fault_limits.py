"""Less memory and fewer descriptors: limits of this process, which the kernel keeps, so that a sound error comes."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import resource
from typing import List

from windtunnel_fault_base import Fault, Measured, Option  # type: ignore[import-not-found]  # lies beside this file

_MIB = 1024**2


class _Limit(Fault):  # type: ignore[misc]  # known only where it runs
    which = 0
    old = None

    def lower(self, soft: int) -> None:
        """Lower the soft limit alone, which can be raised again."""
        old = resource.getrlimit(self.which)
        if old[1] != resource.RLIM_INFINITY and soft > old[1]:
            raise OSError(errno.EPERM, f"the limit is {old[1]} already")
        resource.setrlimit(self.which, (soft, old[1]))
        self.old = old

    def end(self) -> None:
        if self.old is not None:
            resource.setrlimit(self.which, self.old)
            self.old = None


class MemoryPressure(_Limit):
    """Only so many bytes more may be had (``RLIMIT_DATA``); the next one is a ``MemoryError``, not a kill.

    What malloc has kept back from before can be had as well. Memory that several processes share is not counted.
    """

    name = "memory_pressure"
    options = {"left_bytes": Option(32 * _MIB, _MIB, 2**40)}
    which = resource.RLIMIT_DATA

    def begin(self) -> None:
        self.lower(_data_bytes() + int(self.values["left_bytes"]))

    def probe(self) -> Measured:
        """Take maps of 1 MiB until none is given."""
        taken: List[mmap.mmap] = []
        left = int(self.values["left_bytes"])
        try:
            while len(taken) * _MIB <= left + _MIB:
                taken.append(mmap.mmap(-1, _MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        except (OSError, MemoryError):
            return Measured(f"{len(taken)} MiB could be had", len(taken) * _MIB <= left)
        finally:
            for one in taken:
                one.close()
        return Measured(f"more than {len(taken) - 1} MiB could be had", holds=False)


def _data_bytes() -> int:
    """What counts against the limit now."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    raise OSError(errno.ENOENT, "the size of this process is not told")


class FewFileDescriptors(_Limit):
    """Only so many more can be opened."""

    name = "few_file_descriptors"
    options = {"left": Option(16, 0, 10**6)}
    which = resource.RLIMIT_NOFILE

    def begin(self) -> None:
        soft = resource.getrlimit(self.which)[0]
        most = soft if soft != resource.RLIM_INFINITY else 2**20
        left, number = int(self.values["left"]), 0
        while left and number < most:
            left -= not _is_open(number)
            number += 1
        if left:
            self.reason = f"{left} fewer are left than asked for"
            return
        self.lower(number)

    def probe(self) -> Measured:
        """Open until refused."""
        taken: List[int] = []
        most = int(self.values["left"])
        try:
            while len(taken) <= most:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError as problem:
            return Measured(f"{len(taken)} more could be opened", problem.errno == errno.EMFILE and len(taken) <= most)
        finally:
            for one in taken:
                os.close(one)
        return Measured(f"more than {most} could be opened", holds=False)


def _is_open(number: int) -> bool:
    try:
        fcntl.fcntl(number, fcntl.F_GETFD)
    except OSError:
        return False
    return True
