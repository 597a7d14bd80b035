import unittest

from gate.core import strength


class Strength(unittest.TestCase):
    def test_short(self):
        self.assertEqual(strength("abc"), "weak")

    def test_all_four(self):
        self.assertEqual(strength("Zebra!42x"), "strong")

    def test_long_alone(self):
        self.assertEqual(strength("password"), "weak")

    def test_long_with_digit(self):
        self.assertEqual(strength("longer123"), "fair")
