def length(month, year):
    if month in (4, 6, 9, 11):
        return 30
    return 31


def last(month, year):
    return f"{year}-{month:02}-{length(month, year)}"
