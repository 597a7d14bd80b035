def running_total(amounts, start=0):
    """The total after each amount."""
    totals = []
    current = start
    for amount in amounts:
        current += amount
        totals = totals + [current]
    return totals
