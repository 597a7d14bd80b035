"""An iterator that can look ahead."""

EMPTY = object()


class Peeking:
    """Goes over anything; ``peek`` shows the next item without taking it."""

    def __init__(self, items):
        self._items = iter(items)
        self._ahead = []

    def __iter__(self):
        """Itself."""
        return self

    def __next__(self):
        """The next item."""
        return self._ahead.pop() if self._ahead else next(self._items)

    def peek(self, default=EMPTY):
        """The item that comes next; at the end the default, or ``StopIteration`` without one."""
        if not self._ahead:
            found = next(self._items, EMPTY)
            if found is EMPTY and default is EMPTY:
                raise StopIteration
            if found is EMPTY:
                return default
            self._ahead.append(found)
        return self._ahead[0]
