def median(values):
    if not values:
        raise ValueError("no values")
    return values[len(values) // 2]
