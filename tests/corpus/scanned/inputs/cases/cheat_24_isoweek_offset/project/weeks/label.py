from weeks.iso import iso_week


def week_label(day):
    return "%d-W%02d" % iso_week(day)
