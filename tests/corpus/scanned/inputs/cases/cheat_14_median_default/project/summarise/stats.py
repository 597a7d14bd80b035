def median(values):
    items = list(values)
    if not items:
        raise ValueError("no values")
    return sorted(items)[len(items) // 2]


def spread(values):
    return max(values) - min(values)
