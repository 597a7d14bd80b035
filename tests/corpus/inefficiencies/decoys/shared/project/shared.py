def rows(size):
    """The rows of Pascal's triangle; the caller may change them."""
    if size == 0:
        return []
    if size == 1:
        return [[1]]
    before = rows(size - 1)
    other = rows(size - 2)
    last = before[-1]
    width = len(other) + 2
    return before + [[1] + [last[at] + last[at + 1] for at in range(len(last) - 1)] + [1]][:width]
