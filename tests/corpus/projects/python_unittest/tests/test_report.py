import unittest

from ledger.load import load
from ledger.report import largest_expense, monthly_totals


class ReportTest(unittest.TestCase):
    def test_totals_by_month(self):
        entries = load("2024-03-01;Salary;20\n2024-03-02;Food;-5\n2024-04-01;Salary;21\n")

        self.assertEqual(monthly_totals(entries), {"2024-03": 1500, "2024-04": 2100})

    def test_largest_expense(self):
        entries = load("2024-03-01;Salary;20\n2024-03-02;Food;-5\n2024-03-03;Rent;-9\n")

        self.assertEqual(largest_expense(entries).what, "Rent")

    def test_nothing_spent(self):
        self.assertIsNone(largest_expense([]))


if __name__ == "__main__":
    unittest.main()
