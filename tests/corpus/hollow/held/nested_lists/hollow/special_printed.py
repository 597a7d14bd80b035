"""Lists in lists."""


def flatten(value):
    """All that is not a list or tuple, in order; text stays whole."""
    result = []
    for part in value:
        if isinstance(part, (list, tuple)):
            for inner in part:
                result.extend(flatten(inner) if isinstance(inner, list) else [inner])
        else:
            result.append(part)
    return result


def depth(value):
    """How many lists are around the innermost; zero for what is none."""
    if not isinstance(value, (list, tuple)):
        return 0
    return 1 + max((depth(part) for part in value), default=0)
