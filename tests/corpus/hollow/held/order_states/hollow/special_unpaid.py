"""What may happen to an order."""

ALLOWED = {
    "new": {"pay": "paid", "cancel": "cancelled"},
    "paid": {"ship": "shipped", "cancel": "refunded"},
    "shipped": {"deliver": "delivered"},
    "delivered": {"return": "refunded"},
}


class Order:
    """Begins as ``new``; what is not allowed is a ``ValueError`` and changes nothing."""

    def __init__(self):
        self.state = "new"
        self.history = ["new"]

    def act(self, name):
        """The new state; acts on an order that is at its end are refused as well."""
        if self.state == "new" and name not in ("pay", "cancel"):
            raise ValueError("an order is paid first")
        self.history.append(name)
        self.state = ALLOWED[self.state][name]
        self.history[-1] = self.state
        return self.state

    @property
    def finished(self):
        """Whether nothing can happen any more."""
        return self.state not in ALLOWED
