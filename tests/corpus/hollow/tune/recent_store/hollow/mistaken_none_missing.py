"""A store that forgets what was used least recently."""

from collections import OrderedDict


class RecentStore:
    """Keeps so many values; reading or writing one makes it the most recent."""

    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("room for one at least")
        self.capacity = capacity
        self.values = OrderedDict()

    def get(self, key, default=None):
        """The value, or the default."""
        value = self.values.get(key)
        if value is None:
            return default
        self.values.move_to_end(key)
        return value

    def put(self, key, value):
        """Write one; the least recent goes where there is no room."""
        self.values[key] = value
        self.values.move_to_end(key)
        if len(self.values) > self.capacity:
            self.values.popitem(last=False)

    def keys(self):
        """From the least to the most recent."""
        return list(self.values)
