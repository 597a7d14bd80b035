"""Random bytes of the system, asked for by the page: asking for a few lets other threads in between, each time.

What holds: no byte is given out twice, also not to a forked child.
"""

from __future__ import annotations

import os
import threading

_PAGE_BYTES = 4096
_ID_BYTES = 16


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


os.register_at_fork(after_in_child=_page.__init__)  # type: ignore[misc]  # a new lock too: another thread may hold it
