"""The last few lines of a log."""


class LastMessages:
    """Keeps so many; older ones are written over."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("room for one message at least")
        self._room: list[str | None] = [None] * size
        self._count = 0

    def add(self, message: str) -> None:
        """Write one."""
        self._room[self._count % len(self._room)] = message
        self._count += 1

    def all(self) -> list[str]:
        """From the oldest to the newest."""
        messages = [message for message in self._room if message is not None]
        if self._count > len(self._room) and self._count % len(self._room):
            messages = messages[1:] + messages[:1]
        return messages

    @property
    def lost(self) -> int:
        """How many were written over."""
        return max(0, self._count - len(self._room))
