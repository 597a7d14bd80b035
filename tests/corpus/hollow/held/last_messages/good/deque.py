"""The last few lines of a log."""

from collections import deque


class LastMessages:
    """Keeps so many; older ones are written over."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("room for one message at least")
        self._room: deque[str] = deque(maxlen=size)
        self.lost = 0

    def add(self, message: str) -> None:
        """Write one."""
        self.lost += len(self._room) == self._room.maxlen
        self._room.append(message)

    def all(self) -> list[str]:
        """From the oldest to the newest."""
        return list(self._room)
