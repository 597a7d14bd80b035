from sieve.core import prime
assert not prime(121)
