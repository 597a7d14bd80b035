"""How much there is."""


def running_balance(entries):
    """The balance after each entry."""
    balance, balances = 0, []
    for entry in entries:
        balance += entry.cents
        balances.append(balance)
    return balances


def balance_on(entries, day):
    """The balance at the end of a day."""
    return sum(entry.cents for entry in entries if entry.day < day)


def with_interest(cents, yearly_rate, years):
    """What savings become, with interest on the interest."""
    return cents * (1 + yearly_rate * years)
