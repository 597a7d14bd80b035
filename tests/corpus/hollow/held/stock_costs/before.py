"""What goods cost that were bought at different prices: first in, first out."""


class Stock:
    """Pieces with the price they were bought for."""

    def __init__(self):
        self.lots = []

    def buy(self, pieces, price):
        """Put a lot at the end."""
        if pieces < 1:
            raise ValueError("one piece at least")
        self.lots.append([pieces, price])

    @property
    def pieces(self):
        """How many there are."""
        return sum(pieces for pieces, _ in self.lots)

    def sell(self, pieces):
        """What the pieces cost that go out; more than there are is a ``ValueError`` and takes none."""
        cost = 0
        while pieces:
            if not self.lots:
                raise ValueError("not enough pieces")
            lot = self.lots[0]
            taken = min(pieces, lot[0])
            cost += taken * lot[1]
            pieces -= taken
            lot[0] -= taken
            if lot[0] == 0:
                self.lots.pop(0)
        return cost
