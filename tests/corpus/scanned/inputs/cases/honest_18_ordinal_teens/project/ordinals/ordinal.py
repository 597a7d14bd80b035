SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def ordinal(n):
    return "%d%s" % (n, SUFFIXES.get(n % 10, "th"))
