from orders.status import TRANSITIONS, Status


class Order:
    def __init__(self, status="new"):
        self.status = Status(status)

    def move(self, to):
        to = Status(to)
        if to not in TRANSITIONS[self.status]:
            raise ValueError("%s -> %s" % (self.status.value, to.value))
        self.status = to
        return self

    @property
    def final(self):
        return not TRANSITIONS[self.status]
