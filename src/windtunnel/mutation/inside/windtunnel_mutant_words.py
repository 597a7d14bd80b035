"""What a copy tells of its end: in its exit code, and in words for what a code cannot hold.

What holds: a fate is read from how the process ended, which its parent sees, so that a mutant that closes descriptors
or writes into them at random changes no fate. What does not hold: code of the project that ends its process with one of
these codes on purpose is believed; whoever writes both the tests and the code can always make them agree.
"""



from __future__ import annotations

import array
import json
import os
import signal
import socket
from typing import Any, Dict, List, Optional, Tuple

CODES = {"survived": 90, "killed": 91, "timeout": 92, "same": 93, "fresh": 94, "told": 95, "failed": 96}
"""None of them is what a program that crashes or gives up ends with by habit."""
FATES = {code: fate for fate, code in CODES.items()}
OUT_OF_TIME = (signal.SIGXCPU, signal.SIGPROF)


class Answer:
    """The way back from a copy; all that is called later is bound here, because tests replace such things."""

    def __init__(self, descriptor: int) -> None:
        """``descriptor`` to write to."""
        self.descriptor = descriptor
        self.wrote = False
        """Whether a file of the project was opened for writing or taken away."""
        self.write, self.leave, self.dumps = os.write, os._exit, json.dumps

    def at(self, number: int) -> None:
        """Which test is about to begin, for the case that it never ends."""
        self._put(b"%d\n" % number)

    def end(self, fate: str, **more: Any) -> None:
        """The last word; does not return."""
        self._put(self.dumps({**more, "wrote": self.wrote}).encode() + b"\n")
        self.leave(CODES[fate])

    def _put(self, data: bytes) -> None:
        try:
            while data:
                data = data[self.write(self.descriptor, data) :]
        except OSError:
            pass  # a mutant closed it: the exit code says enough


def read(data: bytes) -> Tuple[Dict[str, Any], Optional[int]]:
    """The last word, if there is one, and the number of the test that was begun last."""
    word: Dict[str, Any] = {}
    at = None
    for line in data.splitlines():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            word = found
        elif isinstance(found, int):
            at = found
    return word, at


def fate_of(status: Optional[int], *, late: bool) -> str:
    """What became of a copy, by how it ended; of one that nobody saw end, nobody knows."""
    if late:
        return "timeout"
    if status is None:
        return "lost"
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) in OUT_OF_TIME else "crashed"
    return FATES.get(os.WEXITSTATUS(status), "crashed")


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
