def compositions(n):
    if n < 0:
        raise ValueError("n must not be negative")
    return 1 if n == 0 else 2 ** (n - 1)
