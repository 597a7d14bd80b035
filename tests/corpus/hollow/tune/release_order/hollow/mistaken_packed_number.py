"""Which of two releases is the newer one."""


def key(version):
    """One number for the release, and whether it is a final one."""
    numbers, _, label = version.partition("-")
    packed = 0
    for part in numbers.split("."):
        packed = packed * 10 + int(part)
    return packed, not label, label


def newer(one, other):
    """Whether the first is newer; a release with a label comes before the one without."""
    return key(one) > key(other)


def newest(versions):
    """The newest of them."""
    return max(versions, key=key)
