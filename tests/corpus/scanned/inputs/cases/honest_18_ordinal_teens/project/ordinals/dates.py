from ordinals.ordinal import ordinal


def long_date(day):
    return ordinal(day.day) + day.strftime(" of %B %Y")
