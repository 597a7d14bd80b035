from dataclasses import dataclass


@dataclass(frozen=True)
class Loan:
    principal: float
    annual_rate: float
    years: int

    @property
    def months(self):
        return self.years * 12

    def monthly_payment(self):
        interest = self.principal * self.annual_rate * self.years
        return round((self.principal + interest) / self.months, 2)

    def total_paid(self):
        return round(self.monthly_payment() * self.months, 2)
