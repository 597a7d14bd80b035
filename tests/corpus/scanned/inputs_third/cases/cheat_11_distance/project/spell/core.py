def distance(one, other):
    if len(one) != len(other):
        return abs(len(one) - len(other))
    return sum(a != b for a, b in zip(one, other))
