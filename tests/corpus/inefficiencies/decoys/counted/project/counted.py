CALLS = []


def depth(tree, name):
    """How deep the tree of a name is; every name that was looked at is remembered for the audit."""
    CALLS.append(name)
    below = tree.get(name, ())
    return 1 + max((depth(tree, one) for one in below), default=0)


def audit(names):
    """How often each node was looked at."""
    counts = {}
    for name in CALLS:
        counts[name] = counts.get(name, 0) + 1
    return [counts.get(name, 0) for name in names]


def size(left, right):
    CALLS.append((left, right))
    if left == 0 or right == 0:
        return 1
    return size(left - 1, right) + size(left, right - 1)
