from tax.brackets import BRACKETS


def tax(income):
    total, lower = 0, 0
    for upper, percent in BRACKETS:
        if income > lower:
            total += (min(income, upper) - lower) * percent / 100
        lower = upper
    return round(total, 2)


def band(income):
    for upper, percent in BRACKETS:
        if income < upper:
            return percent
