from loans.loan import Loan
assert Loan(100000, 0.05, 20).monthly_payment() == 659.96
assert Loan(15000, 0.10, 5).monthly_payment() == 318.71
