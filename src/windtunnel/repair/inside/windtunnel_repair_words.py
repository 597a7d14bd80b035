"""What a copy says on its way back, and what bounds it: time of the processor, memory, a group of its own.

What holds: a word counts only with the copy's own token before it and before its end was seen, so that neither an exit
code nor anything written at random says that a test passed. What does not hold: code in the same process that takes the
interpreter apart (frames, the collector's list of objects) can find the token; whoever calls this proves a proposal by
a trial of its own before it is offered.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
from typing import Any, List, Tuple

END = 90
"""The exit code of a copy that came to its last word; none that a program ends with by habit."""
LATER_SECONDS = 1
"""Of the processor, after which the kernel ends what would not hear of the end of its time."""
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
_PRCTL: Any = getattr(ctypes.CDLL(None), "prctl", None)
LOWEST, HIGHEST = 120, 900
"""Where the way back lies among a copy's descriptors."""


class Answer:
    """The way back from a copy; all that is called later is bound here, because tests replace such things."""

    def __init__(self, descriptor: int, token: str) -> None:
        """``descriptor`` to write to; it moves to a number that nobody closes by counting to ten."""
        most = min(HIGHEST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 8)
        least = min(LOWEST, most - 1)
        at = least + int.from_bytes(os.urandom(4), "big") % (most - least)
        self.descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, at)
        os.close(descriptor)
        self.token = token.encode("ascii")
        self.wrote = False
        """Whether a file of the project was opened for writing or taken away."""
        self.spawned = False
        self.write, self.leave, self.dumps, self.getpid = os.write, os._exit, json.dumps, os.getpid
        self.owner = os.getpid()

    def say(self, word: Any) -> None:
        """One line; nothing where this is a copy that a test made of us."""
        if self.getpid() != self.owner:
            self.leave(1)
        data = self.token + b" " + self.dumps(word).encode("ascii") + b"\n"
        try:
            while data:
                data = data[self.write(self.descriptor, data) :]
        except OSError:
            self.leave(1)  # a test closed it: what cannot be said did not happen

    def end(self, **more: Any) -> None:
        """The last word; does not return."""
        self.say({**more, "wrote": self.wrote, "spawned": self.spawned})
        self.leave(END)


def read(data: bytes, token: str) -> Tuple[List[Any], bool]:
    """The words with the right token, in order, and whether the last of them is a last word."""
    start, found = token.encode("ascii") + b" ", []
    for line in data.splitlines():
        if line.startswith(start):
            with contextlib.suppress(ValueError, RecursionError):
                found.append(json.loads(line[len(start) :]))
    return found, bool(found) and isinstance(found[-1], dict) and "wrote" in found[-1]


def bound_time(seconds: float) -> None:
    """Let this process have that much more time of the processor, and not a moment longer, whatever it is in."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])
    signal.setitimer(signal.ITIMER_PROF, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1 + LATER_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def unbound_time() -> None:
    """As much as it likes again."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def data_bytes() -> int:
    """What this process has of what is bounded below."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[5]) * resource.getpagesize()


def bound_memory(most: int) -> None:
    """Let this process have that many bytes in all."""
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def own_folder(path: str) -> None:
    """Temporary files of this copy go to a folder of its own, which somebody removes after it."""
    import tempfile

    os.mkdir(path, 0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = path


def control(option: int, value: int) -> None:
    """``prctl``, where there is one."""
    if _PRCTL is not None:
        _PRCTL(option, value, 0, 0, 0)


def send_descriptors(way: socket.socket, word: bytes, descriptors: List[int]) -> None:
    """As ``socket.send_fds``, which Python 3.8 has not."""
    way.sendmsg([word], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))])


def receive_descriptors(way: socket.socket, most: int) -> Tuple[bytes, List[int]]:
    """A word of at most 64 bytes, and so many descriptors."""
    found = array.array("i")
    word, more, _, _ = way.recvmsg(64, socket.CMSG_LEN(most * found.itemsize))
    for level, kind, data in more:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return word, list(found)


class OutOfTime(BaseException):
    """Raised in a test that takes too long, so that it can be seen where it was."""


def soft_time(seconds: float) -> None:
    """As ``bound_time``, but what runs then is told so by an error, again and again; the kernel ends it soon after."""
    bound_time(seconds)

    def ring(number: int, frame: object) -> None:
        raise OutOfTime

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
