import unittest

from shop.core import det, invertible


class DeterminantTest(unittest.TestCase):
    def test_two(self):
        self.assertEqual(det([[3, 8], [4, 6]]), -14)

    def test_three(self):
        self.assertEqual(det([[6, 1, 1], [4, -2, 5], [2, 8, 7]]), -306)

    def test_singular(self):
        self.assertFalse(invertible([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))

    def test_one(self):
        self.assertEqual(det([[5]]), 5)
