"""A turnstile that lets one person through for each coin."""


class Turnstile:
    """Locked at first; coins put in while it is open are kept for the next ones."""

    def __init__(self):
        self.credit = 0
        self.passed = 0
        self.alarms = 0

    @property
    def state(self):
        """``open`` or ``locked``."""
        return "open" if self.credit else "locked"

    def coin(self):
        """Put one in."""
        self.credit += 1

    def push(self):
        """Whether the person gets through; a push at a locked one rings the alarm."""
        if not self.credit:
            self.alarms += 1
            return False
        self.credit -= 1
        self.passed += 1
        return True
