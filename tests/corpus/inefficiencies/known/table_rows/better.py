class Row:
    def __init__(self, name, amount):
        self.name = name
        self.amount = amount


def render(rows, width=12):
    """A table as text, newest row last."""
    return "".join(row.name.ljust(width) + "|" + str(row.amount).rjust(8) + "\n" for row in rows)
