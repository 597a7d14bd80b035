def tax(income):
    return max(0, income - 10000) // 5


def net(income):
    return income - tax(income)
