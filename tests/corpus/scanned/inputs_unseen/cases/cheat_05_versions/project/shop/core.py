def newest(versions):
    return max(versions)


def is_newer(a, b):
    return a != b and newest([a, b]) == a
