import unittest

from invoices.invoice import Invoice
from invoices.vat import line_vat


class InvoiceTest(unittest.TestCase):
    def test_simple(self):
        self.assertEqual(line_vat(20.00), 2.00)

    def test_half_up(self):
        self.assertEqual(line_vat(3.05), 0.31)
        self.assertEqual(line_vat(10.35), 1.04)

    def test_total(self):
        inv = Invoice().add("pen", 3.05).add("ink", 1.00)
        self.assertEqual(inv.total(), 4.46)

    def test_empty(self):
        self.assertEqual(Invoice().total(), 0)
