"""Random bytes of the system, asked for by the page: asking for a few lets other threads in between, each time.

What holds: no byte is given out twice, also not to a forked child.
"""

from __future__ import annotations

import os
import threading
import time

_PAGE_BYTES = 4096
_ID_BYTES = 16
_MOMENT_BYTES, _MOMENT_NANOSECONDS = 3, 100_000_000


class _Page:
    """What was asked for and not given out yet."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rest = b""

    def take(self, count: int) -> bytes:
        with self.lock:
            if len(self.rest) < count:
                self.rest = os.urandom(max(count, _PAGE_BYTES))
            taken, self.rest = self.rest[:count], self.rest[count:]
        return taken


_page = _Page()


def random_bytes(count: int) -> bytes:
    """So many that nobody can guess."""
    return _page.take(count)


def fresh_id() -> str:
    """A name that nothing else has: 32 hexadecimal digits."""
    return _page.take(_ID_BYTES).hex()


def fresh_id_by_time() -> str:
    """The same, where those of one moment stand together: an index of many takes them in a few of its pages.

    The moment is a tenth of a second and comes again after 19 days; 104 bits are random.
    """
    moment = time.time_ns() // _MOMENT_NANOSECONDS % (1 << 8 * _MOMENT_BYTES)
    return (moment.to_bytes(_MOMENT_BYTES, "big") + _page.take(_ID_BYTES - _MOMENT_BYTES)).hex()


os.register_at_fork(after_in_child=_page.__init__)  # type: ignore[misc]  # a new lock too: another thread may hold it
