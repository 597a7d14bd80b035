from invoices.vat import line_vat
from decimal import Decimal, ROUND_HALF_UP
for cents in range(5, 4000, 10):
    want = float((Decimal(cents) / 1000).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))
    assert line_vat(cents / 100) == want, cents
