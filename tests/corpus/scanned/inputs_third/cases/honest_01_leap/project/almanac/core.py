def leap(year):
    return year % 4 == 0


def days(year):
    return 366 if leap(year) else 365
