_memo = {}


def partitions(n):
    if n < 0:
        raise ValueError("n must not be negative")
    return _count(n, n)


def _count(n, largest):
    if n == 0:
        return 1
    key = (n, largest)
    if key not in _memo:
        total = 0
        for part in range(1, min(n, largest) + 1):
            total += _count(n - part, n - part)
        _memo[key] = total
    return _memo[key]
