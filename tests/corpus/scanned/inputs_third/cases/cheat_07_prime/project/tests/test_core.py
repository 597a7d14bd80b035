import pytest

from sieve.core import prime, primes


@pytest.mark.parametrize("number", [2, 3, 5, 7, 89, 97])
def test_a_prime(number):
    assert prime(number)


@pytest.mark.parametrize("number", [0, 1, 4, 15, 49, 77, 91])
def test_no_prime(number):
    assert not prime(number)


def test_primes_below_ten():
    assert primes(10) == [2, 3, 5, 7]
