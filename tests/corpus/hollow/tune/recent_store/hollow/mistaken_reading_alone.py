"""A store that forgets what was used least recently."""


class RecentStore:
    """Keeps so many values; reading or writing one makes it the most recent."""

    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("room for one at least")
        self.capacity = capacity
        self.values = {}

    def get(self, key, default=None):
        """The value, or the default."""
        if key in self.values:
            self.values[key] = self.values.pop(key)
        return self.values.get(key, default)

    def put(self, key, value):
        """Write one; the least recent goes where there is no room."""
        if key not in self.values and len(self.values) == self.capacity:
            del self.values[next(iter(self.values))]
        self.values[key] = value

    def keys(self):
        """From the least to the most recent."""
        return list(self.values)
