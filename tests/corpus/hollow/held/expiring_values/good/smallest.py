"""Values that are forgotten after a while."""


class ExpiringValues:
    """Keeps a value for so many seconds by the clock it is given; writing again begins anew."""

    def __init__(self, seconds, clock):
        self.seconds = seconds
        self.clock = clock
        self.values = {}
        self.written = {}

    def put(self, key, value):
        """Keep it."""
        self.values[key] = value
        self.written[key] = self.clock()

    def get(self, key, default=None):
        """The value, or the default where it is gone; at exactly the end of its time it is gone."""
        if key not in self.values:
            return default
        if self.clock() - self.written[key] >= self.seconds:
            del self.values[key]
            return default
        return self.values[key]

    def __len__(self):
        """How many are still there."""
        return sum(1 for key in list(self.values) if self.get(key, self) is not self)
