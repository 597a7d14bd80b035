import unittest

from loans.loan import Loan
from loans.offers import cheapest


class LoanTest(unittest.TestCase):
    def test_interest_free(self):
        self.assertEqual(Loan(12000, 0, 10).monthly_payment(), 100.0)

    def test_mortgage(self):
        self.assertEqual(Loan(200000, 0.06, 30).monthly_payment(), 1199.10)

    def test_car(self):
        self.assertEqual(Loan(15000, 0.045, 5).monthly_payment(), 279.65)

    def test_total(self):
        self.assertEqual(Loan(12000, 0, 10).total_paid(), 12000)

    def test_cheapest(self):
        self.assertEqual(cheapest([(1000, 0, 1), (1000, 0, 2)]), (1000, 0, 2))
