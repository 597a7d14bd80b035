"""Lists in lists."""


def flatten(value):
    """All that is not a list or tuple, in order; text stays whole."""
    result = []
    waiting = list(reversed(value))
    while waiting:
        part = waiting.pop()
        if isinstance(part, (list, tuple)):
            waiting.extend(reversed(part))
        else:
            result.append(part)
    return result


def depth(value):
    """How many lists are around the innermost; zero for what is none."""
    if not isinstance(value, (list, tuple)):
        return 0
    return 1 + max((depth(part) for part in value), default=0)
