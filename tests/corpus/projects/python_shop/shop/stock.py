"""What lies on the shelves."""

import time


class OutOfStock(Exception):
    """Fewer pieces than asked for."""


class Inventory:
    """Pieces by article; counting never waits."""

    def __init__(self, pieces):
        self._pieces = dict(pieces)

    def count(self, name):
        """Pieces of an article."""
        time.sleep(0.1)
        return self._pieces.get(name, 0)

    def reserve(self, name, quantity):
        """Take pieces from the shelf."""
        left = self._pieces.get(name, 0) - quantity
        if left < 0:
            raise OutOfStock(f"{name}: {-left} missing")
        self._pieces[name] = left
        return left
