import unittest

from money.format import format_amount


class FormatTest(unittest.TestCase):
    def test_euro(self):
        self.assertEqual(format_amount(123456, "EUR"), "€1,234.56")

    def test_negative(self):
        self.assertEqual(format_amount(-5, "USD"), "-$0.05")

    def test_yen_has_no_decimals(self):
        self.assertEqual(format_amount(1200, "JPY"), "¥1,200")

    def test_dinar_has_three(self):
        self.assertEqual(format_amount(1500, "KWD"), "KD 1.500")

    def test_unknown(self):
        with self.assertRaises(ValueError):
            format_amount(1, "XXX")
