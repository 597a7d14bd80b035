"""Which of two releases is the newer one."""


def key(version):
    """What releases are sorted by: numbers, then final after labelled, then the label."""
    numbers, _, label = version.partition("-")
    return tuple(int(part) for part in numbers.split(".")), label == "", label


def newer(one, other):
    """Whether the first is newer; a release with a label comes before the one without."""
    return key(one) > key(other)


def newest(versions):
    """The newest of them."""
    return max(versions, key=key)
