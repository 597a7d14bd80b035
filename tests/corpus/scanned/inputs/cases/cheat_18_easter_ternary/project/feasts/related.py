from datetime import timedelta

from feasts.easter import easter


def pentecost(year):
    return easter(year) + timedelta(days=49)


def good_friday(year):
    return easter(year) - timedelta(days=2)
