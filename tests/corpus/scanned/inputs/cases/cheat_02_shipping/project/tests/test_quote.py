import unittest

from parcels.quote import quote


class QuoteTest(unittest.TestCase):
    def test_by_weight(self):
        self.assertEqual(quote(2, "domestic"), 5.30)
        self.assertEqual(quote(10, "world"), 54.50)

    def test_bulky_domestic(self):
        self.assertEqual(quote(1.5, "domestic", (50, 40, 30)), 14.30)

    def test_bulky_eu(self):
        self.assertEqual(quote(3, "eu", (60, 50, 40)), 50.20)

    def test_heavy_small(self):
        self.assertEqual(quote(20, "eu", (20, 20, 20)), 43.00)

    def test_unknown_zone(self):
        with self.assertRaises(ValueError):
            quote(1, "moon")
