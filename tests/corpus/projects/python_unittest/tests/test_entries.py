import unittest
from datetime import date

from ledger.entries import BadEntry, parse_amount, parse_entry


class AmountTest(unittest.TestCase):
    def test_whole_amounts(self):
        self.assertEqual(parse_amount("12"), 1200)

    def test_negative_amounts(self):
        self.assertEqual(parse_amount("-800.00"), -80000)

    def test_one_decimal(self):
        self.assertEqual(parse_amount("0.5"), 50)


class EntryTest(unittest.TestCase):
    def test_fields(self):
        entry = parse_entry("2024-03-01; Rent ;-800.00")

        self.assertEqual((entry.day, entry.what, entry.cents), (date(2024, 3, 1), "Rent", -80000))

    def test_missing_fields(self):
        with self.assertRaisesRegex(BadEntry, "three fields wanted"):
            parse_entry("2024-03-01;Rent")


if __name__ == "__main__":
    unittest.main()
