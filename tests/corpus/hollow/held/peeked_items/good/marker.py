"""An iterator that can look ahead."""

EMPTY = object()


class Peeking:
    """Goes over anything; ``peek`` shows the next item without taking it."""

    def __init__(self, items):
        self._items = iter(items)
        self._ahead = EMPTY

    def __iter__(self):
        """Itself."""
        return self

    def __next__(self):
        """The next item."""
        if self._ahead is not EMPTY:
            item, self._ahead = self._ahead, EMPTY
            return item
        return next(self._items)

    def peek(self, default=EMPTY):
        """The item that comes next; at the end the default, or ``StopIteration`` without one."""
        if self._ahead is EMPTY:
            try:
                self._ahead = next(self._items)
            except StopIteration:
                if default is EMPTY:
                    raise
                return default
        return self._ahead
