"""Small sums: ``2 + 3 * (4 - 1)``."""

import re


def evaluate(text):
    """Whole numbers with ``+``, ``-``, ``*`` and brackets; a minus may stand before anything."""
    tokens = re.findall(r"(?:^-)?\d+|[-+*()]", text)

    def factor():
        token = tokens.pop(0)
        if token == "(":
            value = total()
            tokens.pop(0)
            return value
        return int(token)

    def product():
        value = factor()
        while tokens and tokens[0] == "*":
            tokens.pop(0)
            value *= factor()
        return value

    def total():
        value = product()
        while tokens and tokens[0] in "+-":
            value = value + product() if tokens.pop(0) == "+" else value - product()
        return value

    return total()
