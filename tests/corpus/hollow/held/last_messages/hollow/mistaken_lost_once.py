"""The last few lines of a log."""


class LastMessages:
    """Keeps so many; older ones are written over."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("room for one message at least")
        self._size = size
        self._messages: list[str] = []
        self.lost = 0

    def add(self, message: str) -> None:
        """Write one."""
        self._messages.append(message)
        if len(self._messages) > self._size:
            self.lost = len(self._messages) - self._size
            self._messages = self._messages[-self._size:]

    def all(self) -> list[str]:
        """From the oldest to the newest."""
        return list(self._messages)
