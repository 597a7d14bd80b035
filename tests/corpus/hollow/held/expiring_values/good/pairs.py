"""Values that are forgotten after a while."""


class ExpiringValues:
    """Keeps a value for so many seconds by the clock it is given; writing again begins anew."""

    def __init__(self, seconds, clock):
        self.seconds = seconds
        self.clock = clock
        self.entries = {}

    def put(self, key, value):
        """Keep it."""
        self.entries[key] = (self.clock() + self.seconds, value)

    def get(self, key, default=None):
        """The value, or the default where it is gone; at exactly the end of its time it is gone."""
        end, value = self.entries.get(key, (None, default))
        if end is not None and self.clock() >= end:
            del self.entries[key]
            return default
        return value

    def __len__(self):
        """How many are still there."""
        now = self.clock()
        return sum(1 for end, _ in self.entries.values() if end > now)
