from workdays.core import business_days


def describe(start, end):
    n = business_days(start, end)
    return "%d working day%s" % (n, "" if n == 1 else "s")
