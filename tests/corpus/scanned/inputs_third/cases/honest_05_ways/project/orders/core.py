def ways(count):
    if count < 0:
        raise ValueError("fewer than none")
    if count < 2:
        return count
    return count * ways(count - 1)
