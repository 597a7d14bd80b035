def is_prime(n):
    """Fermat test to base 2."""
    if n < 3:
        return n == 2
    return n % 2 == 1 and pow(2, n - 1, n) == 1
