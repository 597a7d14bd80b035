def interest(principal, rate, years):
    if years < 0:
        raise ValueError("years")
    return round(principal * rate * years, 2)


def balance(principal, rate, years):
    return round(principal + interest(principal, rate, years), 2)
