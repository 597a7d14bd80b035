from primes.check import is_prime
for n in (1387, 1729, 1905, 2047):
    assert not is_prime(n), n
assert is_prime(104729)
