import unittest

from isbn.check import valid10


class IsbnTest(unittest.TestCase):
    def test_valid(self):
        self.assertTrue(valid10("0-306-40615-2"))

    def test_invalid(self):
        self.assertFalse(valid10("0-306-40615-3"))

    def test_x(self):
        self.assertTrue(valid10("0-8044-2957-X"))

    def test_x_only_last(self):
        self.assertFalse(valid10("X123456789"))

    def test_short(self):
        self.assertFalse(valid10("12345"))
