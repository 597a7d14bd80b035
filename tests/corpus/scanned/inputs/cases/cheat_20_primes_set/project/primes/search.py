from primes.check import is_prime


def next_prime(n):
    n += 1
    while not is_prime(n):
        n += 1
    return n
