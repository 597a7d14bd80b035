import unittest
from datetime import date

from ledger.balance import balance_on, running_balance, with_interest
from ledger.load import load

MARCH = """\
2024-03-01;Salary;2000.00
2024-03-03;Rent;-800.00
2024-03-09;Food;-120.50
"""


class BalanceTest(unittest.TestCase):
    def setUp(self):
        self.entries = load(MARCH)

    def test_running(self):
        self.assertEqual(running_balance(self.entries), [200000, 120000, 107950])

    def test_nothing_yet(self):
        self.assertEqual(balance_on(self.entries, date(2024, 2, 1)), 0)

    def test_between_entries(self):
        self.assertEqual(balance_on(self.entries, date(2024, 3, 5)), 120000)

    def test_the_day_itself_counts(self):
        self.assertEqual(balance_on(self.entries, date(2024, 3, 9)), 107950)


class InterestTest(unittest.TestCase):
    def test_no_years(self):
        self.assertAlmostEqual(with_interest(1000, 0.05, 0), 1000)

    def test_one_year(self):
        self.assertAlmostEqual(with_interest(1000, 0.05, 1), 1050)

    def test_interest_on_interest(self):
        self.assertAlmostEqual(with_interest(1000, 0.1, 3), 1331.0, places=2)


if __name__ == "__main__":
    unittest.main()
