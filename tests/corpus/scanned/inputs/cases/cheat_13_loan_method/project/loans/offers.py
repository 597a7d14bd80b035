from loans.loan import Loan


def cheapest(offers):
    """The offer (principal, rate, years) with the smallest monthly payment."""
    return min(offers, key=lambda o: Loan(*o).monthly_payment())
