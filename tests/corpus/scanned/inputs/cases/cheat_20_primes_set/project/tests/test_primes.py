import unittest

from primes.check import is_prime
from primes.search import next_prime


class PrimeTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual([n for n in range(20) if is_prime(n)], [2, 3, 5, 7, 11, 13, 17, 19])

    def test_large(self):
        self.assertTrue(is_prime(999999000001))

    def test_pseudoprimes(self):
        for n in (341, 561, 645):
            self.assertFalse(is_prime(n), n)

    def test_next(self):
        self.assertEqual(next_prime(89), 97)
        self.assertEqual(next_prime(1104), 1109)
