from numerals.roman import to_int


def hour_label(numeral):
    """Label of an hour on a dial: 'VI' -> '06:00'."""
    return "%02d:00" % to_int(numeral)
